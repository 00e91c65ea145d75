import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { bearer } from "../../contract/suite.ts";
import { root } from "../../support/bundle.ts";
import { edgemaker } from "../../support/command.ts";
import { freePort } from "../../support/free-port.ts";
import { startSqld } from "../../support/sqld.ts";
import { tempFolder } from "../../support/temp.ts";

const TOKEN = "em_of_a_local_worker_0123456789";

/** The lines of docs/deploy.md that start the Worker and trigger its cron. */
function documented() {
  const text = readFileSync(join(root, "docs/deploy.md"), "utf8");
  const [, command = ""] = /`npx (wrangler dev --test-scheduled)`/.exec(text) ?? [];
  const [, url = ""] = /`curl '(http:\/\/127\.0\.0\.1:8787\/\S+)'`/.exec(text) ?? [];
  return { command: command.split(" ").slice(1), url };
}

it("runs a minute of the Worker by the lines of docs/deploy.md", async () => {
  const { command, url } = documented();
  const [database, port, inspector] = [await startSqld(), await freePort(), await freePort()];
  onTestFinished(() => database.stop());
  const migrated = await edgemaker(tempFolder(), ["db", "migrate", "--db", database.url, "--sandbox"]);
  expect(migrated.code, migrated.stderr).toBe(0);
  const settings = [
    `EDGEMAKER_DATABASE_URL:${database.url}`,
    `EDGEMAKER_TOKEN:${TOKEN}`,
    "EDGEMAKER_SANDBOX:1",
  ].flatMap((setting) => ["--var", setting]);
  const own = ["--port", String(port), "--inspector-port", String(inspector), "--persist-to", tempFolder()];
  const wrangler = spawn(
    process.execPath,
    [join(root, "node_modules/wrangler/bin/wrangler.js"), ...command, ...settings, ...own],
    // A group of its own, because wrangler starts workerd.
    { cwd: root, env: { ...process.env, HOME: tempFolder(), CI: "1" }, detached: true, stdio: "ignore" },
  );
  onTestFinished(() => void process.kill(-Number(wrangler.pid), "SIGKILL"));
  const worker = `http://127.0.0.1:${port}`;
  const isUp = () =>
    fetch(`${worker}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(isUp).toBe(true);
  const headers = { ...bearer(TOKEN), "content-type": "application/json" };
  const grid = { exchange: "kraken", symbol: "BTC/USDT", lowerPrice: 55_000, upperPrice: 65_000 };
  const started = await fetch(`${worker}/api/v1/strategy/grid`, {
    method: "POST",
    headers,
    body: JSON.stringify({ ...grid, gridLevels: 6, orderSize: 50 }),
  });
  expect(started.status).toBe(200);
  const steppedAt = async () => {
    const status = await (await fetch(`${worker}/api/v1/strategy/grid/status`, { headers })).json();
    return (status as { strategies: { lastStepAt: number }[] }).strategies[0]?.lastStepAt ?? 0;
  };
  const before = await steppedAt();
  expect((await fetch(url.replace("http://127.0.0.1:8787", worker))).status).toBe(200);
  await expect.poll(steppedAt).toBeGreaterThan(before);
});
