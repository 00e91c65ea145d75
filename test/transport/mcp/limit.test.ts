import { describe, expect, it } from "vitest";
import { parseConfig } from "../../../src/compose/config.ts";
import { BY } from "../../support/by.ts";
import { drivenApp } from "../../support/driven.ts";
import { appClient, callTool, errorOf } from "../../support/mcp.ts";
import { runOperation } from "../../support/sandbox.ts";
import { starts } from "../../support/starts.ts";

const MARKET = { exchange: "kraken", symbol: "BTC/USDT" };
const ORDER = { ...MARKET, side: "buy", type: "limit", amount: 0.002, price: 50_000 };
const GRID = { ...MARKET, lowerPrice: 55_000, upperPrice: 65_000, gridLevels: 10, orderSize: 10 };

const CENTERED = (maxPosition: number) => starts("centered", { ...MARKET, levels: 2, size: 25, maxPosition });

async function agent(text = "USDT=100") {
  const { mcp } = parseConfig({ EDGEMAKER_MCP_TRADING: "1", EDGEMAKER_MCP_MAX_NOTIONAL: text });
  const app = await drivenApp({ mcp });
  const client = await appClient(app, "trade");
  return { ...app, client, ask: (tool: string, input: object) => callTool(client, tool, { ...input }) };
}

describe("a limit for agents' plans", () => {
  it.each<[string, object, object]>([
    ["create_order", ORDER, { amount: 0.00201 }],
    [...starts("grid", GRID), starts("grid", { ...GRID, orderSize: 11 })[1]],
    // Of 100,000 on the account: it buys again wherever the market takes it.
    [...CENTERED(0.001), CENTERED(0.0011)[1]],
  ])("%s shows it when it is met, and is refused beyond it", async (tool, input, more) => {
    const { ask, store } = await agent();
    const { structuredContent } = await ask(tool, input);
    expect(structuredContent).toMatchObject({
      preview: {
        limits: expect.arrayContaining([
          expect.stringMatching(/^this could use 100 USDT( \(.*\))? of the 100 that one plan can use$/),
        ]),
      },
    });
    expect(errorOf(await ask(tool, { ...input, ...more }))).toMatchObject({
      error: "Forbidden",
      message: expect.stringMatching(/could use 1\d\d\.?\d* USDT( \(.*\))?; one plan can use at most 100/),
    });
    expect(await store.plans({ limit: 100 })).toHaveLength(1);
  });

  it("refuses a plan in a quote without a limit", async () => {
    const { ask } = await agent("USD=100");
    expect(errorOf(await ask("create_order", ORDER)).message).toContain("no budget for it");
  });

  it("does not apply to paper trading", async () => {
    const { ask, deps } = await agent("USDT=1");
    const planned = await ask(...starts("grid", { ...GRID, dryRun: true }));
    expect(planned.structuredContent).toMatchObject({
      preview: { limits: expect.arrayContaining(["minimum order: 5 USDT"]) },
    });
    // It needs no approval.
    expect(await runOperation(deps, "list_plans", {})).toMatchObject({ count: 0, plans: [] });
  });

  it.each(["USDT", "USDT=", "usdt=5", "USDT=1e3", "USDT=1.2.3"])("cannot be set to %s", (text) => {
    expect(() => parseConfig({ EDGEMAKER_MCP_MAX_NOTIONAL: text })).toThrow(
      /EDGEMAKER_MCP_MAX_NOTIONAL must be QUOTE=amount/,
    );
  });
});

it("a plan to resume or to sell warns that the kill switch is on", async () => {
  const { ask, store } = await agent("");
  const { planId } = (await ask(...starts("grid", GRID))).structuredContent as { planId: string };
  const { id } = (await ask(...starts("grid", { ...GRID, planId }))).structuredContent as { id: string };
  await store.setPaused(id, { keepOrders: true }, BY);
  await store.setKill(true, BY);
  for (const [tool, input] of [
    ["resume_strategy", { id }],
    ["stop_strategy", { id, sellBase: true }],
  ] as const)
    expect((await ask(tool, input)).structuredContent).toMatchObject({
      preview: { limits: expect.arrayContaining([expect.stringContaining("kill switch")]) },
    });
});
