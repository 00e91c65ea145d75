import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  allowed,
  countedNotional,
  exceedsToken,
  exitsOnLoss,
  exposureOf,
  exposureText,
  type TradingPlan,
  thinBook,
  withOrder,
} from "../../src/limits/allowed.ts";
import { tightest } from "../../src/limits/limits.ts";
import { readStandings, readUnbookedBuys } from "../../src/limits/operations/exposed-reads.ts";
import { holdToToken } from "../../src/limits/operations/exposures.ts";
import { accountLimits, collarFloor, mostNotional, ownLimits, usedOf } from "../../src/limits/standing.ts";
import { readLimit } from "../../src/limits/texts.ts";
import type { Limits, LimitUsage, UsedAmounts } from "../../src/model/limits.ts";
import { type KnownExposure, NO_EXPOSURE } from "../../src/model/proposal.ts";
import { type Operation, operation } from "../../src/operation.ts";
import { d } from "../support/grid.ts";
import { ACCOUNT, bounds, order, strategy } from "../support/made.ts";

const NOW = 86_400_000_000;
const DAY = NOW / 86_400_000;
const QUOTE = { bid: d("99"), ask: d("101"), at: NOW };
const BUY = { symbol: "BTC/USDT", side: "buy", type: "limit", price: d("100"), amount: d("1") } as const;
const standing = (limits: Limits, used: Partial<UsedAmounts> = {}): LimitUsage => ({
  scope: "account:kraken",
  actor: null,
  limits,
  used: { now: NOW, today: {}, openOrders: 0, lastAt: null, ...used },
});
const refusal = (limits: Limits, { used = {}, one = {}, quote = {}, now = NOW } = {}) =>
  allowed({ ...BUY, ...one }, { quote: { ...QUOTE, ...quote }, now }, standing(limits, used))?.reason;

