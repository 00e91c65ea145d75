import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it } from "vitest";
import { testApp } from "../../support/app.ts";
import { d } from "../../support/grid.ts";
import { appClient, callTool, errorOf } from "../../support/mcp.ts";
import { starts } from "../../support/starts.ts";

const MARKET = { exchange: "kraken", symbol: "BTC/USDT" };
const BUY = { ...MARKET, side: "buy", type: "limit", amount: 0.001, price: 50_000 };
const SELL = { ...MARKET, side: "sell", type: "limit", amount: 1.5, price: 57_000 };
const GRID = { ...MARKET, lowerPrice: 57_000, upperPrice: 63_000, gridLevels: 6, orderSize: 50 };

const most = (usdt: string, aDay?: string) => ({
  trading: true,
  confirm: "plan" as const,
  maxNotional: new Map([["USDT", d(usdt)]]),
  ...(aDay ? { maxNotionalPerDay: new Map([["USDT", d(aDay)]]) } : {}),
});
const open = async (mcp = most("500")) => {
  const app = await testApp({ realTime: false, mcp });
  return { app, client: await appClient(app, "trade") };
};
const planned = async (client: Client, name: string, input: object) =>
  (await callTool(client, name, input as never)).structuredContent as {
    planId: string;
    preview: { cost: string; worstCase: string; limits: string[] };
  };
const done = async (client: Client, name: string, input: object): Promise<CallToolResult> => {
  const shown = await callTool(client, name, input as never);
  if (shown.isError) return shown;
  const { planId } = shown.structuredContent as { planId: string };
  return callTool(client, name, { ...input, planId } as never);
};
const texts = ({ content }: CallToolResult): string[] =>
  content.map((part) => (part.type === "text" ? part.text : ""));

