import { describe, expect, it } from "vitest";
import { afterTurn, capitalsOf, firstShare } from "../../../src/engine/decide/changes.ts";
import { ownBase } from "../../../src/engine/decide/decide.ts";
import { gridKind } from "../../../src/grid/kind.ts";
import type { Pair } from "../../../src/kernel/pair.ts";
import type { Order } from "../../../src/model/order.ts";
import type { Strategy } from "../../../src/model/strategy.ts";
import type { Kinds } from "../../../src/ports/kind.ts";
import type { Snapshot } from "../../../src/ports/stores/pass-store.ts";
import { d, market, slot, state } from "../../support/grid.ts";
import {
  bounds,
  idOf,
  NOW,
  observation,
  order,
  quote,
  reportedOrder,
  SYMBOL,
  snapshot,
  strategy,
  TIMING,
  trade,
} from "../../support/made.ts";

const kinds = (() => gridKind) as unknown as Kinds;
const among = { kinds, strategies: [strategy()] };
const balances = [
  { asset: "USDT", free: d("1000"), used: d("200") },
  { asset: "BTC", free: d("3"), used: d("1") },
];
const holding = (base: string, over: Partial<Strategy> = {}) =>
  strategy({ state: state([slot({ base: d(base), cost: d("100") })], { epoch: 1 }), ...over });
const sell = (over: Partial<Order> = {}) => order({ side: "sell", price: d("110"), ...over });

describe("the free funds of an account", () => {
  const funds = (orders: readonly Order[], more = {}) =>
    firstShare(observation({}, { balances, ...more }), orders, { limit: 9, bounds: bounds(), ...among })
      .funds;

  it("are the venue's free balances, and unknown if those were not read", () => {
    expect(funds([])).toEqual({ USDT: d("1000"), BTC: d("3") });
    expect(firstShare(observation(), [], { limit: 9, bounds: bounds(), ...among }).funds).toBeUndefined();
  });

  it.each(["pending", "unknown"] as const)("exclude the funds of unobserved orders, %s", (is) => {
    expect(funds([order({ state: is })])?.USDT).toBe(d("799.8"));
    expect(funds([sell({ state: is })])?.BTC).toBe(d("1"));
    expect(funds([order({ state: is })], { balances: [] })).toEqual({ USDT: d("-200.2") });
    expect(funds([order({ state: is })], { reports: { [idOf()]: "missing" } })?.USDT).toBe(d("799.8"));
  });

  it("are uncertain for the assets that such orders would use", () => {
    const doubted = (orders: readonly Order[], more = {}) => [
      ...firstShare(observation({}, { balances, ...more }), orders, { limit: 9, bounds: bounds(), ...among })
        .doubted,
    ];
    expect(doubted([order({ state: "unknown" }), sell({ state: "pending" })])).toEqual(["USDT", "BTC"]);
    expect(doubted([order({ state: "unknown" })], { reports: { [idOf()]: reportedOrder() } })).toEqual([]);
    expect(doubted([sell(), order()])).toEqual([]);
    expect(doubted([sell({ state: "unknown", symbol: "BTC/EUR" })])).toEqual(["BTC"]);
  });

  it("include the funds of observed orders", () => {
    const all = { USDT: d("1000"), BTC: d("3") };
    expect(funds([order({ state: "unknown" })], { reports: { [idOf()]: reportedOrder() } })).toEqual(all);
    expect(funds([order(), order({ state: "submitted" })])).toEqual(all);
  });

  it("exclude the funds of unobserved orders outside this pass's markets", () => {
    expect(funds([order({ state: "unknown", symbol: "ETH/USDT" })])?.USDT).toBe(d("800"));
    expect(funds([sell({ state: "pending", symbol: "BTC/EUR" })])?.BTC).toBe(d("1"));
  });
});

