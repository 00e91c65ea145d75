import { describe, expect, it } from "vitest";
import { ONE, text } from "../../../src/kernel/decimal.ts";
import { HOUR, MINUTE } from "../../../src/kernel/time.ts";
import type { Order } from "../../../src/model/order.ts";
import { type QuoteLadder, type QuoteLevel, quoteLevelsOf } from "../../../src/quote/levels.ts";
import {
  addRecentPrice,
  beyondInventory,
  compareSide,
  lastQuoted,
  misplacedToCancel,
} from "../../../src/quote/pass/quoting.ts";
import { freeSlots } from "../../../src/quote/pass/run.ts";
import { requestedElsewhere, votersOf } from "../../../src/quote/pass/sources.ts";
import { slotsFor } from "../../../src/quote/state.ts";
import { d, market } from "../../support/grid.ts";
import { bounds, NOW, order } from "../../support/made.ts";

describe("levels at prices between two ticks", () => {
  const MARKET = market({ tick: d("0.001"), lot: d("0.1"), minAmount: d("0.1"), minNotional: d("1") });
  const laid = (side: "buy" | "sell", ladder: Partial<QuoteLadder>, over: object = {}) =>
    quoteLevelsOf(
      side,
      { levels: 3, gap: d("0.0051"), sizes: { model: "flat", size: d("50") }, ...ladder },
      {
        prices: { reference: d("1.0003"), reservation: d("1.0003"), halfSpread: d("0.01"), ...over },
        market: MARKET,
      },
    ).map(({ price, amount }) => `${text(amount)} at ${text(price)}`);

  it("are rounded away from the price", () => {
    // 1.0003 · 0.99 is 0.990297, and a gap is 0.00510153.
    expect(laid("buy", {})).toEqual(["50.5 at 0.99", "50.8 at 0.984", "51 at 0.979"]);
    expect(laid("sell", {})).toEqual(["49.4 at 1.011", "49.1 at 1.017", "48.9 at 1.022"]);
    // A gap below the tick.
    expect(laid("buy", { gap: d("0.0001") })).toEqual(["50.5 at 0.99", "50.5 at 0.989", "50.6 at 0.988"]);
    expect(laid("sell", { gap: 0n })).toEqual(["49.4 at 1.011", "49.4 at 1.012", "49.3 at 1.013"]);
  });

  it("are never nearer than the half-spread, not even by the last digit", () => {
    // 0.5 more or less 0.5 · 10⁻¹⁸.
    const tiny = { reservation: d("0.5"), halfSpread: 1n };
    expect(laid("buy", { levels: 1 }, tiny)).toEqual(["100.2 at 0.499"]);
    expect(laid("sell", { levels: 1 }, tiny)).toEqual(["99.8 at 0.501"]);
  });

  it("are rounded toward the price within a depth, so that they count, and their amounts up", () => {
    const sizes = { model: "depth", depth: d("500"), within: d("0.0195") } as const;
    const prices = { reference: ONE, reservation: ONE, halfSpread: d("0.0095") };
    // From 0.9905 to 0.9805, and 166.7 at each.
    expect(laid("buy", { sizes }, prices)).toEqual(["168.4 at 0.99", "169.1 at 0.986", "169.9 at 0.981"]);
    expect(laid("sell", { sizes }, prices)).toEqual(["165.1 at 1.01", "164.4 at 1.014", "163.6 at 1.019"]);
    // Fewer levels than requested have room in 0.5 %, and share the whole depth.
    const narrow = { ...sizes, within: d("0.01") };
    expect(laid("buy", { sizes: narrow }, prices)).toEqual(["505.1 at 0.99"]);
  });

  it("are within the distance of a depth to the last digit", () => {
    // The distance ends half of 10⁻¹⁸ before 0.49 and 0.51.
    const sizes = { model: "depth", depth: d("100"), within: d("0.02") - 1n } as const;
    const prices = { reference: d("0.5"), reservation: d("0.5"), halfSpread: d("0.01") };
    expect(laid("buy", { sizes, levels: 2 }, prices)).toEqual(["101.1 at 0.495", "101.9 at 0.491"]);
    expect(laid("sell", { sizes, levels: 2 }, prices)).toEqual(["99.1 at 0.505", "98.3 at 0.509"]);
  });

  it("have at least the exchange's minimum, whatever their size", () => {
    expect(laid("buy", { sizes: { model: "flat", size: d("0.5") }, levels: 1 })).toEqual(["1.1 at 0.99"]);
  });
});

const level = (price: string, amount = "1"): QuoteLevel => ({
  side: "buy",
  level: 0,
  price: d(price),
  amount: d(amount),
});
const bid = (price: string, over: Partial<Order> = {}): Order =>
  order({ side: "buy", price: d(price), amount: d("1"), clientId: price, ...over });
