import { describe, expect, it } from "vitest";
import { runPassNow } from "../../src/engine/pass/round.ts";
import { createOperations } from "../../src/operations.ts";
import { d } from "../support/grid.ts";
import { EXCHANGES } from "../support/sandbox.ts";
import { startedOfEach } from "./started.ts";

interface Status {
  readonly [field: string]: unknown;
  readonly totalProfit: string;
  readonly profit: string;
  readonly unrealizedProfit: string;
  readonly openOrders: number;
  readonly orders: readonly { readonly id: string; readonly side: string }[];
  readonly notices: readonly { readonly code: string }[];
  readonly details: Readonly<Record<string, unknown>>;
}

/** Where the status of any strategy has the fields of the specification's status of a grid; the others are called alike. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  dryRun: "mode",
  markPrice: "price",
  investment: "capital",
  refused: "waiting",
  fees: "feesPaid",
  feesValue: "feesPaid",
};

/** Fields that are for the operator, or that other fields say. */
const LEFT_OUT = [
  // `doctor --cost` and the metrics have them.
  "cost",
  "lastStepBy",
  // Each fill has its fees.
  "feesEstimated",
  // A position below one lot.
  "dust",
  // `lastError` and `waiting` say what differs.
  "unexplained",
];

const getStrategy = createOperations(EXCHANGES).find(({ name }) => name === "get_strategy");
const linesOf = (answer: unknown) => getStrategy?.cli?.view?.(answer) as Readonly<Record<string, string>>;

describe("the status of a strategy", () => {
  it("has the same fields for every kind, the open orders of the exchange, and one part of its own", async () => {
    const { ask, ids, venue } = await startedOfEach();
    const names = Object.keys(ids) as (keyof typeof ids)[];
    const all = await Promise.all(names.map((name) => ask<Status>("get_strategy", { id: ids[name] })));
    expect(new Set(all.map((one) => Object.keys(one).join())).size).toBe(1);
    const [grid, quote, own, paper] = all as [Status, Status, Status, Status];
    expect(grid.details).toMatchObject({ kind: "grid", gridLevels: 4, centered: false, cycles: 0 });
    expect(grid.details.slots).toHaveLength(4);
    expect(quote.details).toMatchObject({ kind: "quote", spreadPercent: 1, levels: 1 });
    expect(own.details).toMatchObject({
      kind: "strategy",
      config: { spreadPercent: 2, size: 100 },
      state: null,
    });
    expect(own.orders.map(({ id, side }) => `${id} ${side}`)).toEqual(["bid buy", "ask sell"]);
    expect(paper).toMatchObject({ mode: "paper", details: { kind: "quote" } });
    const open = await venue("kraken").openOrders("BTC/USDT");
    expect(grid.orders.length + own.orders.length).toBe(open.length);
    for (const one of all) {
      expect(one.orders).toHaveLength(one.openOrders);
      expect(d(one.profit) + d(one.unrealizedProfit)).toBe(d(one.totalProfit));
    }
  });

  it("has the stop prices with their distance, and why orders wait, as sentences", async () => {
    const { ask, ids } = await startedOfEach();
    const { stopPrices, waiting } = await ask<Status>("get_strategy", { id: ids.grid });
    expect(stopPrices).toEqual([
      { reason: "stop_loss", price: "50000", distancePercent: expect.any(Number), armed: true },
    ]);
    for (const wait of waiting as readonly { detail: string }[]) expect(wait.detail).toMatch(/\w+ \w+/);
  });

  it("has what the specification's status of a grid has", async () => {
    const { ask, ids } = await startedOfEach();
    const { strategies } = await ask<{ strategies: Readonly<Record<string, unknown>>[] }>("get_grid_status", {
      id: ids.grid,
    });
    const { details, ...status } = await ask<Status>("get_strategy", { id: ids.grid });
    const all: Readonly<Record<string, unknown>> = { ...details, ...status };
    const [grid = {}] = strategies;
    const named = Object.keys(grid).filter((field) => !LEFT_OUT.includes(field));
    const missing = named.filter((field) => !Object.hasOwn(all, ELSEWHERE[field] ?? field));
    expect(missing).toEqual([]);
    for (const field of named.filter((one) => typeof grid[one] === "number"))
      expect([field, Number(all[ELSEWHERE[field] ?? field])]).toEqual([field, grid[field]]);
  });

  it("is found by its name, and reports that there is none", async () => {
    const { ask, ids } = await startedOfEach();
    expect(await ask("get_strategy", { id: "desk" })).toMatchObject({ id: ids.quote });
    await expect(ask("get_strategy", { id: "none-1" })).rejects.toThrow("there is no strategy none-1");
  });

  it("ends a command with code 3 while it is stalled, whatever its kind", async () => {
    const { deps, time, ask, ids } = await startedOfEach();
    const { exit, without } = getStrategy?.cli ?? {};
    const codes = () =>
      Promise.all(Object.values(ids).map(async (id) => exit?.(await ask("get_strategy", { id }))));
    expect(await codes()).toEqual([0, 0, 0, 0]);
    expect(without?.cli?.exit?.(await ask("list_strategies"))).toBe(0);
    time.pass(10 * 60_000);
    expect(await codes()).toEqual([3, 3, 3, 3]);
    expect(without?.cli?.exit?.(await ask("list_strategies"))).toBe(3);
    await runPassNow(deps, deps.venue("mexc"));
    const quote = await ask<Status>("get_strategy", { id: ids.quote });
    expect([quote.stalled, exit?.(quote)]).toEqual([false, 0]);
  });

  it("shows people the lines of its kind between those of all", async () => {
    const { ask, ids } = await startedOfEach();
    const shown = async (id: string) => linesOf(await ask("get_strategy", { id }));
    expect(await shown(ids.grid)).toMatchObject({
      strategy: ids.grid,
      definition: "grid",
      market: "BTC/USDT on kraken",
      range: "57000 – 63000, 4 slots of 100 USDT",
      stops: expect.stringMatching(/^stop loss at 50000, [\d.]+ % below the price, armed$/),
    });
    expect(await shown(ids.quote)).toMatchObject({
      strategy: `desk (${ids.quote})`,
      definition: "quote",
      bids: expect.stringContaining(" at "),
      holds: expect.stringMatching(/^0\.05 BTC at /),
    });
    expect(await shown(ids.own)).toMatchObject({ config: "spreadPercent 2, size 100" });
    expect(await shown(ids.paper)).toMatchObject({ market: "BTC/USDT on kraken (paper trading)" });
  });
});