describe("a limit", () => {
  it.each<[string, Limits, object, string | undefined]>([
    ["of pairs allows them", { symbols: ["BTC/USDT"] }, {}, undefined],
    ["of pairs refuses others", { symbols: ["ETH/USDT"] }, {}, "limit_symbol"],
    ["of a price's age allows that age", { priceAgeMillis: 5 }, { now: NOW + 5 }, undefined],
    ["of a price's age refuses older ones", { priceAgeMillis: 5 }, { now: NOW + 6 }, "limit_price_age"],
    ["of the distance allows it", { collarPercent: d("10") }, { one: { price: d("110") } }, undefined],
    [
      "of the distance refuses more",
      { collarPercent: d("10") },
      { one: { price: d("110.01") } },
      "limit_collar",
    ],
    ["of the distance allows a low buy", { collarPercent: d("10") }, { one: { price: d("1") } }, undefined],
    ["of the distance needs a bid", { collarPercent: d("10") }, { quote: { bid: 0n } }, "limit_collar"],
    ["of one order allows its amount", { orderNotional: { USDT: d("100") } }, {}, undefined],
    ["of one order refuses more", { orderNotional: { USDT: d("99.99") } }, {}, "limit_order"],
    ["of one order refuses other assets", { orderNotional: { EUR: d("999") } }, {}, "limit_order"],
    [
      "of a day allows its amount",
      { dayNotional: { USDT: d("150") } },
      { used: { today: { USDT: d("50") } } },
      undefined,
    ],
    [
      "of a day refuses more",
      { dayNotional: { USDT: d("149") } },
      { used: { today: { USDT: d("50") } } },
      "limit_day",
    ],
    ["of a day refuses other assets", { dayNotional: { EUR: d("999") } }, {}, "limit_day"],
    ["of open orders allows the last one", { openOrders: 3 }, { used: { openOrders: 2 } }, undefined],
    ["of open orders refuses one more", { openOrders: 3 }, { used: { openOrders: 3 } }, "limit_open_orders"],
    [
      "of open orders refuses unknown numbers",
      { openOrders: 3 },
      { used: { openOrders: null } },
      "limit_open_orders",
    ],
    ["of the time between orders allows it", { orderGapMillis: 9 }, { used: { lastAt: NOW - 9 } }, undefined],
    [
      "of the time between orders refuses less",
      { orderGapMillis: 9 },
      { used: { lastAt: NOW - 8 } },
      "limit_gap",
    ],
  ])("%s", (_name, limits, how, reason) => {
    expect(refusal(limits, how)).toBe(reason);
  });

  it("counts a sell at its price or the mid, whichever is higher, and a market buy beyond the ask", () => {
    const counted = (one: object) => countedNotional({ ...BUY, ...one }, QUOTE);
    expect(counted({})).toBe(d("100"));
    expect(counted({ side: "sell", price: d("90") })).toBe(d("100"));
    expect(counted({ side: "sell", price: d("120") })).toBe(d("120"));
    expect(counted({ type: "market", price: 0n })).toBe(d("102.01"));
    expect(counted({ type: "market", price: d("130") })).toBe(d("130"));
    expect(counted({ type: "market", side: "sell", price: d("90") })).toBe(d("100"));
  });

  it("is used by each order that it allows", () => {
    const used = { today: { USDT: d("5") }, openOrders: 1, lastAt: null };
    expect(withOrder(standing({}, used), BUY, QUOTE).used).toEqual({
      now: NOW,
      today: { USDT: d("105") },
      openOrders: 2,
      lastAt: NOW,
    });
    expect(withOrder(standing({}, { openOrders: null }), BUY, QUOTE).used.openOrders).toBeNull();
  });

  it("of an administrator names how to change it", () => {
    const look = { quote: QUOTE, now: NOW };
    const own = allowed(BUY, look, standing({ openOrders: 0 }));
    expect(own?.detail).toMatch(/: edgemaker limits set --open-orders …$/);
    const token = { ...standing({ openOrders: 0 }), scope: "token:t", actor: "t" };
    expect(allowed(BUY, look, token)?.detail).toMatch(/limits set --scope token:t --open-orders …$/);
  });

  it("refuses a market order beyond the visible book, whose price is unknown", () => {
    const thin = (limits: Limits, worst: string, missing: string) =>
      thinBook(
        { order: { ...BUY, type: "market" }, look: { quote: QUOTE }, limits },
        { worst: d(worst), missing: d(missing) },
      )?.reason;
    expect(thin({ collarPercent: d("10") }, "105", "0.1")).toBe("limit_collar");
    expect(thin({ dayNotional: { USDT: d("1") } }, "105", "0.1")).toBe("limit_unknown");
    expect(thin({ orderNotional: { USDT: d("1") } }, "105", "0.1")).toBe("limit_unknown");
    expect(thin({ collarPercent: d("10") }, "111", "0")).toBe("limit_collar");
    expect([thin({ collarPercent: d("10") }, "105", "0"), thin({}, "0", "1")]).toEqual([
      undefined,
      undefined,
    ]);
  });
});