describe("the orders that another could meet on a market", () => {
  const resting = (orders: readonly Order[], open = [reportedOrder()], strategies = among.strategies) => {
    const share = firstShare(observation({ open }), orders, {
      limit: 9,
      bounds: bounds(),
      kinds,
      strategies,
    });
    return share.resting.get(SYMBOL);
  };
  const elsewhere = reportedOrder({ id: "y1", side: "sell", price: d("111") });

  it("include each order once: from its row, or as the venue shows it", () => {
    const mine = order();
    expect(resting([mine], [reportedOrder(), elsewhere])).toEqual([
      { side: "buy", price: d("100"), order: mine },
      { side: "sell", price: d("111"), id: "y1" },
    ]);
  });

  it("exclude ended orders, unless the open list still shows them", () => {
    const ended = order({ state: "filled" });
    expect(resting([ended], [])).toEqual([]);
    expect(resting([ended])).toEqual([{ side: "buy", price: d("100"), id: "x1" }]);
  });

  it("exclude orders of other markets and those that took at once", () => {
    expect(resting([order({ symbol: "ETH/USDT" })], [])).toEqual([]);
    expect(resting([order({ timeInForce: "ioc" })])).toEqual([]);
  });

  it("include market orders at any price", () => {
    const prices = [order({ type: "market" }), sell({ type: "market" })];
    expect(resting(prices, [])?.map(({ price }) => price)).toEqual([d("1") * d("1"), 0n]);
  });

  it("include the upcoming sell of an exiting strategy", () => {
    const leaving = holding("2", { wants: "stop", sellBase: true });
    expect(resting([], [], [leaving])).toEqual([{ side: "sell", price: d("102.96") }]);
    expect(resting([], [], [{ ...leaving, symbol: "ETH/USDT" }])).toEqual([]);
  });
});

describe("the share left after a strategy's turn", () => {
  const before = firstShare(observation(), [], { limit: 9, bounds: bounds(), ...among });
  const intents = [order(), sell()];
  const left = (over: object = {}, from = before) =>
    afterTurn(
      from,
      { strategy: strategy(), quote: quote() },
      { intents, funds: { USDT: d("7") }, short: false, ...over },
    );

  it("excludes what the strategy has planned", () => {
    const share = left();
    expect(share).toMatchObject({
      funds: { USDT: d("7") },
      limit: 7,
      openBuys: { USDT: d("200") },
      short: false,
    });
    expect(share.resting.get(SYMBOL)).toEqual(intents);
    expect(share.bounds.standings.all[0]?.used).toMatchObject({ openOrders: 2, today: { USDT: d("420") } });
    const again = left({}, share);
    expect(again.openBuys).toEqual({ USDT: d("400") });
    expect(again.resting.get(SYMBOL)).toHaveLength(4);
    expect(before.resting.get(SYMBOL)).toEqual([]);
  });

  it("is short once any part is, and counts against no limit without a price", () => {
    expect(left({ short: true }).short).toBe(true);
    expect(left({}, { ...before, short: true }).short).toBe(true);
    const blind = afterTurn(
      before,
      { strategy: strategy(), quote: undefined },
      { intents, funds: {}, short: false },
    );
    expect(blind.bounds).toBe(before.bounds);
  });
});

