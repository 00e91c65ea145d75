import { describe, expect, it } from "vitest";
import { parseConfig } from "../../../src/compose/config.ts";
import {
  createAgreementStore,
  createLiquidityStore,
  type LiquidityDeps,
} from "../../../src/liquidity/store/store.ts";
import type { McpSettings } from "../../../src/transport/mcp/plans.ts";
import { appOver, type Target } from "../../support/app.ts";
import { drivenApp } from "../../support/driven.ts";
import { appClient, callTool, errorOf } from "../../support/mcp.ts";
import { testSandbox } from "../../support/sandbox.ts";
import { startOf, starts } from "../../support/starts.ts";

const MARKET = { exchange: "kraken", symbol: "BTC/USDT" };
const GRID = { ...MARKET, lowerPrice: 57_000, upperPrice: 63_000, gridLevels: 6, orderSize: 50 };
const QUOTE = {
  ...MARKET,
  spreadPercent: 1,
  size: 50,
  baseBudget: 0.1,
  quoteBudget: 500,
  volatilityFactor: 0,
};

async function agent(strategies: McpSettings["strategies"] = undefined) {
  const settings = { trading: true, confirm: "plan", ...(strategies ? { strategies } : {}) } as const;
  const app = await drivenApp({ mcp: settings });
  return { ...app, ...(await actingIn(app)) };
}