describe("several limits", () => {
  it("apply together: the strictest value of each", () => {
    const a: Limits = {
      orderNotional: { USDT: d("5"), EUR: d("5") },
      openOrders: 3,
      onLoss: "stop",
      orderGapMillis: 1,
    };
    const b: Limits = { orderNotional: { USDT: d("9") }, openOrders: 2, onLoss: "pause", orderGapMillis: 7 };
    for (const all of [
      [a, b],
      [b, a],
    ])
      expect(tightest(all)).toMatchObject({
        orderNotional: { USDT: d("5") },
        openOrders: 2,
        onLoss: "stop",
        orderGapMillis: 7,
      });
    const loss = (one: string, other: string) =>
      tightest([{ strategyLoss: { USDT: d(one) } }, { strategyLoss: { USDT: d(other), EUR: d("1") } }])
        .strategyLoss;
    expect(loss("3", "4")).toEqual({ USDT: d("3"), EUR: d("1") });
  });

  it("never raise those of the operator's settings", () => {
    const stored = { version: 1, set: { every: { openOrders: 9 }, "account:kraken": { openOrders: 8 } } };
    expect(accountLimits(stored, "kraken", { openOrders: 2 }).openOrders).toBe(2);
    expect(accountLimits(stored, "kraken").openOrders).toBe(8);
    expect(ownLimits({ version: 1, set: {} }, "account:kraken")).toEqual({});
  });

  it("give one order the smallest of their amounts, and a sell the highest of their floors", () => {
    expect(mostNotional(bounds({ orderNotional: { USDT: d("7") } }), "USDT")).toBe(d("7"));
    expect(mostNotional(bounds({ orderNotional: { EUR: d("7") } }), "USDT")).toBe(0n);
    expect(mostNotional(bounds(), "USDT")).toBeUndefined();
    expect([collarFloor(QUOTE, bounds({ collarPercent: d("10") })), collarFloor(QUOTE, bounds())]).toEqual([
      d("90"),
      0n,
    ]);
  });

  it("are read from text, and an invalid part makes all of it invalid", () => {
    expect(readLimit("symbols", "BTC/USDT, ETH/USDT")).toEqual(["BTC/USDT", "ETH/USDT"]);
    expect([readLimit("symbols", "BTC/USDT,eth"), readLimit("collarPercent", "100.1")]).toEqual([
      undefined,
      undefined,
    ]);
    expect([readLimit("orderNotional", "USDT=5,EUR"), readLimit("openOrders", "off")]).toEqual([
      undefined,
      null,
    ]);
  });
});

describe("the usage of a limit", () => {
  it("is that of today and of the newest order", () => {
    const use = { scope: "s", asset: "USDT", orders: 1 };
    const uses = [
      { ...use, day: DAY - 1, notional: d("70"), at: NOW - 90_000 },
      { ...use, day: DAY, notional: d("5"), at: NOW - 10 },
      { ...use, day: DAY, asset: "EUR", notional: d("3"), at: NOW - 900 },
    ];
    expect(usedOf(uses, { now: NOW, openOrders: 4 })).toEqual({
      now: NOW,
      openOrders: 4,
      today: { USDT: d("5"), EUR: d("3") },
      lastAt: NOW - 10,
    });
    expect(usedOf(uses.slice(0, 1), { now: NOW, openOrders: null }).today).toEqual({});
  });

  it("counts a token's own open orders toward its limits, and all of them toward the account's", async () => {
    const read = { now: NOW, stored: { version: 1, set: {} }, uses: [], openOrders: 7, openOfActor: 2 };
    const account = { exchange: "kraken", kind: "live", host: "h" } as never;
    const { all } = await readStandings({ store: { readLimits: async () => read as never } }, account, "t");
    expect(all.map(({ actor, used }) => [actor, used.openOrders])).toEqual([
      [null, 7],
      ["t", 2],
    ]);
  });
});

