import { describe, expect, it } from "vitest";
import { TOKENS, testApp } from "../../support/app.ts";
import { canary } from "../../support/canary.ts";
import { appClient, callTool, errorOf } from "../../support/mcp.ts";

const MARKET = { exchange: "kraken", symbol: "BTC/USDT" };
const ORDER = { ...MARKET, side: "buy", type: "limit", amount: 0.001, price: 50_000 };

describe("tools", () => {
  it("for trading are not listed by default, and refuse when called all the same", async () => {
    const app = await testApp();
    const client = await appClient(app, "admin");
    const { tools } = await client.listTools();
    expect(tools.filter(({ annotations }) => !annotations?.readOnlyHint)).toEqual([]);
    const result = errorOf(await callTool(client, "create_order", ORDER));
    expect(result).toMatchObject({
      error: "Forbidden",
      message: expect.stringContaining("EDGEMAKER_MCP_TRADING"),
    });
    expect(await app.venue("kraken").openOrders()).toEqual([]);
    await expect(callTool(client, "tick")).rejects.toThrow(/unknown tool/);
  });

  it("return the next step when they fail", async () => {
    const app = await testApp();
    const client = await appClient(app, "read");
    const unlisted = await callTool(client, "get_ticker", { ...MARKET, symbol: "DOGE/USDT" });
    expect(errorOf(unlisted)).toMatchObject({
      error: "Invalid symbol",
      message: "DOGE/USDT is not listed on kraken",
      next: expect.stringContaining("list_exchanges"),
    });
    const unknown = await callTool(client, "get_ticker", { ...MARKET, limt: 5 });
    expect(errorOf(unknown)).toMatchObject({
      error: "Invalid request",
      message: "unknown field: limt",
    });
    expect(errorOf(await callTool(client, "get_strategy", { id: "grid-no" })).next).toContain(
      "list_strategies",
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
  const bearer = { authorization: `Bearer ${TOKENS.read}` };

  it.each<[string, Record<string, string>, number]>([
    ["a token that reads", bearer, 200],
    ["a token for agents", { authorization: `Bearer ${TOKENS.agent}` }, 200],
    ["no token", {}, 401],
    ["a wrong token", { authorization: `Bearer em_${canary("wrong")}` }, 401],
    ["another site's Host", { ...bearer, host: "evil.test" }, 403],
    ["another site's Origin", { ...bearer, origin: "https://evil.test" }, 403],
    ["plain text", { ...bearer, "content-type": "text/plain" }, 415],
  ])("responds to %s with its status", async (_what, over, status) => {
    const { ask } = await testApp();
    const response = await ask("/mcp", {
      method: "POST",
      headers: { ...headers, ...over },
      body: JSON.stringify(initialize),
    });
    expect(response.status).toBe(status);
  });

  it("rejects 65 KiB, a batch and other methods", async () => {
    const { ask } = await testApp();
    const post = (body: string) => ask("/mcp", { method: "POST", headers: { ...headers, ...bearer }, body });
    expect((await post(JSON.stringify({ ...initialize, x: "y".repeat(66_000) }))).status).toBe(413);
    expect((await post(JSON.stringify([initialize, initialize]))).status).toBe(400);
    const other = await ask("/mcp", { headers: bearer });
    expect([other.status, other.headers.get("allow")]).toEqual([405, "POST"]);
  });
});
