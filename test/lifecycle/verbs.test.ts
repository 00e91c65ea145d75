import { describe, expect, it } from "vitest";
import twoSided from "../../examples/two-sided.ts";
import { kindsOf } from "../../src/engine/accounts.ts";
import { kindsWith } from "../../src/kinds.ts";
import { adminAsks, servedOver } from "../support/app.ts";
import { appClient, callTool } from "../support/mcp.ts";
import { testSandbox } from "../support/sandbox.ts";
import { startOf } from "../support/starts.ts";

const MARKET = { exchange: "kraken", symbol: "BTC/USDT" };
const BUDGET = { quoteBudget: 2000, baseBudget: 0.05 };
const STARTS = {
  grid: [
    "grid",
    { ...MARKET, lowerPrice: 58_000, upperPrice: 62_000, gridLevels: 4, orderSize: 100 },
    "keep",
  ],
  quote: ["quote", { ...MARKET, ...BUDGET, spreadPercent: 1, size: 100 }, "cancel"],
  "a user's strategy": ["two-sided", { ...MARKET, ...BUDGET, spreadPercent: 1, size: 100 }, "cancel"],
} as const;

interface Changed {
  readonly success: boolean;
  readonly message: string;
  readonly summary?: {
    readonly totalProfit: number | null;
    readonly base: string;
    readonly openOrders?: object[];
  };
}

/** A running strategy with open orders, and its verbs over HTTP or as an agent's tool. */
async function started(
  [definition, fields]: (typeof STARTS)[keyof typeof STARTS],
  surface: "http" | "agent",
) {
  const definitions = [twoSided];
  const box = await testSandbox({ speed: 1 });
  const deps = { ...box.deps, kinds: kindsOf(kindsWith(definitions)) };
  const app = servedOver(deps, { definitions, mcp: { trading: true, confirm: "plan", strategies: "all" } });
  const ask = adminAsks(app);
  const { id } = await ask<{ id: string }>("POST", ...startOf(definition, fields));
  const open = async () => (await box.venue("kraken").openOrders()).length;
  const client = await appClient(app, "admin");
  const verb = async (name: "pause" | "resume" | "stop", more: object = {}): Promise<Changed> => {
    if (surface === "http") return ask("POST", `/strategies/${id}/${name}`, more);
    const call = async (planId?: string) =>
      (await callTool(client, `${name}_strategy`, { id, ...more, ...(planId ? { planId } : {}) }))
        .structuredContent as unknown as Changed & { readonly planId: string };
    return call((await call()).planId);
  };
  for (let passes = 0; (await open()) === 0 && passes < 5; passes++) {
    box.time.pass(1000);
    await ask("POST", "/internal/tick", {});
  }
  const before = await open();
  expect(before).toBeGreaterThan(1);
  return { id, verb, open, before, ask };
}

describe.each(Object.entries(STARTS))("%s", (_what, start) => {
  const [, , onPause] = start;
  describe.each(["http", "agent"] as const)("over %s", (surface) => {
    it("is paused as its definition says, and says what becomes of its orders", async () => {
      const { id, verb, open, before } = await started(start, surface);
      const { success, message } = await verb("pause");
      expect([success, message]).toEqual([
        true,
        `${id} is paused: nothing new is placed, and ${onPause === "keep" ? `its ${before} open orders stay` : "its orders are canceled"}`,
      ]);
      expect(await open()).toBe(onPause === "keep" ? before : 0);
      expect(await verb("resume")).toMatchObject({ success: true, message: `${id} is resumed` });
      expect(await open()).toBe(before);
    });

    it("keeps or cancels its orders in a pause as the call says", async () => {
      const { verb, open, before } = await started(start, surface);
      expect((await verb("pause", { cancelOrders: false })).message).toContain(
        `its ${before} open orders stay`,
      );
      expect(await open()).toBe(before);
      expect((await verb("pause", { cancelOrders: true })).message).toContain("its orders are canceled");
      expect(await open()).toBe(0);
      await verb("resume");
      expect(await open()).toBe(before);
    });

    it("is stopped with a summary, once, with or without its orders", async () => {
      const kept = await started(start, surface);
      const left = await kept.verb("stop", { cancelOrders: false });
      expect(left.message).toMatch(/ is stopped; its open orders are yours now; /);
      expect(left.summary?.openOrders).toHaveLength(kept.before);
      expect(await kept.open()).toBe(kept.before);
      expect((await kept.verb("stop")).message).toBe(left.message);

      const canceled = await started(start, surface);
      const { message, summary } = await canceled.verb("stop");
      expect(message).toMatch(/ is stopped and has no orders left; total /);
      expect(summary).toMatchObject({ totalProfit: expect.any(Number), base: expect.any(String) });
      expect(await canceled.open()).toBe(0);
    });
  });
});

it("the stop of the specification stops a strategy of any kind", async () => {
  for (const start of Object.values(STARTS)) {
    const { id, ask, open } = await started(start, "http");
    expect(await ask("DELETE", "/strategy/grid", { id })).toMatchObject({
      success: true,
      id,
      status: "stopped",
    });
    expect(await open()).toBe(0);
  }
});