/** The same where agreements are stored. */
async function agentWithAgreements() {
  const { context, deps } = await testSandbox();
  const [store, agreements] = [createLiquidityStore(context), createAgreementStore(context)];
  const app = await appOver({ ...deps, liquidity: { store, pairs: [], agreements } } as LiquidityDeps, {
    trading: true,
    confirm: "plan",
  });
  const call = (method: string, path: string, body: object) =>
    app.ask(`/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${app.tokens.admin}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  return { call, ...(await actingIn(app)) };
}

async function actingIn(app: Target) {
  const client = await appClient(app, "trade");
  const ask = (tool: string, input: object) => callTool(client, tool, { ...input });
  const act = async (tool: string, input: object) => {
    const shown = await ask(tool, input);
    const { planId } = shown.structuredContent as { planId: string };
    return (await ask(tool, { ...input, planId })).structuredContent as { id: string };
  };
  const limitsOf = async (tool: string, input: object) =>
    ((await ask(tool, input)).structuredContent as { preview: { limits: string[] } }).preview.limits;
  return { ask, act, limitsOf };
}

describe("an agent", () => {
  it.each<[string, object]>([
    ["stop_strategy", {}],
    ["stop_strategy", { sellBase: true }],
    ["pause_strategy", {}],
    ["resume_strategy", {}],
    ["edit_strategy", { config: { stopLossPrice: 0 } }],
    ["edit_strategy", { name: "mine" }],
  ])("cannot change a grid that a person started: %s %j", async (tool, over) => {
    const { ask, start, store } = await agent();
    const { id } = await start({ ...GRID, stopLossPrice: 50_000 });
    expect(errorOf(await ask(tool, { id, ...over }))).toMatchObject({
      error: "Forbidden",
      message: `${id} was started by admin, and agents can only change strategies that they started; a person can set EDGEMAKER_MCP_STRATEGIES=all`,
    });
    expect(await store.plans({ limit: 9 })).toEqual([]);
  });

  it.each(["stop_strategy", "pause_strategy", "resume_strategy", "edit_strategy"])(
    "cannot change quotes that a person started: %s",
    async (tool) => {
      const { ask, call } = await agent();
      const { id } = (await call<{ id: string }>("POST", ...startOf("quote", QUOTE))).body;
      const input = tool === "edit_strategy" ? { id, config: { spreadPercent: 2 } } : { id };
      expect(errorOf(await ask(tool, input))).toMatchObject({ error: "Forbidden" });
    },
  );

  it("cannot cancel an order of a strategy that a person started", async () => {
    const { ask, start, resting } = await agent();
    await start(GRID);
    const [order] = await resting();
    const one = { ...MARKET, id: order?.id };
    for (const [tool, input] of [
      ["cancel_order", one],
      ["cancel_all_orders", { exchange: "kraken" }],
    ] as const)
      expect(errorOf(await ask(tool, input)), tool).toMatchObject({ error: "Forbidden" });
  });

  it("cannot cancel an order that a person placed, but its own", async () => {
    const { ask, act, call, resting } = await agent();
    const order = { ...MARKET, side: "buy", type: "limit", amount: 0.01, price: 50_000 };
    const placed = (await call<{ order: { id: string } }>("POST", "/orders", order)).body.order;
    const message = `order ${placed.id} was made by admin, and agents can only change what they made; a person can set EDGEMAKER_MCP_STRATEGIES=all`;
    expect(errorOf(await ask("cancel_order", { ...MARKET, id: placed.id }))).toMatchObject({
      error: "Forbidden",
      message,
    });
    expect(errorOf(await ask("cancel_all_orders", { exchange: "kraken" }))).toMatchObject({ message });
    const { order: own } = (await act("create_order", {
      ...order,
      side: "sell",
      price: 70_000,
    })) as never as {
      order: { id: string };
    };
    await act("cancel_order", { ...MARKET, id: own.id });
    expect((await resting()).map(({ id }) => id)).toEqual([placed.id]);
  });

  it("cannot change or end an agreement that a person made, but its own", async () => {
    const { ask, act, call } = await agentWithAgreements();
    const terms = { markets: "kraken:BTC/USDT spread=2", counterparty: "Foundation" };
    expect((await call("POST", "/agreements", { agreement: "snek", ...terms })).status).toBe(200);
    for (const [tool, input] of [
      ["edit_agreement", { agreement: "snek", until: "none" }],
      ["edit_agreement", { agreement: "snek", markets: "kraken:BTC/USDT spread=9" }],
      ["edit_agreement", { agreement: "snek", until: "today" }],
      ["create_agreement", { agreement: "snek", ...terms }],
    ] as const)
      expect(errorOf(await ask(tool, input)), tool).toMatchObject({
        error: "Forbidden",
        message:
          "the agreement snek was made by admin, and agents can only change what they made; a person can set EDGEMAKER_MCP_STRATEGIES=all",
      });
    await act("create_agreement", { agreement: "own", ...terms });
    expect(await act("edit_agreement", { agreement: "own", until: "today" })).toMatchObject({
      agreement: "own",
    });
  });

  it("cannot give a strategy the name of a running one that a person started", async () => {
    const { ask, act, start, stop } = await agent();
    const { id } = await start({ ...GRID, name: "treasury" });
    const taken = {
      error: "Forbidden",
      message: `the name treasury was made by admin, and agents can only change what they made; a person can set EDGEMAKER_MCP_STRATEGIES=all`,
    };
    expect(errorOf(await ask(...starts("grid", { ...GRID, name: "treasury" })))).toMatchObject(taken);
    expect(errorOf(await ask(...starts("quote", { ...QUOTE, name: "treasury" })))).toMatchObject(taken);
    const own = await act(...starts("grid", { ...GRID, orderSize: 10, name: "mine" }));
    expect(errorOf(await ask("edit_strategy", { id: own.id, name: "treasury" }))).toMatchObject(taken);
    expect(await act("edit_strategy", { id: own.id, name: "other" })).toMatchObject({ name: "other" });
    await stop(id);
    await act("edit_strategy", { id: own.id, name: "treasury" });
  });

  it("can change its own strategies", async () => {
    const { act, grid } = await agent();
    const { id } = await act(...starts("grid", { ...GRID, stopLossPrice: 50_000 }));
    await act("pause_strategy", { id });
    await act("resume_strategy", { id });
    await act("edit_strategy", { id, config: { stopLossPrice: 0 } });
    await act("stop_strategy", { id });
    expect((await grid(id)).status).toBe("stopped");
  });
});

describe("a plan where agents can change all strategies", () => {
  const whose = (id: string) => `this changes a strategy of another caller: ${id} was started by admin`;

  it("names the owner and the protection that it removes", async () => {
    const { limitsOf, start } = await agent("all");
    const { id } = await start({ ...GRID, stopLossPrice: 50_000, takeProfitPrice: 70_000 });
    expect(await limitsOf("pause_strategy", { id })).toEqual([
      whose(id),
      "nothing new is placed until it is resumed",
      "until then, its stop price of 50000 USDT is not watched",
      "until then, its take-profit price of 70000 USDT is not watched",
    ]);
    expect(await limitsOf("edit_strategy", { id, config: { stopLossPrice: 0 } })).toContain(
      "it removes the stop price of 50000 USDT: the grid no longer sells its base there",
    );
    expect(await limitsOf("edit_strategy", { id, config: { stopLossPrice: 40_000 } })).toContain(
      "it lowers the stop price from 50000 to 40000 USDT",
    );
    expect(await limitsOf("edit_strategy", { id, config: { stopLossPrice: 55_000 } })).toEqual([
      whose(id),
      "it sells its base and stops at or below 55000",
      "it sells its base and stops at or above 70000",
    ]);
  });

  it("describes a resume as a resume", async () => {
    const { limitsOf, start, call } = await agent("all");
    const { id } = await start(GRID);
    await call("POST", `/strategies/${id}/pause`, {});
    expect(await limitsOf("resume_strategy", { id })).toEqual([whose(id), "it sells and buys again"]);
  });
});

it("agents' access to strategies is read from EDGEMAKER_MCP_STRATEGIES", () => {
  expect(parseConfig({}).mcp.strategies).toBe("own");
  expect(parseConfig({ EDGEMAKER_MCP_STRATEGIES: "all" }).mcp.strategies).toBe("all");
  expect(() => parseConfig({ EDGEMAKER_MCP_STRATEGIES: "mine" })).toThrow(/must be one of own, all/);
});