const TOLERANCE = { price: d("0.01"), amount: d("0.5") };

describe("open orders and the levels that are planned", () => {
  const compared = (levels: readonly QuoteLevel[], orders: readonly Order[]) => {
    const { kept, misplaced, lacking } = compareSide("buy", levels, orders, TOLERANCE);
    return [kept.map(({ clientId }) => clientId), misplaced.map(({ clientId }) => clientId), lacking.length];
  };

  it("match one to one, each level with the nearest order", () => {
    expect(compared([level("100")], [bid("99.2"), bid("100.5"), bid("99.1")])).toEqual([
      ["100.5"],
      ["99.2", "99.1"],
      0,
    ]);
    expect(compared([level("100"), level("99.5")], [bid("99.5")])).toEqual([["99.5"], [], 1]);
    expect(compared([level("100")], [bid("98.99")])).toEqual([[], ["98.99"], 1]);
  });

  it("match by what is left of an order on their side that is not over", () => {
    expect(compared([level("100")], [bid("100", { filled: d("0.5") })])).toEqual([["100"], [], 0]);
    expect(compared([level("100")], [bid("100", { filled: d("0.51") })])).toEqual([[], ["100"], 1]);
    expect(
      compared([level("100")], [bid("100", { side: "sell" }), bid("100", { state: "canceled" })]),
    ).toEqual([[], [], 1]);
  });

  it("leave the nearest harmless order until another one of its side is open or placed", () => {
    const going = (
      kept: readonly Order[],
      misplaced: readonly Order[],
      placed = 0,
      levels = [level("100")],
    ) => misplacedToCancel({ kept, misplaced, lacking: [] }, levels, placed).map(({ clientId }) => clientId);
    const [near, far, above] = [bid("98"), bid("95"), bid("101")];
    expect(going([], [above, far, near])).toEqual(["101", "95"]);
    expect(going([], [bid("100")])).toEqual([]);
    expect(going([], [above])).toEqual(["101"]);
    expect(going([bid("100")], [near])).toEqual(["98"]);
    expect(going([], [near], 1)).toEqual(["98"]);
    expect(going([], [near], 0, [])).toEqual(["98"]);
    const asks = [bid("102", { side: "sell" }), bid("99", { side: "sell" })];
    expect(going([], asks)).toEqual(["99"]);
  });
});

describe("the open orders beyond a bound of the inventory", () => {
  const bid = (price: string, over: Partial<Order> = {}) =>
    order({ price: d(price), amount: d("2"), ...over });

  it("are those with the least chance to fill", () => {
    const [near, far, ask] = [bid("99"), bid("98"), order({ side: "sell", price: d("101"), amount: d("2") })];
    expect(beyondInventory("buy", [far, ask, near], d("2"))).toEqual([far]);
    expect(beyondInventory("buy", [far, near], d("1.9"))).toEqual([near, far]);
    expect(beyondInventory("sell", [near, ask], d("2"))).toEqual([]);
  });

  it("count what has filled until it is booked, because the inventory lacks it", () => {
    const filled = { filled: d("1.5") };
    expect(beyondInventory("buy", [bid("99", filled)], d("1"))).toHaveLength(1);
    expect(beyondInventory("buy", [bid("99", { ...filled, booked: d("1.5") })], d("1"))).toEqual([]);
  });
});

describe("the slots of a side", () => {
  it("are free without an order, and wait after a refusal until its time", () => {
    const slots = slotsFor(2).map((slot) => ({
      ...slot,
      retryAt: slot.index === 4 ? NOW + 1 : slot.index === 6 ? NOW : 0,
    }));
    const free = (side: "buy" | "sell") => {
      const desk = { live: [bid("100", { slot: 0 })], context: { now: NOW, bounds: bounds() } };
      const { ready, waiting } = freeSlots(side, slots, desk as never);
      return [ready.map(({ index }) => index), waiting.map(({ index }) => index)];
    };
    expect(free("buy")).toEqual([[2, 6], [4]]);
    expect(free("sell")).toEqual([[1, 3, 5, 7], []]);
  });
});

