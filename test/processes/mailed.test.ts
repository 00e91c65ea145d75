import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { canary, canaryKek } from "../support/canary.ts";
import { edgemaker, eventually, piped, serve } from "../support/command.ts";
import { gridRequest } from "../support/requests.ts";
import { mailServer } from "../support/smtp.ts";
import { tempFolder } from "../support/temp.ts";

it("a person adds their mailbox, tests it, and receives events by email", async () => {
  const login = { user: "grid", password: canary("mailbox") };
  const server = await mailServer({ login });
  const folder = tempFolder();
  const env = { EDGEMAKER_KEK: canaryKek("B"), EDGEMAKER_OUTBOUND_HOSTS: server.host };
  const args = ["--db", `file:${join(folder, "mailed.db")}`, "--sandbox"];
  const add = (...lines: string[]) =>
    piped(folder, ["notify", "add", "mail", "--kind", "email", ...args, "--json"], lines, env);

  const wrong = await add(
    server.url,
    login.user,
    login.password,
    "grid@example.org",
    "me@example.org, you@example.org",
  );
  expect(wrong).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("from and to must each be one address"),
  });
  const added = await add(server.url, login.user, login.password, "grid@example.org", "me@example.org");
  expect([added.code, added.stderr]).toEqual([0, ""]);
  expect(JSON.parse(added.stdout)).toMatchObject({
    kind: "email",
    note: expect.stringContaining("edgemaker serve"),
  });

  const tested = await edgemaker(folder, ["notify", "test", "mail", ...args], env);
  expect([tested.code, tested.stderr]).toEqual([0, ""]);
  expect(server.mails).toMatchObject([{ user: "grid", from: "grid@example.org", to: ["me@example.org"] }]);

  const running = await serve(folder, [...args, "--tick-interval", "300"], env);
  const grid = gridRequest({ lowerPrice: 54_000, upperPrice: 66_000, gridLevels: 4 });
  await running.ask("/api/v1/strategy/grid", { method: "POST", body: JSON.stringify(grid) });
  // Information alone would wait ten minutes after the test message.
  await running.ask("/api/v1/kill", { method: "POST", body: JSON.stringify({ on: true }) });
  await eventually(
    async () => server.mails.map(({ data }) => data).join("\n"),
    (text) => text.includes("started on BTC/USDT"),
  );
  await running.kill("SIGTERM");
  for (const name of readdirSync(folder).filter((one) => one.startsWith("mailed.db")))
    expect(readFileSync(join(folder, name), "latin1")).not.toContain(login.password);
});
