import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matchesLevel } from "../../src/engine/position/position.ts";
import { abs, type Decimal, mul, ONE, sum, text, wire, ZERO } from "../../src/kernel/decimal.ts";
import { meets, reachOf } from "../../src/model/order.ts";
import { avoidTakerLevels, type QuoteLevel, quoteLevelsOf } from "../../src/quote/levels.ts";
import { quoteNoticesOf } from "../../src/quote/pass/quoting.ts";
import {
  halfSpread,
  moveWithin,
  type QuoteRules,
  type QuoteView,
  quotePlan,
  realizedVolatility,
  reservationPrice,
  shareOfBase,
} from "../../src/quote/plan.ts";
import type { QuoteStrategy } from "../../src/quote/state.ts";
import { d, market } from "../support/grid.ts";

const MARKET = market({ tick: d("0.001"), lot: d("0.1"), minAmount: d("0.1"), minNotional: d("1") });
const fixed = (price: string) => ({
  source: "fixed",
  price: d(price),
  at: null,
  maxAge: 0,
  weight: ONE,
  collar: null,
});
const rules = (over: Partial<QuoteRules> = {}): QuoteRules => ({
  levels: 3,
  gap: d("0.005"),
  sizes: { model: "flat", size: d("50") },
  halfSpread: d("0.01"),
  volatilityFactor: d("2"),
  target: d("0.5"),
  strength: ZERO,
  mostSkew: d("0.05"),
  widest: d("0.1"),
  ...over,
});
const view = (over: Partial<QuoteView> = {}): QuoteView => ({
  now: 0,
  interval: 60_000,
  market: MARKET,
  sources: [fixed("1")],
  others: { bid: undefined, ask: undefined },
  inventory: d("1000"),
  freeBase: d("1000"),
  freeQuote: d("1000"),
  own: [],
  halted: false,
  defended: [],
  ...over,
});
const format = (levels: readonly QuoteLevel[]) =>
  levels.map(({ price, amount }) => `${text(amount)} at ${text(price)}`);

const levelsWorth = (levels: readonly Pick<QuoteLevel, "price" | "amount">[]) =>
  levels.reduce((sum, { price, amount }) => sum + mul(price, amount, "down"), 0n);

describe("a half-spread", () => {
  const request = { requested: d("0.002"), maker: d("0.001"), factor: d("2"), interval: 60_000 };

  it.each([
    ["what is asked", request, "0.002", "asked"],
    ["what pays both fees", { ...request, maker: d("0.003") }, "0.003", "fees"],
    [
      "what pays both fees, above what the price moves by",
      { ...request, maker: d("0.02"), volatility: { share: 0.003, over: 15_000 } },
      "0.02",
      "fees",
    ],
    ["a rebate does not narrow it", { ...request, maker: d("-0.01") }, "0.002", "asked"],
    [
      "what the price moves by",
      { ...request, volatility: { share: 0.003, over: 15_000 } },
      "0.012",
      "volatility",
    ],
    ["a calm market", { ...request, volatility: { share: 0.0001, over: 60_000 } }, "0.002", "asked"],
  ])("is the widest of its bounds: %s", (_name, given, share, because) => {
    const found = halfSpread(given);
    expect([text(found.share), found.because]).toEqual([share, because]);
  });

  it("grows with the root of the interval, and stays a valid share for any volatility", () => {
    const volatility = { share: 0.01, over: 60_000 };
    expect(text(moveWithin(volatility, 240_000))).toBe("0.02");
    for (const share of [Number.NaN, Number.POSITIVE_INFINITY, 1e300])
      expect(text(moveWithin({ share, over: 1 }, 60_000))).toBe("0.5");
  });

  it("never loses on a round trip at its prices", () => {
    const part = fc.integer({ min: 1, max: 200 });
    fc.assert(
      fc.property(part, part, fc.integer({ min: 100, max: 1_000_000 }), (wide, fee, price) => {
        const at = market({ ...MARKET, maker: BigInt(fee) * d("0.0001") });
        const { share } = halfSpread({ ...request, requested: BigInt(wide) * d("0.0001"), maker: at.maker });
        const reservation = BigInt(price) * d("0.01");
        const prices = { reference: reservation, reservation, halfSpread: share };
        const [bid, ask] = (["buy", "sell"] as const).map(
          (side) => quoteLevelsOf(side, rules({ levels: 1 }), { prices, market: at })[0]?.price ?? ZERO,
        ) as [Decimal, Decimal];
        expect(mul(ask, ONE - at.maker, "down") - mul(bid, ONE + at.maker, "up") >= -2n).toBe(true);
      }),
    );
  });

  it("is measured from unevenly spaced prices", () => {
    const prices = [
      { price: 100, at: 0 },
      { price: 101, at: 60_000 },
      { price: 101, at: 60_000 },
      { price: 99, at: 240_000 },
    ];
    const squares = Math.log(1.01) ** 2 + Math.log(99 / 101) ** 2;
    expect(realizedVolatility(prices, 60_000)?.share).toBeCloseTo(Math.sqrt(squares / 4), 12);
    expect(realizedVolatility([{ price: 1, at: 0 }], 60_000)).toBeUndefined();
    const jumping = [
      { price: 100, at: 0 },
      { price: 200, at: 0 },
      { price: 101, at: 60_000 },
      { price: 102, at: 5 },
    ];
    expect(realizedVolatility(jumping, 60_000)?.share).toBeCloseTo(Math.log(200 / 101), 12);
    const withZero = [
      { price: 0, at: 0 },
      { price: 100, at: 60_000 },
      { price: 101, at: 120_000 },
    ];
    expect(realizedVolatility(withZero, 60_000)?.share).toBeCloseTo(Math.log(1.01), 12);
    expect(
      realizedVolatility(
        withZero.toReversed().map(({ price }, at) => ({ price, at })),
        1,
      )?.share,
    ).toBeCloseTo(Math.log(1.01), 12);
  });
});