describe("free base without an owner", () => {
  const own = (
    orders: readonly Order[] = [],
    {
      observed = {},
      one = holding("2"),
      more = {},
      booked = {},
    }: { observed?: object; one?: Strategy; more?: object; booked?: Snapshot["booked"] } = {},
  ) =>
    ownBase(
      market(),
      observation({}, { balances, balancesFirst: true, reports: observed as never, ...more }),
      { kinds, ...snapshot({ booked }), strategies: [one], orders },
    );

  it("is unknown if balances were not read, or not read first", () => {
    expect(own([], { more: { balances: undefined } })).toBeUndefined();
    expect(own([], { more: { balancesFirst: false } })).toBeUndefined();
  });

  it("is the free balance minus what strategies hold, with any quote", () => {
    expect(own()).toEqual({ least: d("1"), isSure: true });
    expect(own([], { one: holding("2", { symbol: "BTC/EUR" }) })).toEqual({ least: d("1"), isSure: false });
    expect(own([], { one: holding("2", { symbol: "ADA/ETH" }) })?.least).toBe(d("3"));
    expect(own([], { more: { balances: [] } })?.least).toBe(d("-2"));
  });

  it("is uncertain while fills of its owners can be missing, as after lost commits", () => {
    const uncertain = { least: 0n, isSure: false };
    const behind = state([slot({ base: d("2"), cost: d("100") })], { epoch: 0 });
    expect(own([], { one: strategy({ state: behind }) })).toEqual(uncertain);
    const searching = { ...behind, epoch: 1, searchSince: NOW };
    expect(own([], { one: strategy({ state: searching }) })).toEqual(uncertain);
    const recovering = { ...behind, epoch: 1, recoversUntil: NOW + 1 };
    expect(own([], { one: strategy({ state: recovering }) })).toEqual(uncertain);
    // What pays with it can have sold for it.
    const payer = strategy({ symbol: "ETH/BTC", state: { ...behind, slots: [] } });
    const markets = new Map([["ETH/BTC", {}]]) as never;
    expect(own([], { one: payer, more: { markets } })).toEqual(uncertain);
    // A market that the exchange refuses stays behind.
    expect(own([], { one: strategy({ symbol: "BTC/EUR", state: behind }) })?.least).toBe(d("1"));
  });

  it("excludes what strategies need that pay with it", () => {
    // Its slot buys for one, with a fee of 0.1 %.
    const one = strategy({ symbol: "ETH/BTC", state: state([slot({ size: d("1") })]) });
    expect(own([], { one })).toEqual({ least: d("1.999"), isSure: true });
    const bid = order({ symbol: "ETH/BTC", price: d("0.5"), amount: d("2") });
    expect(own([bid], { one })?.least).toBe(d("2.999"));
    const unlocked = { more: { balances: [{ asset: "BTC", free: d("4"), used: 0n }] } };
    expect(own([bid], { one, ...unlocked })?.least).toBe(d("2.999"));
    expect(own([], { one: { ...one, wants: "stop" } })?.least).toBe(d("3"));
  });

  it("excludes base that a strategy holds outside its slots", () => {
    const idle = [{ base: d("0.5"), cost: d("50"), first: false }];
    const one = strategy({ state: state([slot({ base: d("2"), cost: d("100") })], { idle, epoch: 1 }) });
    expect(own([], { one })?.least).toBe(d("0.5"));
  });

  const observedAt = (at: number) => ({ observed: { [idOf()]: reportedOrder({ at }) } });
  const settledIn = NOW - TIMING.readLag - TIMING.skew;

  it("includes what the strategies' sells have locked for certain", () => {
    const one = sell({ amount: d("1"), booked: d("0.5") });
    expect(own([one], observedAt(settledIn))).toEqual({ least: d("1.5"), isSure: true });
    expect(own([one], observedAt(settledIn + 1))).toEqual({ least: d("1"), isSure: false });
    expect(own([one])).toEqual({ least: d("1"), isSure: false });
    const quick = { ...observedAt(NOW), more: { timing: { ...TIMING, readLag: 0 } } };
    expect(own([one], quick)).toEqual({ least: d("1.5"), isSure: true });
    expect(own([sell({ amount: d("9") })], observedAt(settledIn))?.least).toBe(d("2"));
    expect(own([{ ...one, strategy: "other" }], observedAt(settledIn))?.least).toBe(d("1"));
  });

  it("excludes what manual orders use, unless they have locked it for certain", () => {
    const one = sell({ strategy: null, amount: d("1"), filled: d("0.5") });
    expect(own([one], observedAt(settledIn))).toEqual({ least: d("1"), isSure: true });
    expect(own([one], observedAt(settledIn + 1))).toEqual({ least: d("0.5"), isSure: false });
    expect(own([{ ...one, state: "pending" }])).toEqual({ least: d("0.5"), isSure: false });
    expect(own([{ ...one, symbol: "BTC/EUR" }])?.least).toBe(d("0.5"));
    const buys = order({ strategy: null, symbol: "ETH/BTC", price: d("0.5"), amount: d("1") });
    expect(own([buys])?.least).toBe(d("0.4995"));
    expect(own([order({ strategy: null })])).toEqual({ least: d("1"), isSure: true });
    // The balances are from before it was placed.
    const before = {
      balances: [{ asset: "BTC", free: d("4"), used: 0n }],
      timing: { ...TIMING, readLag: 0 },
    };
    expect(own([one], { ...observedAt(NOW), more: before })).toEqual({ least: d("1.5"), isSure: true });
  });

  it("excludes base that was sold after the time that the balances can be from", () => {
    const sold = (over: object) => trade({ side: "sell", amount: d("0.25"), at: settledIn + 1, ...over });
    const least = (over: object, symbol: Pair = SYMBOL) =>
      own([], { booked: { [symbol]: new Map([["1", sold(over)]]) } });
    expect(least({})).toEqual({ least: d("0.75"), isSure: false });
    expect(least({}, "BTC/EUR")).toEqual({ least: d("0.75"), isSure: false });
    const unsold = { least: d("1"), isSure: true };
    expect(least({ at: settledIn })).toEqual(unsold);
    expect(least({ side: "buy" })).toEqual(unsold);
    expect(least({}, "ETH/USDT")).toEqual(unsold);
    expect(least({ side: "buy", notional: d("0.5") }, "ETH/BTC")).toEqual({ least: d("0.5"), isSure: false });
    expect(least({}, "ETH/BTC")).toEqual(unsold);
    const inThisPass = observation({ trades: [sold({})] }, {}).markets;
    expect(own([], { more: { markets: inThisPass } })).toEqual({ least: d("0.75"), isSure: false });
    const quick = { timing: { ...TIMING, readLag: 0 } };
    expect(own([], { more: { ...quick, markets: inThisPass } })).toEqual(unsold);
  });

  it("excludes what their buys may have brought", () => {
    const one = order({ amount: d("2"), filled: d("1"), booked: d("0.5") });
    expect(own([one], observedAt(1))?.least).toBe(d("-0.5"));
    const quick = { more: { timing: { ...TIMING, readLag: 0 } } };
    expect(own([one], { ...observedAt(1), ...quick })?.least).toBe(d("0.5"));
    expect(own([one], quick)?.least).toBe(d("-0.5"));
  });
});

