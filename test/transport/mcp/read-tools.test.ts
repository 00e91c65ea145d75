import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { describe, expect, it } from "vitest";
import { createOperations } from "../../../src/operations.ts";
import { testApp } from "../../support/app.ts";
import { serve } from "../../support/command.ts";
import { appClient, callTool, errorOf, httpClient, stdioClient, textOf } from "../../support/mcp.ts";
import { EXCHANGES } from "../../support/sandbox.ts";
import { tempFolder } from "../../support/temp.ts";

const READS = createOperations(EXCHANGES).filter(({ effect }) => effect === "read");
const MARKET = { exchange: "kraken", symbol: "BTC/USDT" };
const TOKEN = "em_token-of-a-server-test";

/** Values for the required fields of any tool, by the field's name. */
async function samples(client: Client, ids: Record<string, unknown>): Promise<Map<string, object>> {
  const { tools } = await client.listTools();
  return new Map(
    tools.map(({ name, inputSchema }) => {
      const known: Record<string, unknown> = { ...MARKET, ...ids, ...OF_TOOL[name] };
      return [name, Object.fromEntries((inputSchema.required ?? []).map((field) => [field, known[field]]))];
    }),
  );
}

/** Where a field means something else than elsewhere. */
const OF_TOOL: Record<string, object> = {
  get_dex_price: { symbol: "SNEK" },
  get_dex_pools: { symbol: "SNEK" },
  preview_grid: { lowerPrice: 55_000, upperPrice: 65_000, gridLevels: 4, orderSize: 100 },
};

async function readsAll(client: Client, ids: { grid: string; order: string }): Promise<void> {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(READS.map(({ name }) => name));
  const inputs = await samples(client, { id: ids.grid });
  inputs.set("get_order", { ...MARKET, id: ids.order });
  for (const { name, annotations } of tools) {
    expect(annotations, name).toMatchObject({ readOnlyHint: true, destructiveHint: false });
    // The client itself checks the structured content against the tool's output schema.
    const result = await callTool(client, name, inputs.get(name) as Record<string, unknown>);
    expect(result.isError, `${name}: ${textOf(result)}`).toBeFalsy();
    expect(result.structuredContent, name).toBeTypeOf("object");
    expect(textOf(result).length, name).toBeLessThanOrEqual(600);
  }
}

const ORDER = { ...MARKET, side: "buy", type: "limit", amount: 0.001, price: 50_000 };
const GRID = { ...MARKET, lowerPrice: 55_000, upperPrice: 65_000, gridLevels: 4, orderSize: 100 };

describe("the official client calls every read tool", () => {
  it("over standard input and output, and over HTTP", async () => {
    const folder = tempFolder();
    const server = await serve(folder, ["--sandbox"]);
    const post = async (path: string, body: object) =>
      (await server.ask(path, { method: "POST", body: JSON.stringify(body) })).json() as Promise<never>;
    const { order } = (await post("/api/v1/orders", ORDER)) as { order: { id: string } };
    const { id } = (await post("/api/v1/strategy/grid", GRID)) as { id: string };
    const ids = { grid: id, order: order.id };

    await readsAll(await httpClient(server.url, { token: TOKEN }), ids);
    await readsAll((await stdioClient(folder, ["--sandbox"])).client, ids);
  });
});

describe("tools", () => {
  it("that trade are not there by default, and refuse when called all the same", async () => {
    const app = await testApp();
    const client = await appClient(app, "admin");
    const { tools } = await client.listTools();
    expect(tools.filter(({ annotations }) => !annotations?.readOnlyHint)).toEqual([]);
    const told = errorOf(await callTool(client, "create_order", ORDER));
    expect(told).toMatchObject({
      error: "Forbidden",
      message: expect.stringContaining("EDGEMAKER_MCP_TRADING"),
    });
    expect(await app.venue("kraken").openOrders()).toEqual([]);
    await expect(callTool(client, "tick")).rejects.toThrow(/unknown tool/);
  });

  it("say what to do next when they fail", async () => {
    const app = await testApp();
    const client = await appClient(app, "read");
    const unlisted = await callTool(client, "get_ticker", { ...MARKET, symbol: "DOGE/USDT" });
    expect(errorOf(unlisted)).toMatchObject({
      error: "Invalid symbol",
      message: "DOGE/USDT is not listed on kraken",
      next: expect.stringContaining("list_exchanges"),
    });
    const unknown = await callTool(client, "get_ticker", { ...MARKET, limt: 5 });
    expect(errorOf(unknown)).toMatchObject({ error: "Invalid request", message: "unknown field: limt" });
    expect(errorOf(await callTool(client, "get_grid_status", { id: "grid-no" })).next).toContain(
      "list_grids",
    );
  });
});

describe("/mcp", () => {
  const initialize = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
  };
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const bearer = { authorization: "Bearer em_read-token-of-a-test" };

  it.each<[string, Record<string, string>, number]>([
    ["a token that reads", bearer, 200],
    ["no token", {}, 401],
    ["a wrong token", { authorization: "Bearer em_wrong-token-of-a-test" }, 401],
    ["another site's Host", { ...bearer, host: "evil.test" }, 403],
    ["another site's Origin", { ...bearer, origin: "https://evil.test" }, 403],
    ["plain text", { ...bearer, "content-type": "text/plain" }, 415],
  ])("answers %s with its status", async (_what, over, status) => {
    const { ask } = await testApp();
    const response = await ask("/mcp", {
      method: "POST",
      headers: { ...headers, ...over },
      body: JSON.stringify(initialize),
    });
    expect(response.status).toBe(status);
  });

  it("refuses 65 KiB, a batch and other methods", async () => {
    const { ask } = await testApp();
    const post = (body: string) => ask("/mcp", { method: "POST", headers: { ...headers, ...bearer }, body });
    expect((await post(JSON.stringify({ ...initialize, x: "y".repeat(66_000) }))).status).toBe(413);
    expect((await post(JSON.stringify([initialize, initialize]))).status).toBe(400);
    expect((await ask("/mcp", { headers: bearer })).status).toBe(405);
  });
});
