import { describe, expect, it } from "vitest";
import { startedOfEach } from "./started.ts";

interface Listed {
  readonly strategies: readonly Readonly<Record<string, unknown>>[];
  readonly count: number;
  readonly totals: readonly Readonly<Record<string, unknown>>[];
  readonly next: string | null;
}

const idsOf = ({ strategies }: Listed) => strategies.map(({ id }) => id);

describe("the list of strategies", () => {
  it("has one row of each kind, with the same fields", async () => {
    const { ask, ids, venue } = await startedOfEach();
    const { strategies, count } = await ask<Listed>("list_strategies");
    expect(count).toBe(4);
    expect(strategies.map(({ id, definition, mode }) => [id, definition, mode])).toEqual([
      [ids.grid, "grid", "simulated"],
      [ids.quote, "quote", "simulated"],
      [ids.own, "two-sided", "simulated"],
      [ids.paper, "quote", "paper"],
    ]);
    expect(new Set(strategies.map((row) => Object.keys(row).join())).size).toBe(1);
    const [grid, quote, own] = strategies;
    expect([grid?.capital, quote?.capital, own?.capital]).toEqual([
      400,
      expect.closeTo(4000, -2),
      expect.closeTo(4000, -2),
    ]);
    const open = await venue("kraken").openOrders("BTC/USDT");
    expect(Number(grid?.openOrders) + Number(own?.openOrders)).toBe(open.length);
    expect(quote?.openOrders).toBe((await venue("mexc").openOrders("BTC/USDT")).length);
  });

  it.each([
    [{ definition: "grid" }, ["grid"]],
    [{ definition: "quote" }, ["quote", "paper"]],
    [{ definition: "two-sided" }, ["own"]],
    [{ definition: "strategy" }, ["own"]],
    [{ definition: "none" }, []],
    [{ exchange: "mexc" }, ["quote"]],
    [{ symbol: "ETH/USDT" }, []],
    [{ mode: "paper" }, ["paper"]],
    [{ mode: "simulated", exchange: "kraken" }, ["grid", "own"]],
    [{ status: "running" }, ["grid", "quote", "own", "paper"]],
    [{ status: "stopped" }, []],
  ] as const)("has only those that match %j", async (filter, names) => {
    const { ask, ids } = await startedOfEach();
    expect(idsOf(await ask<Listed>("list_strategies", filter))).toEqual(names.map((name) => ids[name]));
  });

  it("has stopped ones of every kind on request, in pages that a filter leaves full", async () => {
    const { ask, ids } = await startedOfEach();
    await ask("stop_strategy", { id: ids.quote });
    await ask("stop_strategy", { id: ids.grid });
    await ask("stop_strategy", { id: ids.own });
    expect(idsOf(await ask<Listed>("list_strategies"))).toEqual([ids.paper]);
    const newest = [ids.own, ids.quote, ids.grid];
    expect(idsOf(await ask<Listed>("list_strategies", { status: "stopped" }))).toEqual(newest);
    const first = await ask<Listed>("list_strategies", { stopped: true, limit: 2, exchange: "kraken" });
    expect(idsOf(first)).toEqual([ids.paper, ids.own]);
    const { next: before } = first;
    const second = await ask<Listed>("list_strategies", {
      stopped: true,
      limit: 2,
      exchange: "kraken",
      before,
    });
    expect([idsOf(second), second.next]).toEqual([[ids.grid], null]);
    const all = await ask<Listed>("list_strategies", { stopped: true });
    expect(all).toMatchObject({ count: 4, next: null });
  });

  it("has totals by quote asset and mode that are the sums of its rows", async () => {
    const { ask } = await startedOfEach();
    const { strategies, totals } = await ask<Listed>("list_strategies");
    expect(totals).toMatchObject([
      { quote: "USDT", mode: "simulated", count: 3 },
      { quote: "USDT", mode: "paper", count: 1 },
    ]);
    const simulated = strategies.filter(({ mode }) => mode === "simulated");
    for (const field of ["totalProfit", "profit", "capital", "holdingProfit"]) {
      const sum = simulated.reduce((total, row) => total + Number(row[field]), 0);
      expect([field, totals[0]?.[field]]).toEqual([field, expect.closeTo(sum, 6)]);
    }
  });
});