describe("a token's limits", () => {
  const exposure = (over: Partial<KnownExposure> = {}): KnownExposure => ({
    trades: "known",
    symbol: "BTC/USDT",
    base: 0n,
    quote: d("50"),
    exits: 0n,
    counted: d("50"),
    largest: d("20"),
    ...over,
  });
  const beyond = (limits: Limits, over?: Partial<KnownExposure>, today: UsedAmounts["today"] = {}) =>
    exceedsToken(exposure(over), { ...standing(limits, { today }), scope: "token:t" })?.reason;

  it("refuse what exceeds them, and what they do not list", () => {
    expect(beyond({ dayNotional: { USDT: d("60") } }, {}, { USDT: d("10") })).toBeUndefined();
    expect(beyond({ dayNotional: { USDT: d("59") } }, {}, { USDT: d("10") })).toBe("limit_day");
    expect(beyond({ dayNotional: { EUR: d("999") } })).toBe("limit_day");
    expect(beyond({ orderNotional: { USDT: d("20") } })).toBeUndefined();
    expect(beyond({ orderNotional: { USDT: d("19") } })).toBe("limit_order");
    expect(beyond({ orderNotional: { EUR: d("999") } })).toBe("limit_order");
    expect([beyond({ symbols: ["BTC/USDT"] }), beyond({ symbols: ["ETH/USDT"] })]).toEqual([
      undefined,
      "limit_symbol",
    ]);
    const unknown = exceedsToken({ trades: "unknown", why: "no price" }, standing({ symbols: [] }));
    expect(unknown).toMatchObject({ reason: "limit_unknown", detail: expect.stringContaining("no price") });
  });

  it("count once, and refuse an asset without an amount even if another request counts first", async () => {
    const counting = async (dayNotional: Limits["dayNotional"], counts: boolean) => {
      const used: unknown[] = [];
      const stored = { version: 1, set: { "token:t": { dayNotional } } };
      const store = {
        readLimits: async () => ({ now: NOW, stored, uses: [] }) as never,
        useLimit: async ({ most }: { most: unknown }) => used.push(most) > 0 && most !== 0n,
      };
      const done = await holdToToken(
        { store },
        { actor: "t", counts },
        { exposure: exposure({ counted: 0n, largest: 0n }) },
      )
        .then(() => "held")
        .catch(({ message }: Error) => message);
      return [done, used];
    };
    expect(await counting({ USDT: d("60") }, true)).toEqual(["held", [d("60")]]);
    expect(await counting({ USDT: d("60") }, false)).toEqual(["held", []]);
    expect((await counting({ EUR: d("60") }, true))[1]).toEqual([0n]);
  });
});

describe("what a strategy can do", () => {
  it("includes an exit at its own loss limit and at its account's", () => {
    const loss = { USDT: d("5") };
    expect(exitsOnLoss({ onLoss: "stop", strategyLoss: loss }, "USDT")).toBe(true);
    expect(exitsOnLoss({ onLoss: "stop", accountLoss: loss }, "USDT")).toBe(true);
    expect(exitsOnLoss({ onLoss: "stop", accountLoss: loss }, "EUR")).toBe(false);
    expect(exitsOnLoss({ onLoss: "pause", accountLoss: loss }, "USDT")).toBe(false);
  });

  it("includes the fills that are not booked: all of a buy that is no longer open", async () => {
    const orders = [
      order({ booked: d("0.5") }),
      order({ exchangeId: "x2" }),
      order({ exchangeId: "x3", side: "sell" }),
    ];
    const open = [{ id: "x1", filled: d("1.5") }];
    const deps = {
      store: { unsettledOrders: async () => orders } as never,
      venueOf: () => ({ openOrders: async () => open }) as never,
    };
    const buys = await readUnbookedBuys(deps, strategy({ account: ACCOUNT }));
    expect(buys.map(({ exchangeId, amount }) => [exchangeId, amount])).toEqual([
      ["x1", d("1.5")],
      ["x2", d("2")],
    ]);
  });
});

const plan = (over: Partial<TradingPlan> = {}): TradingPlan => ({
  symbol: "BTC/USDT",
  mid: d("100"),
  parts: [
    { base: d("2"), quote: d("0") },
    { base: d("0"), quote: d("30") },
  ],
  exits: false,
  ...over,
});