describe("an agent with a limit of 500 USDT", () => {
  it.each([
    ["a sell far below the market", { ...SELL, amount: 0.05, price: 55_000 }],
    ["a sell at a low price that counts 400 by itself", { ...SELL, amount: 0.0099, price: 54_500 }],
    ["a market sell", { ...MARKET, side: "sell", type: "market", amount: 0.05 }],
  ])("is refused %s beyond it", async (_name, order) => {
    const { client, app } = await open();
    const output = errorOf(await callTool(client, "create_order", order));
    expect(output).toMatchObject({
      error: "Forbidden",
      message: expect.stringMatching(/one plan can use at most 500/),
    });
    expect(await app.store.plans({ limit: 100 })).toEqual([]);
  });

  it("is refused a stop that sells more, and a smaller stop counts toward the limit", async () => {
    const { client, app } = await open(most("400", "2000"));
    const started = (await done(client, ...starts("grid", { ...GRID, useOwnBase: true })))
      .structuredContent as {
      id: string;
    };
    const stop = { id: started.id, sellBase: true };
    const { preview } = await planned(client, "stop_strategy", stop);
    expect(preview.cost).toMatch(
      /^0\.00\d+ BTC are sold, worth [\d.]+ USDT at the mid of [\d.]+; at once 0\.00\d+ BTC for [\d.]+ USDT, at [\d.]+ on average and [\d.]+ at worst, in the current order book/,
    );
    // What its open buys may bring before they are canceled is counted too.
    expect(preview.limits.join()).toMatch(/this could use 2\d\d\.\d+ USDT \(sell 0\.00\d+ BTC\) of the 400/);
    const bigger = await app.deps.store.strategies({ id: started.id });
    expect(bigger[0]?.strategy.id).toBe(started.id);
    const small = await appWith(app, "90");
    expect(errorOf(await callTool(small, "stop_strategy", stop)).message).toMatch(
      /one plan can use at most 90/,
    );
  });

  it("stays within it over thirty plans in a day, and continues on the next day", async () => {
    const { client, app } = await open();
    const order = { ...BUY, amount: 0.002 };
    let placed = 0;
    for (let plan = 0; plan < 30; plan++) if (!(await done(client, "create_order", order)).isError) placed++;
    expect(placed).toBe(5);
    expect(await app.venue("kraken").openOrders()).toHaveLength(5);
    const output = errorOf(await callTool(client, "create_order", order));
    expect(output.message).toMatch(/of the 500 that an agent's plans can use in one UTC day, 500 are used/);
    app.time.pass(24 * 3600_000);
    expect((await done(client, "create_order", order)).isError).toBeFalsy();
  });

  it("commits no more than the daily limit even if all plans were shown before", async () => {
    const { client, app } = await open();
    const order = { ...BUY, amount: 0.002 };
    const plans = await Promise.all(Array.from({ length: 30 }, () => planned(client, "create_order", order)));
    const all = await Promise.all(
      plans.map(({ planId }) => callTool(client, "create_order", { ...order, planId })),
    );
    expect(all.filter(({ isError }) => !isError)).toHaveLength(5);
    expect(await app.venue("kraken").openOrders()).toHaveLength(5);
  });

  it("receives the amount and price that a sell fills at once", async () => {
    const { client } = await open(most("1000000"));
    const { preview } = await planned(client, "create_order", { ...SELL, amount: 0.5, price: 59_900 });
    expect(preview.cost).toMatch(
      /^0\.5 BTC are sold, worth 300\d\d\.\d+ USDT at the mid, for at least 29920\.05 USDT after the fee; at once 0\.\d+ BTC for [\d.]+ USDT, at [\d.]+ on average/,
    );
  });

  it("receives a limit's refusal as the preview's error", async () => {
    const { client } = await open(most("1000000"));
    const output = errorOf(await callTool(client, "create_order", { ...BUY, price: 600_000 }));
    expect(output).toMatchObject({ error: "Forbidden", message: expect.stringMatching(/collarPercent/) });
  });
});

const appWith = async (app: Awaited<ReturnType<typeof testApp>>, usdt: string) => {
  const { appOver } = await import("../../support/app.ts");
  const deps = { ...app.deps, store: { ...app.deps.store, addToken: async () => undefined } };
  return appClient(await appOver(deps, most(usdt)), "trade");
};

describe("the text of a response", () => {
  it.each([
    ["get_ticker", MARKET],
    ["list_exchanges", {}],
    ["get_balance", { exchange: "kraken" }],
    ["compare_prices", { symbol: "BTC/USDT" }],
    ["get_kill_switch", {}],
  ])("for %s is the response itself, as JSON", async (name, input) => {
    const { client } = await open();
    const result = await callTool(client, name, input);
    expect(JSON.parse(texts(result)[0] ?? "")).toEqual(result.structuredContent);
  });

  it("for a plan contains everything that a person approves", async () => {
    const { client } = await open();
    const result = await callTool(client, "create_order", BUY);
    const [json = "", prose = ""] = texts(result);
    expect(JSON.parse(json)).toEqual(result.structuredContent);
    const { planId, preview } = result.structuredContent as {
      planId: string;
      preview: Record<string, string>;
    };
    for (const one of [planId, preview.what, preview.cost, preview.worstCase, ...(preview.limits ?? [])])
      expect(prose).toContain(one);
  });

  it("for a comparison contains its net result", async () => {
    const { client } = await open();
    const [, prose] = texts(await callTool(client, "compare_prices", { symbol: "BTC/USDT", amount: 0.1 }));
    expect(prose).toMatch(
      /^After fees, in the current order books: (no: |[\d.]+ BTC from \w+ to \w+: -?[\d.]+ USDT)/,
    );
    expect(prose).toMatch(/The full amount: 0\.1 BTC from \w+ to \w+: -?[\d.]+ USDT \(.*after fees of/);
  });
});

describe("a planId that is not a string", () => {
  it.each([[{}], [[]], [7], [true], [{ toString: 1 }]])("%j returns a tool error", async (planId) => {
    const { client, app } = await open();
    const output = errorOf(await callTool(client, "create_order", { ...BUY, planId }));
    expect(output).toMatchObject({ error: "Conflict", message: expect.stringMatching(/unknown/) });
    expect(await app.venue("kraken").openOrders()).toEqual([]);
  });
});