describe("a reservation price", () => {
  it("moves against excess inventory by the formula", () => {
    const lean = { target: d("0.5"), strength: d("0.1"), most: d("0.05") };
    expect(text(reservationPrice(d("2"), { ...lean, share: d("0.75") }))).toBe("1.95");
    expect(text(reservationPrice(d("2"), { ...lean, share: d("0.5") }))).toBe("2");
    expect(text(reservationPrice(d("2"), { ...lean, share: ZERO }))).toBe("2.1");
    expect(text(reservationPrice(d("2"), { ...lean, share: ONE, strength: d("9") }))).toBe("1.9");
    expect(text(reservationPrice(d("2"), { ...lean, share: null }))).toBe("2");
  });

  it("uses base's share of the inventory", () => {
    expect(shareOfBase(d("30"), d("10"), ONE)).toBe(d("0.75"));
    expect(shareOfBase(ZERO, ZERO, ONE)).toBeNull();
  });
});

describe("quote levels", () => {
  const prices = { reference: ONE, reservation: ONE, halfSpread: d("0.01") };

  it("start at the half-spread, then follow at a flat or growing gap", () => {
    const at = { prices, market: MARKET };
    expect(format(quoteLevelsOf("buy", rules(), at))).toEqual([
      "50.5 at 0.99",
      "50.7 at 0.985",
      "51 at 0.98",
    ]);
    const growing = rules({ sizes: { model: "growing", size: d("50"), factor: d("2") } });
    expect(format(quoteLevelsOf("sell", growing, at))).toEqual([
      "49.5 at 1.01",
      "98.5 at 1.015",
      "196 at 1.02",
    ]);
  });

  it("reach a depth within a distance, including the outermost level", () => {
    const sizes = { model: "depth", depth: d("500"), within: d("0.02") } as const;
    const bids = quoteLevelsOf("buy", rules({ sizes }), { prices, market: MARKET });
    expect(bids.map(({ price }) => text(price))).toEqual(["0.99", "0.985", "0.98"]);
    expect(levelsWorth(bids) >= d("500")).toBe(true);
  });

  const ticks = fc.constantFrom("0.001", "0.01", "0.1");
  it("reach the depth within the distance at any tick, never inside the half-spread", () => {
    const share = fc.integer({ min: 1, max: 150 }).map((part) => BigInt(part) * d("0.001"));
    fc.assert(
      fc.property(
        ticks,
        share,
        share,
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 5000 }),
        (tick, half, within, levels, price) => {
          const at = market({ ...MARKET, tick: d(tick) });
          const reference = BigInt(price) * ONE;
          const ladder = rules({ levels, sizes: { model: "depth", depth: d("500"), within } });
          for (const side of ["buy", "sell"] as const) {
            const laid = quoteLevelsOf(side, ladder, {
              prices: { reference, reservation: reference, halfSpread: half },
              market: at,
            });
            const away = laid.map((one) => abs(one.price - reference));
            expect(away.every((one) => one >= mul(reference, half, "down"))).toBe(true);
            expect(new Set(laid.map((one) => one.price)).size).toBe(laid.length);
            expect(laid.length > 0 || side === "buy").toBe(true);
            const nearest = away[0] ?? ZERO;
            if (laid.length === 0 || nearest > mul(reference, within, "down")) continue;
            expect(away.every((one) => one <= mul(reference, within, "up"))).toBe(true);
            expect(levelsWorth(laid) >= d("500")).toBe(true);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it("move off the other side of the market, one tick apart", () => {
    const expected = quoteLevelsOf("buy", rules({ gap: d("0.001") }), { prices, market: MARKET });
    const placed = avoidTakerLevels(expected, { bid: undefined, ask: d("0.985") }, MARKET);
    expect(placed.map(({ price }) => text(price))).toEqual(["0.984", "0.983", "0.982"]);
    expect(avoidTakerLevels(expected, { bid: undefined, ask: d("0.002") }, MARKET)).toHaveLength(1);
  });
});

describe("an open order", () => {
  const expected: QuoteLevel = { side: "buy", level: 0, price: ONE, amount: d("10") };
  const tolerance = { price: d("0.002"), amount: d("0.5") };

  it.each([
    ["0.998", "5", true],
    ["1.002", "10", true],
    ["1.0021", "10", false],
    ["1", "4.9", false],
  ])("at %s with %s left matches a required level: %s", (price, left, stands) => {
    expect(matchesLevel({ side: "buy", price: d(price), left: d(left) }, expected, tolerance)).toBe(stands);
    expect(matchesLevel({ side: "sell", price: d(price), left: d(left) }, expected, tolerance)).toBe(false);
  });
});

describe("a quote plan", () => {
  it("is empty without a reference, with a notice", () => {
    const plan = quotePlan(rules(), view({ sources: [] }));
    expect([plan.bids, plan.asks, plan.notices]).toEqual([[], [], ["no_reference"]]);
  });

  it.each([
    ["an empty book", {}],
    ["a book of one side", { bid: d("0.5") }],
    ["a crossed book", { bid: d("1.1"), ask: d("0.9") }],
    ["a locked book", { bid: ONE, ask: ONE }],
  ])("has two sides next to %s", (_name, others) => {
    const plan = quotePlan(rules(), view({ others: { bid: undefined, ask: undefined, ...others } }));
    expect([plan.bids.length, plan.asks.length, plan.notices]).toEqual([3, 3, []]);
  });

  it("has one side if funds run out, with a notice", () => {
    const plan = quotePlan(rules(), view({ freeQuote: d("60") }));
    // 60 less 50.5 · 0.99 · 1.001 leaves 9.955, and a bid with its fee takes 0.985 · 1.001.
    expect(format(plan.bids)).toEqual(["50.5 at 0.99", "10 at 0.985"]);
    expect(plan.cuts).toEqual([{ side: "buy", level: 2, because: "no_quote" }]);
    const none = quotePlan(rules(), view({ freeQuote: ZERO }));
    expect([none.bids.length, none.asks.length, none.notices]).toEqual([0, 3, ["one_sided"]]);
    expect(quotePlan(rules(), view({ halted: true })).notices).toEqual([]);
  });

  it("quotes all the same if the half-spread exceeds the depth's distance, with a notice", () => {
    const sizes = { model: "depth", depth: d("500"), within: d("0.005") } as const;
    const plan = quotePlan(rules({ sizes }), view());
    expect([plan.bids.length, plan.asks.length, plan.notices]).toEqual([1, 1, ["outside_depth"]]);
  });

  it("names the half-spread and the skew as the cause of orders outside the depth", () => {
    const quotes = { state: {}, config: { rules: {} } } as unknown as QuoteStrategy;
    const [notice] = quoteNoticesOf(quotes, { notices: ["outside_depth"], defended: [] });
    expect(notice?.message).toContain("the half-spread and the skew together exceed --within-percent");
  });

  it("has both notices if one side is outside the depth and the other has no funds", () => {
    const sizes = { model: "depth", depth: d("500"), within: d("0.005") } as const;
    expect(quotePlan(rules({ sizes }), view({ freeQuote: ZERO })).notices).toEqual([
      "one_sided",
      "outside_depth",
    ]);
    const none = quotePlan(rules({ sizes }), view({ freeQuote: ZERO, freeBase: ZERO }));
    expect(none.notices).toEqual(["nothing_quoted"]);
    // The price moves 0.5 % toward too much or too little base: the further side is 1.5 % away.
    const skewed = rules({ strength: d("0.01"), sizes: { ...sizes, within: d("0.012") } });
    for (const funds of [{ inventory: ZERO }, { freeQuote: ZERO }])
      expect(quotePlan(skewed, view(funds)).notices).toContain("outside_depth");
    // The nearest order at exactly the distance still counts.
    const edge = { sizes: { ...sizes, within: d("0.01") } };
    expect(quotePlan(rules(edge), view()).notices).toEqual([]);
  });

  it("follows the model within the bounds", () => {
    const avellaneda = { gamma: 0.5, sigma: 0.2, k: 60, horizon: 1 };
    const plan = quotePlan(rules({ avellaneda }), view({ inventory: d("2") }));
    expect(plan.widenedBy).toBe("model");
    expect(wire(plan.prices?.reservation ?? ZERO)).toBeCloseTo(0.96, 12);
  });

  const whole = (max: number, unit: string) => fc.integer({ min: 0, max }).map((n) => BigInt(n) * d(unit));
  const maybe = (most: number, unit: string) => fc.option(whole(most, unit), { nil: undefined });
  it("never crosses itself or others, overspends, or leaves its bounds", () => {
    const request = fc.record({
      levels: fc.integer({ min: 1, max: 20 }),
      gap: whole(50, "0.001"),
      halfSpread: fc.integer({ min: 1, max: 100 }).map((n) => BigInt(n) * d("0.001")),
      strength: whole(40, "0.1"),
      target: whole(10, "0.1"),
      mostBase: maybe(3000, "1"),
      leastBase: maybe(3000, "1"),
    });
    const observed = fc.record({
      bid: maybe(1200, "0.001"),
      ask: maybe(1200, "0.001"),
      base: whole(20_000, "0.1"),
      free: whole(20_000, "0.1"),
      own: fc.array(fc.tuple(fc.constantFrom("buy" as const, "sell" as const), whole(1200, "0.001")), {
        maxLength: 4,
      }),
    });
    fc.assert(
      fc.property(request, observed, (given, { bid, ask, base, free, own }) => {
        const others = { bid: bid || undefined, ask: ask || undefined };
        const resting = own.map(([side, price]) => ({ side, price, type: "limit" as const }));
        const funds = { inventory: base, freeBase: base, freeQuote: free, own: resting };
        const { bids, asks } = quotePlan(rules(given), view({ others, ...funds }));
        const bestBid = bids[0]?.price ?? ZERO;
        expect(asks.every(({ price }) => price > bestBid)).toBe(true);
        if (others.ask) expect(bids.every(({ price }) => price < (others.ask as Decimal))).toBe(true);
        if (others.bid) expect(asks.every(({ price }) => price > (others.bid as Decimal))).toBe(true);
        for (const one of [...bids, ...asks])
          expect(resting.some((other) => meets(reachOf({ ...one, type: "limit" }), other))).toBe(false);
        expect(sum(bids.map(({ price, amount }) => mul(price, amount, "up"))) <= free).toBe(true);
        const [bought, sold] = [sum(bids.map((one) => one.amount)), sum(asks.map((one) => one.amount))];
        expect(sold <= base).toBe(true);
        if (given.mostBase !== undefined && bids.length > 0)
          expect(base + bought <= given.mostBase).toBe(true);
        if (given.leastBase !== undefined && asks.length > 0)
          expect(base - sold >= given.leastBase).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