describe("an exposure", () => {
  it("counts base at the mid plus quote, and names the largest part", () => {
    expect(exposureOf(plan())).toEqual({
      trades: "known",
      symbol: "BTC/USDT",
      base: d("2"),
      quote: d("30"),
      exits: 0n,
      counted: d("230"),
      largest: d("200"),
    });
  });

  it("counts what it buys twice where its own exit can sell it again", () => {
    expect(exposureOf(plan({ exits: true }))).toMatchObject({ exits: d("30"), counted: d("260") });
  });

  it("counts a part at no less than its minimum", () => {
    const parts = [{ base: d("1"), quote: d("0"), minCounted: d("150") }];
    expect(exposureOf(plan({ parts }))).toMatchObject({ counted: d("150") });
  });

  it("counts open bids as filled or as canceled and replaced, whichever is more", () => {
    const bids = (quote: string) => [{ base: 0n, quote: d("30"), bids: { base: d("2"), quote: d(quote) } }];
    expect(exposureOf(plan({ parts: bids("190") }))).toMatchObject({ base: d("2"), counted: d("230") });
    expect(exposureOf(plan({ parts: bids("210") }))).toMatchObject({ counted: d("240") });
    expect(exposureOf(plan({ parts: bids("190"), exits: true }))).toMatchObject({
      counted: d("440"),
      largest: d("230"),
    });
  });

  it("rounds the value of base up", () => {
    const parts = [{ base: 1n, quote: 0n }];
    expect(exposureOf(plan({ parts, mid: d("0.5") }))).toMatchObject({ counted: 1n });
  });

  it("is unknown without a price", () => {
    for (const mid of [undefined, 0n])
      expect(exposureOf(plan({ mid }))).toEqual({
        trades: "unknown",
        why: "the price of its market could not be read",
      });
  });

  it("is unknown for an unbounded plan", () => {
    expect(exposureOf(plan({ parts: undefined }))).toMatchObject({ trades: "unknown" });
  });

  it.each([
    ["sell 2 BTC, buy for 30 USDT", {}],
    ["sell 2 BTC, buy for 30 USDT, sell again what it buys", { exits: true }],
    ["trade nothing", { parts: [] }],
    ["sell 1 BTC: all of it", { parts: [{ base: d("1"), quote: 0n }], note: "all of it" }],
  ])("reads as a list of its parts: %s", (text, over) => {
    expect(exposureText(exposureOf(plan(over)) as KnownExposure)).toBe(text);
  });

  it("includes a loss-limit exit only where the loss limit stops the strategy", () => {
    const loss = { USDT: d("5") };
    expect(exitsOnLoss({ onLoss: "stop", strategyLoss: loss }, "USDT")).toBe(true);
    expect(exitsOnLoss({ onLoss: "stop", accountLoss: loss }, "USDT")).toBe(true);
    expect(exitsOnLoss({ onLoss: "pause", strategyLoss: loss }, "USDT")).toBe(false);
    expect(exitsOnLoss({ onLoss: "stop", strategyLoss: loss }, "EUR")).toBe(false);
    expect(exitsOnLoss({}, "USDT")).toBe(false);
  });
});

describe("an operation that trades", () => {
  const surface = {
    name: "trade_something",
    summary: "Trades something",
    effect: "trade",
    access: "token",
    http: { route: "POST /something", from: "body" },
    failure: "Internal error",
    input: () => z.object({}),
    output: () => z.object({ done: z.boolean() }),
  } as const;
  const preview = async () => ({ what: "", cost: "", worstCase: "", limits: [] });
  const act = async () => ({ done: true });

  // Each of these is checked by the compiler: an error that does not occur is an error.
  it("cannot be registered without its exposure", () => {
    const withExposure = operation({
      ...surface,
      prepare: async () => ({ preview, act, strategies: [], exposure: NO_EXPOSURE }),
    });
    const without = operation({
      ...surface,
      // @ts-expect-error exposure is missing
      prepare: async () => ({ preview, act, strategies: [] }),
    });
    const undefinedOne = operation({
      ...surface,
      // @ts-expect-error an exposure is never undefined
      prepare: async () => ({ preview, act, strategies: [], exposure: undefined }),
    });
    // @ts-expect-error what trades is prepared, and has no run of its own
    const withRun = operation({ ...surface, run: act });
    const { effect: _, ...rest } = surface;
    // @ts-expect-error nor is it one by hand
    const byHand: Operation = {
      ...rest,
      effect: "trade",
      input: z.object({}),
      output: z.object({}),
      run: act,
    };
    expect([withExposure, without, undefinedOne, withRun, byHand].map(({ effect }) => effect)).toEqual(
      Array(5).fill("trade"),
    );
  });
});
