import { describe, expect, it } from "vitest";
import * as z from "zod";
import { planAnswer } from "../../src/lifecycle/plan.ts";
import { holds, planHashOf } from "../../src/model/shown-plan.ts";
import {
  ownFacts,
  type PlanInputs,
  type PlannedOwnStrategy,
  planOwnStrategy,
  warningsOf,
} from "../../src/own/planned-start.ts";
import type { Declared, StrategyInput } from "../../src/ports/definition.ts";
import { aroundBook, bookLevel, MARKET, passOver } from "../support/declared.ts";
import { d } from "../support/grid.ts";
import { ACCOUNT, NOW, reportedOrder, TIMING } from "../support/made.ts";

const REQUEST = {
  exchange: "kraken",
  symbol: "BTC/USDT",
  baseBudget: d("5"),
  quoteBudget: d("1000"),
  options: { far: 7 },
} as const;

function planned(
  orders: (input: StrategyInput) => unknown,
  over: Partial<PlanInputs> = {},
  { budget = { base: d("5"), quote: d("1000") }, more = {}, request = {} } = {},
) {
  const definition = {
    name: "own",
    config: z.object({ far: z.number() }),
    ...more,
    orders: (input: StrategyInput) => orders(input) as Declared,
  };
  const inputs: PlanInputs = {
    account: ACCOUNT,
    market: MARKET,
    book: aroundBook("99.95", "100.05"),
    requested: {},
    open: [],
    balances: [
      { asset: "BTC", free: d("2"), used: d("1") },
      { asset: "USDT", free: d("300"), used: 0n },
    ],
    kept: { base: 0n, quote: 0n },
    killed: false,
    standings: passOver(undefined).bounds.standings,
    timing: TIMING,
    now: NOW,
    interval: 5000,
    ...over,
  };
  const plan = planOwnStrategy(definition, { ...REQUEST, ...request }, budget, inputs) as PlannedOwnStrategy;
  const base = {
    market: inputs.market,
    killed: inputs.killed,
    planHash: planHashOf(plan.shown),
    uses: plan.config.budget,
    warnings: warningsOf(plan, inputs),
  };
  return { plan, out: planAnswer(base, ownFacts(plan, inputs), { definition: "own", exchange: "kraken" }) };
}

const BUY = { id: "a", side: "buy", price: 90, size: 1 };
const SELL = { id: "b", side: "sell", price: 110, size: 1 };

describe("a preview of a strategy of one's own", () => {
  it("has its orders, those that are not placed, its budget and its loss", () => {
    const { out } = planned(() => [BUY, { ...SELL, size: 0.01 }, { ...SELL, id: "c", price: 99 }]);
    expect(out).toMatchObject({
      definition: "own",
      exchange: "kraken",
      symbol: "BTC/USDT",
      details: { kind: "strategy", config: { far: 7 } },
      uses: { base: "5", quote: "1000" },
      orders: [{ id: "a", side: "buy", price: "90", amount: "1" }],
      refused: [
        { id: "b", reason: "below_minimum", detail: "b is below the exchange's minimum" },
        { id: "c", reason: "would_take", detail: expect.stringContaining("c would be a taker order") },
      ],
      worstCase:
        "the strategy may spend all of 1000 USDT on BTC and sell all of 5 BTC; what it holds loses what the price loses",
      warnings: [],
    });
    expect(out.refused.map((one) => "slot" in one)).toEqual([false, false]);
  });

  it("passes the budget that is free, beside what other strategies need", () => {
    const free: string[] = [];
    const note = ({ free: { base, quote }, position }: StrategyInput) => {
      free.push(`${base} ${quote} ${position.averageCost}`);
      return [];
    };
    planned(note);
    planned(note, { kept: { base: d("0.5"), quote: d("100") } });
    planned(note, {}, { budget: { base: d("1"), quote: d("50") } });
    expect(free).toEqual(["2 300 100", "1.5 200 100", "1 50 100"]);
  });

  it("refuses an order that would fill against an open order of the account", () => {
    const open = [reportedOrder({ id: "x7", side: "sell", price: d("90") })];
    expect(planned(() => [BUY], { open }).out.refused).toEqual([
      { id: "a", reason: "would_self_cross", detail: "it could fill against order x7" },
    ]);
  });

  it("allows taker orders only if the definition does", () => {
    const taker = { ...BUY, price: 101 };
    expect(planned(() => [taker]).plan.config).not.toHaveProperty("postOnly");
    const { plan } = planned(() => [taker], {}, { more: { mayTake: true } });
    expect(plan).toMatchObject({ config: { postOnly: false }, orders: [{ id: "a" }], refused: [] });
  });

  it("allows a taker order only if the order, or else the definition, does", () => {
    const taker = { ...BUY, price: 101, size: 2 };
    const placed = (order: object, mayTake: boolean) =>
      planned(() => [order], {}, { more: { mayTake } }).plan;
    expect(placed({ ...taker, mayTake: false }, true).refused).toMatchObject([{ reason: "would_take" }]);
    expect(placed({ ...taker, mayTake: true }, false).refused).toEqual([]);
    // Its worst price is its own: 300 USDT pay for 2 at 101 and the fee, and not for 3.
    expect(placed({ ...taker, mayTake: true }, false).orders).toMatchObject([{ amount: d("2") }]);
    const capped = placed({ ...taker, size: 3, mayTake: true }, false).orders;
    expect(capped).toMatchObject([{ price: d("101"), amount: d("2.967") }]);
  });

  it("warns that the function fails, that the book has one side, and that the kill switch is on", () => {
    const boom = () => {
      throw new Error("boom");
    };
    const codes = (...args: Parameters<typeof planned>) =>
      planned(...args).out.warnings.map(({ code, message }) => `${code}: ${message}`);
    const book = { ...aroundBook("99", "101"), asks: [] };
    expect(codes(() => [])).toEqual([]);
    expect(codes(boom, { killed: true })).toEqual([
      "strategy_failed: boom",
      "killed: the kill switch is on: the start would be refused",
    ]);
    expect(codes(() => [], { book }).at(-1)).toBe(
      "no_book: the order book does not have two sides; try again when others quote both",
    );
    expect(planned(() => [], { book }).plan).toMatchObject({ mid: null, orders: [] });
    expect(planHashOf(planned(() => [], { book }).plan.shown)).toMatch(/^[0-9a-f]{32}$/);
  });

  it("takes the mid price of others", () => {
    const open = [reportedOrder({ price: d("99.5"), amount: d("10") })];
    const bids = [bookLevel("99.5"), bookLevel("99")];
    const { plan } = planned(() => [], { open, book: { ...aroundBook("99", "101"), bids } });
    expect(plan.mid).toBe(d("100"));
  });
});

