import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "@libsql/client";
import { expect, it, onTestFinished } from "vitest";
import { besideServer } from "../support/beside.ts";
import { edgemaker, type Server, serve } from "../support/command.ts";
import { callTool, stdioClient } from "../support/mcp.ts";
import { starts } from "../support/starts.ts";
import { tempFolder } from "../support/temp.ts";

/** A sandbox database with users in separate homes, who know other servers only from the database. */
function oneDatabase() {
  const url = `file:${join(tempFolder(), "shared.db")}`;
  const client = besideServer(url);
  onTestFinished(() => client.close());
  const home = tempFolder();
  return {
    client,
    url,
    serve: () => serve(tempFolder(), ["--sandbox", "--db", url]),
    run: (...args: string[]) => edgemaker(home, [...args, "--db", url], { EDGEMAKER_SANDBOX: "true" }),
  };
}

const heartbeatOf = async (client: Client): Promise<number> =>
  Number((await client.execute("select heartbeat_at from servers")).rows[0]?.[0] ?? Number.NaN);
const where = ({ url, child }: Server): string => `${url} (process ${child.pid})`;
const GRID = ["--exchange", "kraken", "--symbol", "BTC/USDT", "--levels", "4", "--order-size", "20", "--yes"];
const RANGE = ["--lower-price", "20000", "--upper-price", "30000"];
const NO_SERVER = "No server is running, so nothing watches it";

it("knows the older of two servers when the newer one stops, from any home", async () => {
  const { client, url, serve: start, run } = oneDatabase();
  const recorded = async () => (await client.execute("select url from servers")).rows.map(({ url }) => url);
  const older = await start();
  const newer = await start();
  expect(await recorded()).toEqual([older.url, newer.url]);
  await newer.kill("SIGINT");
  expect(await recorded()).toEqual([older.url]);
  expect(newer.stdout()).toContain(`another server of this database runs at ${where(older)}.`);
  const page = await run("page");
  expect({ code: page.code, stdout: page.stdout }).toEqual({ code: 1, stdout: "" });
  expect(page.stderr).toContain(`a server of this database runs at ${where(older)}`);
  expect((await run("doctor", "--json")).stdout).toContain(`runs at ${where(older)}`);
  expect((await run("sandbox", "reset")).stderr).toContain(`a server at ${where(older)} uses this sandbox`);
  const first = await run("grid", "start", ...GRID, ...RANGE);
  expect({ code: first.code, stderr: first.stderr }).toEqual({ code: 0, stderr: "" });
  await older.kill("SIGINT");
  expect(older.stdout()).not.toContain("another server");
  expect((await run("page")).stderr).toContain("no server with this database runs");
  const second = await run("grid", "start", ...GRID, ...RANGE);
  expect(second.stderr).toBe(`${NO_SERVER}; start \`edgemaker serve --sandbox --db ${url}\`.\n`);
});

it("warns an agent over standard input that starts, changes or resumes a strategy without a server", async () => {
  const { url, serve: start } = oneDatabase();
  const { client: agent } = await stdioClient(tempFolder(), ["--sandbox", "--db", url], {
    EDGEMAKER_MCP_TRADING: "1",
    EDGEMAKER_MCP_CONFIRM: "plan",
  });
  const act = async (tool: string, input: object) => {
    const { planId } = (await callTool(agent, tool, { ...input })).structuredContent as { planId: string };
    const result = await callTool(agent, tool, { ...input, planId });
    return result.structuredContent as { id: string; message: string; warnings?: readonly object[] };
  };
  const [tool, input] = starts("grid", {
    exchange: "kraken",
    symbol: "BTC/USDT",
    lowerPrice: 20_000,
    upperPrice: 30_000,
    gridLevels: 4,
    orderSize: 20,
  });
  const warning = `${NO_SERVER}; start \`edgemaker serve --sandbox --db ${url}\`.`;
  const alone = await act(tool, input);
  expect(alone.warnings).toContainEqual({ code: "no_server", message: warning });
  expect(alone.message).toBe(`${alone.id} is running and its orders are placed. ${warning}`);
  const edited = await act("edit_strategy", { id: alone.id, config: { stopLossPrice: 15_000 } });
  expect(edited.warnings).toContainEqual({ code: "no_server", message: warning });
  expect((await act("pause_strategy", { id: alone.id })).message).not.toContain(NO_SERVER);
  expect((await act("resume_strategy", { id: alone.id })).message).toBe(`${alone.id} is resumed. ${warning}`);
  await start();
  const watched = await act(tool, input);
  expect(watched.message).toBe(`${watched.id} is running and its orders are placed`);
  expect(JSON.stringify(watched.warnings)).not.toContain("no_server");
});

it("forgets a killed server with its process, or on another machine with its heartbeat", async () => {
  const { client, serve: start, run } = oneDatabase();
  const server = await start();
  expect(await heartbeatOf(client)).toBeGreaterThan(0);
  await server.kill("SIGKILL");
  expect((await run("page")).stderr).toContain("no server with this database runs");
  await client.execute("update servers set host = 'elsewhere'");
  expect((await run("page")).stderr).toContain(`runs at ${server.url} on elsewhere`);
  await client.execute("update servers set heartbeat_at = heartbeat_at - 30000");
  expect((await run("page")).stderr).toContain("no server with this database runs");
});

it("renews the heartbeat of a running server", async () => {
  const { client, serve: start, run } = oneDatabase();
  const server = await start();
  await client.execute("update servers set heartbeat_at = 0");
  await expect.poll(() => heartbeatOf(client)).toBeGreaterThan(0);
  expect((await run("page")).stderr).toContain(`runs at ${server.url}`);
});

it("ends if its start fails after it has opened its port", async () => {
  const folder = tempFolder();
  mkdirSync(join(folder, "data"));
  // The folder for the server's address cannot be created.
  symlinkSync(join(folder, "absent"), join(folder, "data/edgemaker"));
  const database = ["--db", `file:${join(folder, "served.db")}`];
  const { code, stdout, stderr } = await edgemaker(folder, [
    "serve",
    "--sandbox",
    ...database,
    "--port",
    "0",
  ]);
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toContain("ENOENT");
});

it("prints a link to the only server that runs, whatever its database, and asks which of several", async () => {
  const folder = tempFolder();
  const serveOn = (name: string) => serve(folder, ["--sandbox", "--db", `file:${join(folder, name)}`]);
  const demo = await serveOn("data/edgemaker/demo.db");
  const { code, stdout } = await edgemaker(folder, ["page"]);
  expect([code, stdout.startsWith(`${demo.url}/#code=`)]).toEqual([0, true]);
  const chosen = await edgemaker(folder, ["page", "--sandbox"]);
  expect(chosen.stderr).toContain("no server with this database runs");
  const other = await serveOn("other.db");
  const { stderr } = await edgemaker(folder, ["page"]);
  expect(stderr).toContain("2 servers run: ");
  for (const { url } of [demo, other]) expect(stderr).toContain(url);
});

it("keeps the database of a running demo from the next demo", async () => {
  const folder = tempFolder();
  const database = `file:${join(folder, "data/edgemaker/demo.db")}`;
  const running = await serve(folder, ["--sandbox", "--db", database]);
  const next = await edgemaker(folder, ["demo", "--seconds", "1", "--port", "0"]);
  expect([next.code, next.stdout]).toEqual([1, ""]);
  expect(next.stderr).toContain(`a demo runs at ${running.url} (process ${running.child.pid})`);
  expect((await running.ask("/ready")).status).toBe(200);
});
