import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { edgemaker, environment, serve } from "../support/command.ts";
import { freePort } from "../support/free-port.ts";
import { tempFolder } from "../support/temp.ts";

interface Listed {
  readonly id: string;
  readonly name: string;
  readonly scope: string;
  readonly server: string | null;
}

const listed = async (folder: string) => {
  const { stdout } = await edgemaker(folder, ["token", "list", "--sandbox", "--json"]);
  return (JSON.parse(stdout) as { tokens: Listed[] }).tokens;
};
const kill = (folder: string, what: string) => edgemaker(folder, ["kill", what, "--sandbox"]);

it("a running server's local token is listed, and removed when the server stops", async () => {
  const folder = tempFolder();
  const server = await serve(folder, ["--sandbox"]);
  expect(await listed(folder)).toMatchObject([
    { id: expect.stringMatching(/^local_/), scope: "admin", server: expect.stringContaining(server.url) },
  ]);
  const { stdout } = await edgemaker(folder, ["token", "list", "--sandbox"]);
  expect(stdout).toContain("commands on the server's own machine");
  expect((await kill(folder, "status")).code).toBe(0);
  await server.kill("SIGINT");
  expect(await listed(folder)).toEqual([]);
});

it("a revoked local token is rejected, and the next start creates a new one", async () => {
  const folder = tempFolder();
  const server = await serve(folder, ["--sandbox"]);
  const data = join(environment(folder).XDG_DATA_HOME ?? "", "edgemaker");
  const [file = ""] = readdirSync(data).filter((name) => name.startsWith("server-"));
  const { token } = JSON.parse(readFileSync(join(data, file), "utf8")) as { token: string };
  const ask = async (path: string, init: RequestInit = {}) =>
    (
      await fetch(`${server.url}/api/v1${path}`, {
        ...init,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      })
    ).status;
  expect(await ask("/balance?exchange=kraken")).toBe(200);
  const [own] = await listed(folder);
  expect((await edgemaker(folder, ["token", "revoke", own?.id ?? "", "--sandbox"])).code).toBe(0);
  expect(await ask("/balance?exchange=kraken")).toBe(401);
  expect(await ask("/kill", { method: "POST", body: JSON.stringify({ on: false }) })).toBe(401);
  expect(await listed(folder)).toEqual([]);
  await server.kill("SIGINT");
  await serve(folder, ["--sandbox"]);
  expect((await kill(folder, "status")).code).toBe(0);
});

it("the local token of a killed server is invalid once another server listens on its port", async () => {
  const folder = tempFolder();
  const port = String(await freePort());
  const first = await serve(folder, ["--sandbox", "--port", port]);
  await first.kill("SIGKILL");
  const [left] = await listed(folder);
  expect(left?.id).toMatch(/^local_/);
  await serve(folder, ["--sandbox", "--port", port]);
  const now = await listed(folder);
  expect(now).toHaveLength(1);
  expect(now[0]?.id).not.toBe(left?.id);
});

it("commands use the remaining server when another server on the same database stops", async () => {
  const folder = tempFolder();
  const first = await serve(folder, ["--sandbox"]);
  for (const signal of ["SIGINT", "SIGKILL"] as const) {
    const second = await serve(folder, ["--sandbox", "--port", "0"]);
    await second.kill(signal);
    if (signal === "SIGINT")
      expect(second.stdout()).toContain(
        `another server of this database runs at ${first.url} (process ${first.child.pid}).`,
      );
    const { code, stdout, stderr } = await edgemaker(folder, ["page", "--sandbox", "--json"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toEqual({ url: expect.stringContaining(`${first.url}/#code=`) });
  }
});