describe("the value that limits are a share of", () => {
  const strategies = [holding("2"), holding("1", { id: "h" }), holding("1", { id: "e", symbol: "BTC/EUR" })];
  const capital = (orders: readonly Order[] = [], planned = {}, observed: object = { balances }) =>
    capitalsOf(observation({}, observed), { kinds, strategies, orders }).of(holding("2"), planned);

  it("is all quote plus the cost of everything bought with it", () => {
    expect(capital()).toEqual({ whole: d("1400"), quote: d("1200"), position: d("100"), openBuys: 0n });
    expect(capital([], {}, {})).toBeUndefined();
    expect(capital([], {}, { balances: [] })).toMatchObject({ whole: d("200"), quote: 0n });
  });

  it("includes the unbooked part of open buys", () => {
    const buys = [
      order({ booked: d("0.5") }),
      order({ strategy: "h" }),
      order({ strategy: "e" }),
      order({ strategy: null }),
      sell(),
    ];
    expect(capital(buys, { USDT: d("7"), EUR: d("5") })).toMatchObject({
      position: d("250"),
      openBuys: d("357"),
    });
  });

  it("follows a strategy that the pass has advanced", () => {
    const capitals = capitalsOf(observation({}, { balances }), { kinds, strategies, orders: [] });
    const richer = strategy({ state: state([slot({ base: d("3"), cost: d("150") })], { epoch: 1 }) });
    capitals.note(holding("2"), richer);
    expect(capitals.of(richer, {})).toMatchObject({ whole: d("1450"), position: d("150") });
  });
});

it("the value that limits are a share of covers only the markets of this pass", () => {
  const { resting, limit, openBuys, short } = firstShare(observation({ market: market() }), [], {
    limit: 9,
    bounds: bounds(),
    ...among,
  });
  expect([[...resting.keys()], limit, openBuys, short]).toEqual([[SYMBOL], 9, {}, false]);
});