describe("a plan holds", () => {
  const around = (mid: number) =>
    planned(() => [BUY], { book: aroundBook(`${mid - 0.05}`, `${mid + 0.05}`) });
  const hash = planHashOf(around(100).plan.shown);

  it("while the price has moved by at most 3 %, in both directions", () => {
    expect(hash).toMatch(/^[0-9a-f]{32}-100$/);
    const isHeld = (mid: number) => holds(around(mid).plan.shown, hash);
    expect([97, 100, 103, 96.99, 103.01].map(isHeld)).toEqual([true, true, true, false, false]);
  });

  it("if its orders have other amounts, but not with other ids or sides", () => {
    const bigger = planned(() => [{ ...BUY, size: 2, price: 89 }]).plan;
    const other = planned(() => [{ ...BUY, id: "z" }]).plan;
    const side = planned(() => [{ ...SELL, id: "a" }]).plan;
    expect([bigger, other, side].map(({ shown }) => holds(shown, hash))).toEqual([true, false, false]);
  });

  it("while the balances cover the same part of its budget", () => {
    const funds = (btc: string, usdt: string) =>
      planned(() => [BUY], {
        balances: [
          { asset: "BTC", free: d(btc), used: 0n },
          { asset: "USDT", free: d(usdt), used: 0n },
        ],
      }).plan.shown;
    const all = planHashOf(funds("6", "1100"));
    expect(
      [funds("5", "1000"), funds("4.9", "1000"), funds("5", "999")].map((shown) => holds(shown, all)),
    ).toEqual([true, false, false]);
  });

  it("while orders that fill at once cost at most 1 % more", () => {
    const at = (mid: number, order: object) =>
      planned(
        () => [order],
        { book: aroundBook(`${mid - 0.05}`, `${mid + 0.05}`) },
        { more: { mayTake: true } },
      ).plan.shown;
    const [buy, sell] = [
      { ...BUY, price: 110 },
      { ...SELL, price: 90 },
    ];
    const isHeld = (order: object) =>
      [97, 99, 101, 103].map((mid) => holds(at(mid, order), planHashOf(at(100, order))));
    expect(isHeld(buy)).toEqual([true, true, true, false]);
    expect(isHeld(sell)).toEqual([false, true, true, true]);
  });

  it("only with a price on both sides", () => {
    const { shown } = planned(() => [BUY], { book: { ...aroundBook("99", "101"), asks: [] } }).plan;
    expect([holds(shown, hash), holds(shown, planHashOf(shown))]).toEqual([false, true]);
  });

  it("on the same account and exchange and with the same config", () => {
    const at = (request: object) => planned(() => [BUY], {}, { request }).plan.shown;
    const first = planHashOf(at({}));
    const others = [{ dryRun: true }, { exchange: "mexc" }, { options: { far: 8 } }];
    expect(others.map((over) => holds(at(over), first))).toEqual([false, false, false]);
    expect(holds(at({ dryRun: false }), first)).toBe(true);
  });
});
