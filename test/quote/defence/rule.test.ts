import { describe, expect, it } from "vitest";
import { text, ZERO } from "../../../src/kernel/decimal.ts";
import { HOUR, SECOND } from "../../../src/kernel/time.ts";
import type { Side } from "../../../src/model/market.ts";
import type { MeasuredFill } from "../../../src/model/order.ts";
import { quoteKind } from "../../../src/quote/kind.ts";
import { quoteEvents } from "../../../src/quote/pass/quoting.ts";
import { type Defence, defendedSides, fillsForDefence } from "../../../src/quote/plan.ts";
import { newQuoteState, type QuoteStrategy } from "../../../src/quote/state.ts";
import { d, market } from "../../support/grid.ts";
import { fill, NOW, observedMarket, strategy, turn } from "../../support/made.ts";
import { configOf } from "../deeds.ts";

const WIDER: Defence = { ticks: 20, passes: 6 };
const NO_MIDS = { mid: null, mid1s: null, mid10s: null, mid1m: null, mid5m: null, mid1h: null };
const EVERY = 5 * SECOND;

/** A fill of one base at 100, whose mid 10 s later is far on the losing side, on the winning one, or unknown. */
const filled = (side: Side, at: number, result: "lost" | "won" | "unknown"): MeasuredFill => {
  const worse = side === "buy" ? "99" : "101";
  const better = side === "buy" ? "101" : "99";
  const mid10s = result === "unknown" ? null : d(result === "lost" ? worse : better);
  const of = { side, price: d("100"), amount: d("1"), notional: d("100"), superseded: false };
  return { ...fill(), ...NO_MIDS, ...of, at, mid10s, tradeId: `${side} ${at} ${result}` };
};
const lost = (side: Side, ...times: number[]) => times.map((at) => filled(side, at, "lost"));
const FIVE = [1, 2, 3, 4, 5].map((second) => second * SECOND);
const sides = (fills: readonly MeasuredFill[], at: number, defence: Defence | null = WIDER) =>
  defendedSides(defence ?? undefined, fills, { at, interval: EVERY });

describe("a side is defended", () => {
  it("after five measured fills that mostly lost money, as long as the user set", () => {
    const fills = lost("buy", ...FIVE);
    // The last fill at 5 s is measured by 20 s; six passes follow, at most until 50 s.
    expect([20, 49, 50].map((at) => sides(fills, at * SECOND))).toEqual([["buy"], ["buy"], ["buy"]]);
    expect(sides(fills, 50 * SECOND + 1)).toEqual([]);
    expect(sides(fills, 20 * SECOND, null)).toEqual([]);
  });

  it("again from each further fill that lost money, and not from one that earned", () => {
    const later = (result: "lost" | "won") => [...lost("sell", ...FIVE), filled("sell", 40 * SECOND, result)];
    expect(sides(later("lost"), 80 * SECOND)).toEqual(["sell"]);
    expect(sides(later("won"), 80 * SECOND)).toEqual([]);
    // One that earned neither begins nor ends it.
    expect(sides(later("won"), 49 * SECOND)).toEqual(["sell"]);
  });

  it("whatever the order of the fills, and on both sides at once if it moves them", () => {
    const fills = [...lost("sell", ...FIVE), ...lost("buy", ...FIVE)].reverse();
    expect(sides(fills, 20 * SECOND)).toEqual(["buy", "sell"]);
  });

  it("alone if it is paused: the one that was hit last", () => {
    const fills = [...lost("sell", ...FIVE), ...lost("buy", ...FIVE.map((at) => at + SECOND))];
    expect(sides(fills, 21 * SECOND, { ticks: "pause", passes: 6 })).toEqual(["buy"]);
  });

  it.each([
    ["four fills are measured", 20, [...lost("buy", 1, 2, 3, 4), filled("buy", 5, "unknown")]],
    [
      "most of the last five earned",
      20,
      [...lost("buy", 1, 2, 7), ...[4, 5, 6].map((at) => filled("buy", at, "won"))],
    ],
    ["the losses belong to two sides", 20, [...lost("buy", 1, 2, 3), ...lost("sell", 1, 2, 3)]],
    ["they are further apart than an hour", 3620, lost("buy", 1, 2, 3, 4, HOUR + 5)],
    [
      "they were booked before, from their order",
      20,
      lost("buy", 1, 2, 3, 4, 5).map((one) => ({ ...one, superseded: true })),
    ],
    ["the market's clock is behind them", 0, lost("buy", ...FIVE)],
  ])("not if %s", (_why, at, fills) => {
    expect(sides(fills, at * SECOND)).toEqual([]);
  });

  it("within an hour of losses", () => {
    expect(sides(lost("buy", 1, 2, 3, 4, HOUR), 3620 * SECOND)).toEqual(["buy"]);
  });
});

