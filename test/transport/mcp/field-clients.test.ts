import { describe, expect, it } from "vitest";
import { testApp } from "../../support/app.ts";
import { appClient, callTool, errorOf, textOf } from "../../support/mcp.ts";

const MARKET = { exchange: "kraken", symbol: "BTC/USDT" };
const ORDER = { ...MARKET, side: "buy", type: "limit", amount: 0.001, price: 50_000 };
const AS_TEXT = { ...ORDER, amount: "0.0010", price: "50000" };
const GRID = { ...MARKET, lowerPrice: 55_000, upperPrice: 66_000, gridLevels: 4, orderSize: 100 };

const open = async (mcp: object = { trading: true, confirm: "plan" }) => {
  const app = await testApp({ mcp: mcp as never });
  return { app, client: await appClient(app, "trade") };
};

describe("arguments", () => {
  it("accept numbers and flags as text, and null for optional fields", async () => {
    const { client } = await open();
    const book = async (over: object) => {
      const result = await callTool(client, "get_orderbook", { ...MARKET, ...over });
      expect(result.isError, textOf(result)).toBeFalsy();
      return (result.structuredContent as { bids: object[] }).bids.length;
    };
    expect([await book({ limit: "5" }), await book({ limit: null })]).toEqual([5, 10]);
    const grid = {
      gridLevels: "4",
      lowerPrice: "55000.0",
      useOwnBase: "true",
      name: null,
      trail: '{"up":70000}',
    };
    const result = await callTool(client, "preview_grid", { ...GRID, ...grid });
    expect(result.isError, textOf(result)).toBeFalsy();
    expect(result.structuredContent).toMatchObject({ slots: { length: 4 } });
  });

  it("as text commit the plan that the same numbers previewed", async () => {
    const { app, client } = await open();
    const shown = await callTool(client, "create_order", { ...AS_TEXT, planId: null });
    const { planId } = shown.structuredContent as { planId: string };
    const done = await callTool(client, "create_order", { ...ORDER, planId });
    expect(done.isError, textOf(done)).toBeFalsy();
    expect(await app.venue("kraken").openOrders()).toHaveLength(1);
  });

  it.each([
    ["amount", "ten", "amount must be a number, not text"],
    ["amount", "1,000", "amount must be a number, not text"],
    ["amount", "0.12345678901234567", "amount must be a number, not text"],
    ["amount", "", "amount must be a number, not text"],
    ["amount", null, "amount must be a number, not null"],
    ["amount", true, "amount must be a number, not true or false"],
    ["price", ["50000"], "price must be a number, not a list"],
    ["price", {}, "price must be a number, not an object"],
    ["symbol", 5, "symbol must be text, not a number"],
  ])("refuse %s %j and name the type", async (field, value, message) => {
    const { client } = await open();
    const refused = errorOf(await callTool(client, "create_order", { ...ORDER, [field]: value }));
    expect(refused.message).toBe(message);
  });

  it("keep the sentence of a field whose value has the right type", async () => {
    const { client } = await open();
    const message = async (over: object) =>
      errorOf(await callTool(client, "create_order", { ...ORDER, ...over })).message;
    expect(await message({ amount: "-1" })).toMatch(/^must be a positive number/);
    expect(await message({ side: 1 })).toBe("must be buy or sell");
    expect(errorOf(await callTool(client, "get_orderbook", { ...MARKET, limit: "1.5" })).message).toMatch(
      /^must be a whole number from 1 to 100/,
    );
  });

  it("name the type in a body over HTTP too, where text is not a number", async () => {
    const { app } = await open();
    const response = await app.ask("/api/v1/orders", {
      method: "POST",
      headers: { authorization: `Bearer ${app.tokens.trade}`, "content-type": "application/json" },
      body: JSON.stringify(AS_TEXT),
    });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: "Invalid amount", message: "amount must be a number, not text" },
    ]);
  });
});
