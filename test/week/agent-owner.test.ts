/** The walk of somebody who lets an AI agent trade: from the installation in a client to the end of a strategy. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect, it, onTestFinished } from "vitest";
import { edgemaker, environment, eventually, serve } from "../support/command.ts";
import { callTool, errorOf, textOf } from "../support/mcp.ts";
import { starts } from "../support/starts.ts";
import { tempFolder } from "../support/temp.ts";

const GRID = {
  exchange: "kraken",
  symbol: "BTC/USDT",
  lowerPrice: 55_000,
  upperPrice: 65_000,
  // The market starts at 60,000, between two levels: small moves do not change the plan.
  gridLevels: 5,
};

interface Planned {
  readonly planId: string;
}

/** A home with a running sandbox, and the client that `mcp install` has set up. */
async function home() {
  const folder = tempFolder();
  const run = async (...args: string[]) => {
    const ran = await edgemaker(folder, args);
    expect(ran.code, `${args.join(" ")}: ${ran.stderr}`).toBe(0);
    return ran.stdout;
  };
  const server = await serve(folder, ["--sandbox", "--tick-interval", "500"]);
  await run("mcp", "install", "--client", "cursor", "--sandbox", "--trading", "--max-notional", "USDT=500");
  const file = readFileSync(join(folder, ".cursor/mcp.json"), "utf8");
  const { command, args, env } = JSON.parse(file).mcpServers.edgemaker;
  const client = new Client({ name: "walk", version: "1" });
  await client.connect(
    new StdioClientTransport({
      command,
      args,
      env: { ...(environment(folder) as Record<string, string>), ...env },
      cwd: folder,
    }),
  );
  onTestFinished(() => client.close());
  const read = async <T>(name: string, values: Record<string, unknown> = {}) => {
    const result = await callTool(client, name, values);
    expect(result.isError, textOf(result)).toBeFalsy();
    return JSON.parse((result.content[0] as { text: string }).text) as T;
  };
  /** Decides as the owner does, about the one plan that waits. */
  const decide = async (decision: "approve" | "refuse") => {
    const waiting = async () =>
      (JSON.parse(await run("plans", "list", "--sandbox", "--json")) as { plans: { id: string }[] }).plans;
    await eventually(waiting, ({ length }) => length === 1);
    await run("plans", decision, (await waiting())[0]?.id ?? "", "--sandbox");
  };
  return { client, server, run, read, decide };
}

it("an owner installs an agent, which starts, changes and stops a grid only as approved", async () => {
  const { client, run, read, decide } = await home();
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["get_ticker", "start_strategy", "stop_strategy"]),
  );

  // It reads, and proposes too much: the cap of 500 USDT for each plan.
  expect(
    (await read<{ last: number }>("get_ticker", { exchange: "kraken", symbol: "BTC/USDT" })).last,
  ).toBeGreaterThan(0);
  const large = errorOf(await callTool(client, ...starts("grid", { ...GRID, orderSize: 500 })));
  expect(large.message).toMatch(/500/);

  // The owner refuses the first plan, and approves the second one.
  const request = { ...GRID, orderSize: 50, name: "agent" };
  const first = await read<Planned>(...starts("grid", request));
  const refused = callTool(client, ...starts("grid", { ...request, planId: first.planId }));
  await decide("refuse");
  expect(errorOf(await refused).message).toMatch(/refused/);
  expect(JSON.parse(await run("grid", "list", "--sandbox", "--json")).count).toBe(0);
  const second = await read<Planned>(...starts("grid", request));
  const started = callTool(client, ...starts("grid", { ...request, planId: second.planId }));
  await decide("approve");
  const result = await started;
  expect(result.isError, textOf(result)).toBeFalsy();
  const [grid] = JSON.parse(await run("grid", "status", "--sandbox", "--json")).strategies;
  expect(grid).toMatchObject({ name: "agent", status: "running", gridLevels: 5 });

  // A plan works once.
  expect(
    errorOf(await callTool(client, ...starts("grid", { ...request, planId: second.planId }))).error,
  ).toBeTruthy();

  // The owner's grid is not the agent's.
  const own = ["--exchange", "gateio", "--symbol", "BTC/USDT", "--lower", "55000", "--upper", "65000"];
  await run("grid", "start", ...own, "--levels", "4", "--size", "50", "--sandbox", "--yes");
  const { strategies } = JSON.parse(await run("grid", "status", "--sandbox", "--json")) as {
    strategies: { id: string; exchange: string }[];
  };
  const theirs = strategies.find(({ exchange }) => exchange === "gateio")?.id ?? "";
  expect(errorOf(await callTool(client, "stop_strategy", { id: theirs })).message).toMatch(/start/);

  // The kill switch of the owner stops what the agent would still start.
  await run("kill", "on", "--sandbox");
  const third = await callTool(client, ...starts("grid", { ...request, exchange: "mexc" }));
  if (!third.isError) {
    const { planId } = JSON.parse((third.content[0] as { text: string }).text) as Planned;
    const killed = callTool(client, ...starts("grid", { ...request, exchange: "mexc", planId }));
    await decide("approve");
    expect(errorOf(await killed).message).toMatch(/kill switch/);
  }
  await run("kill", "off", "--sandbox");

  // It stops its grid, as approved, and the record of events names it.
  const stop = await read<Planned>("stop_strategy", { id: "agent" });
  const stopped = callTool(client, "stop_strategy", { id: "agent", planId: stop.planId });
  await decide("approve");
  expect((await stopped).isError).toBeFalsy();
  await eventually(
    async () => JSON.parse(await run("grid", "status", grid.id, "--sandbox", "--json")).strategies[0],
    ({ status, openOrders }) => status === "stopped" && openOrders === 0,
  );
  const events = JSON.parse(await run("grid", "events", grid.id, "--sandbox", "--json")).events as {
    by?: string;
  }[];
  expect(events.length).toBeGreaterThan(2);
});