const MARKET = market({ tick: d("0.01"), lot: d("0.001"), minAmount: d("0.001"), minNotional: d("5") });
const level = (price: string) => ({ price: d(price), amount: d("10") });

/** Quotes at 100 with half a spread of 0.2, in a pass after five toxic buys. */
function passed(defence: Defence | undefined, id = "q", isRead = true) {
  const rules = { ...configOf(0).rules, strength: ZERO, defence };
  const weights = { ...configOf(0).weights, ...(isRead ? {} : { others: d("1") }) };
  const config = { ...configOf(0), rules, weights };
  const state = { ...newQuoteState(4, d("100")), base: d("5"), cost: d("500"), isFirstKnown: true, epoch: 1 };
  const quotes = {
    ...strategy({ phase: "active", status: "running" }),
    id: "q",
    kind: "quote",
    config,
    state,
  } as unknown as QuoteStrategy;
  const fills = lost("buy", ...FIVE.map((at) => NOW - 20 * SECOND + at)).map((one) => ({
    ...one,
    strategy: id,
  }));
  const book = isRead ? { bids: [level("99")], asks: [level("101")], at: NOW } : undefined;
  const prices = isRead ? [] : [{ source: "mexc", price: d("100"), at: NOW }];
  const elsewhere = { prices, requestedAt: NOW, bookAt: isRead ? NOW : NOW - 60 * SECOND };
  const observed = observedMarket({ market: MARKET, elsewhere, book, fills });
  return { before: quotes, ...quoteKind.run(quotes, [], { ...turn(), interval: EVERY, observed }) };
}
const prices = ({ intents = [] }: ReturnType<typeof passed>) =>
  intents.map(({ side, price }) => `${side} ${text(price)}`);

describe("a pass over quotes of which bids are picked off", () => {
  it("places them so many ticks further from the price, and asks as before", () => {
    expect(prices(passed(undefined))).toEqual(["buy 99.8", "sell 100.2"]);
    expect(prices(passed(WIDER))).toEqual(["buy 99.6", "sell 100.2"]);
  });

  it("does the same at the price of other sources while its own book cannot be read", () => {
    expect(prices(passed(undefined, "q", false))).toEqual(["buy 99.8", "sell 100.2"]);
    expect(prices(passed(WIDER, "q", false))).toEqual(["buy 99.6", "sell 100.2"]);
  });

  it("places none of them if they are paused, and reports why", () => {
    const { strategy: after, ...rest } = passed({ ticks: "pause", passes: 6 });
    expect(prices({ ...rest, strategy: after } as ReturnType<typeof passed>)).toEqual(["sell 100.2"]);
    expect(after?.state.refused).toEqual([{ slot: -1, reason: "defended" }]);
    expect(after?.state.notices).toEqual([
      {
        code: "defended",
        message:
          "bids are paused: most of their last fills lost money within 10 s; it ends 6 passes after the last such fill",
      },
    ]);
  });

  it("reports once that it begins, and that it is over", () => {
    const { before, strategy: after, events } = passed(WIDER);
    expect(events).toMatchObject([
      { kind: "notice", message: expect.stringContaining("bids are 20 ticks further") },
    ]);
    const defended = after as QuoteStrategy;
    expect(quoteEvents(defended, defended, NOW)).toEqual([]);
    expect(quoteEvents(defended, before, NOW)).toMatchObject([
      { kind: "recovered", message: "no side is defended any longer" },
    ]);
  });

  it("reports that both sides are quoted again if more than a defence is over", () => {
    const { before, strategy: after } = passed(WIDER);
    const had = { ...(after as QuoteStrategy) };
    const notices = [...had.state.notices, { code: "one_sided", message: "only one" } as const];
    expect(quoteEvents({ ...had, state: { ...had.state, notices } }, before, NOW)).toMatchObject([
      { kind: "recovered", message: "both sides are quoted again" },
    ]);
    // As long as one of them stays, nothing is over.
    expect(quoteEvents({ ...had, state: { ...had.state, notices } }, had, NOW)).toEqual([]);
  });

  it("does not use the fills of other quotes", () => {
    expect(prices(passed(WIDER, "other"))).toEqual(["buy 99.8", "sell 100.2"]);
  });
});

it("quotes read no fills without a defence, and a bounded number with one", () => {
  expect(fillsForDefence(undefined, EVERY)).toBeUndefined();
  expect(fillsForDefence(WIDER, EVERY)).toEqual({ within: 45 * SECOND, count: 100 });
});