describe("the prices that volatility is measured with", () => {
  const prices = (...all: [number, string][]) => all.map(([at, price]) => ({ at, price: d(price) }));
  const recorded = (
    recentPrices: ReturnType<typeof prices>,
    price: string | null,
    now = NOW,
    volatilityFactor = ONE,
  ) =>
    addRecentPrice(
      { config: { rules: { volatilityFactor } }, state: { recentPrices } } as never,
      { reference: { price: price === null ? null : d(price) } } as never,
      now,
    );

  it("are added once a minute if they have changed", () => {
    const before = prices([NOW - MINUTE, "100"]);
    expect(recorded([], "100")).toEqual(prices([NOW, "100"]));
    expect(recorded(before, "101")).toEqual(prices([NOW - MINUTE, "100"], [NOW, "101"]));
    expect(recorded(before, "101", NOW - 1)).toBe(before);
    expect(recorded(before, "100")).toBe(before);
    expect(recorded(before, null)).toBe(before);
    expect(recorded(before, "101", NOW, 0n)).toBe(before);
  });

  it("are those of the last hour, with the one at its start, and none from a clock that was ahead", () => {
    const since = NOW - HOUR;
    const old = prices([since - 5, "1"], [since - 2, "2"], [since + 1, "3"], [NOW + MINUTE, "9"]);
    expect(recorded(old, "4")).toEqual(prices([since, "2"], [since + 1, "3"], [NOW, "4"]));
    expect(recorded(prices([since, "1"], [since + 1, "2"]), "3")).toEqual(
      prices([since, "1"], [since + 1, "2"], [NOW, "3"]),
    );
  });
});

describe("what was quoted last", () => {
  const plan = (price: string | null, sources: readonly object[]) =>
    ({
      reference: { price: price === null ? null : d(price), sources },
      widenedBy: "asked",
      prices: price === null ? null : { reference: d(price), reservation: d("99"), halfSpread: d("0.01") },
    }) as never;
  const OWN = { source: "own", because: null };

  it("stays until orders move, or other sources count", () => {
    const first = lastQuoted(null, plan("100", [OWN]), { now: NOW, moves: false });
    expect(first).toEqual({
      at: NOW,
      reference: d("100"),
      reservation: d("99"),
      halfSpread: d("0.01"),
      widenedBy: "asked",
      sources: [OWN],
    });
    const next = (price: string | null, sources: readonly object[], moves = false) =>
      lastQuoted(first, plan(price, sources), { now: NOW + 1, moves });
    expect(next("101", [OWN])).toBe(first);
    expect(next("101", [OWN], true)).toMatchObject({ at: NOW + 1, reference: d("101") });
    expect(next("101", [{ ...OWN, because: "stale" }])).toMatchObject({ at: NOW + 1 });
    expect(next("101", [OWN, { source: "dex", because: null }])).toMatchObject({ at: NOW + 1 });
    expect(next(null, [OWN])).toMatchObject({
      at: NOW + 1,
      reference: null,
      reservation: null,
      halfSpread: null,
    });
  });
});

describe("the sources of a price", () => {
  const price = (price: string) => ({ price: d(price), amount: d("2") });
  const book = { bids: [price("99"), price("98")], asks: [price("101"), price("103")], at: NOW - 7 };
  const config = {
    weights: { own: ONE, others: d("2"), dex: 0n },
    fixed: { price: d("100"), weight: d("3") },
    maxAge: 5001,
    collar: d("0.1"),
  };
  const own = { side: "sell", price: d("101"), amount: d("5"), filled: d("3") };
  const voters = (over: object = {}, simulated = false) =>
    votersOf(
      config as never,
      {
        observed: {
          book,
          open: [own],
          elsewhere: { prices: [{ source: "mexc", price: d("97"), at: 3 }] },
          ...over,
        },
        now: NOW,
        isSimulated: simulated,
      } as never,
    );

  it("are the book without own orders, other exchanges, and a price that never ages", () => {
    const { others, sources } = voters();
    expect(others).toEqual({ bid: d("99"), ask: d("103") });
    const trusted = { maxAge: 5001, collar: d("0.1") };
    expect(sources).toEqual([
      { source: "own", price: d("101"), at: NOW - 7, weight: ONE, ...trusted },
      { source: "mexc", price: d("97"), at: 3, weight: d("2"), ...trusted },
      { source: "fixed", price: d("100"), at: null, maxAge: 0, weight: d("3"), collar: null },
    ]);
    expect(voters({}, true).sources[0]?.at).toBe(NOW);
    expect(voters({ book: undefined })).toMatchObject({
      others: { bid: undefined, ask: undefined },
      sources: [{ price: undefined, at: NOW }, {}, {}],
    });
    expect(voters({ elsewhere: undefined }).sources).toHaveLength(2);
  });

  it("are read again at half the age at which they stop to count, where one elsewhere has a weight", () => {
    const every = (others: bigint, dex: bigint) =>
      requestedElsewhere({ ...config, weights: { own: ONE, others, dex } } as never)?.every;
    expect([every(ONE, 0n), every(0n, ONE), every(0n, 0n)]).toEqual([2500, 2500, undefined]);
  });
});
