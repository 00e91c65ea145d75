import { describe, expect, it } from "vitest";
import type { View } from "../../../src/grid/plan/first-buy.ts";
import { nextOrders, retainedSlots } from "../../../src/grid/plan/next-orders.ts";
import { outdated } from "../../../src/grid/plan/run.ts";
import type { GridState, Slot } from "../../../src/grid/state/state.ts";
import { d, market, slot, state } from "../../support/grid.ts";
import { bounds, NOW, order, quote, TIMING } from "../../support/made.ts";

const buying = slot();
const selling = slot({ side: "sell", bought: d("1"), base: d("1"), cost: d("100") });
const view = (over: Partial<View> = {}): View => ({
  market: market(),
  quote: quote(),
  now: NOW,
  busy: new Set(),
  resting: [],
  funds: { USDT: d("10000"), BTC: d("10") },
  killed: false,
  isRecovering: false,
  limit: 9,
  config: {},
  ...over,
});
const planned = (slots: readonly Slot[], over: Partial<View> = {}, of: Partial<GridState> = {}) =>
  nextOrders(state(slots, of), view(over));
const refused = (one: Slot, over: Partial<View> = {}, of: Partial<GridState> = {}) => {
  const { next, intents } = planned([one], over, of);
  expect(intents.length).toBe(next.refused.length === 0 ? 1 : 0);
  return next.refused[0];
};

describe("the next order of a slot", () => {
  it("is a buy of its size at its lower price, or a sell of its base at its upper price", () => {
    const { intents, postponed } = planned([buying, { ...selling, index: 1 }]);
    expect(intents).toEqual([
      { slot: 0, side: "buy", price: d("100"), amount: d("1") },
      { slot: 1, side: "sell", price: d("110"), amount: d("1"), ownBase: d("1") },
    ]);
    expect(postponed).toBe(0);
  });

  it("does not wait for the initial buy if the slot has base of its own", () => {
    const rules = { market: market({ minAmount: d("0.1") }) };
    const stuck = slot({ bought: d("0.95"), base: d("0.95"), cost: d("95") });
    const small = slot({ index: 1, side: "sell", bought: d("1"), base: d("0.05"), cost: d("5") });
    const lacking = slot({ index: 2, side: "sell", lower: d("90"), size: d("90") });
    const slots = [stuck, small, lacking];
    const during = (firstBuy: GridState["firstBuy"]) =>
      planned(slots, rules, { firstBuy })
        .intents.map(({ slot: index, side, amount }) => [index, side, amount] as const)
        .sort(([a], [b]) => a - b);
    const own = [
      [0, "sell", d("0.95")],
      [1, "buy", d("0.95")],
    ] as const;
    expect(during({ tries: 0 })).toEqual(own);
    // After it, the slot that got no base buys its own.
    expect(during(null)).toEqual([...own, [2, "buy", d("1")]]);
  });

  it("is the missing rest of a partially filled buy, in whole lots", () => {
    const part = slot({ bought: d("0.300001"), base: d("0.3") });
    expect(planned([part]).intents).toMatchObject([{ side: "buy", amount: d("0.69999") }]);
  });

  it("is a sell if the missing rest is too small to buy", () => {
    const nearly = slot({ bought: d("0.96"), base: d("0.96"), cost: d("96") });
    expect(planned([nearly]).intents).toMatchObject([{ side: "sell", amount: d("0.96") }]);
    expect(planned([nearly]).next.slots[0]?.side).toBe("sell");
    const neither = { ...nearly, base: d("0.01") };
    expect(refused(neither)).toEqual({ slot: 0, reason: "below_minimum" });
    expect(planned([neither]).next.slots[0]?.side).toBe("buy");
  });

  it("is a buy for a selling slot that never had base, once the market is above it", () => {
    const bare = slot({ side: "sell", lower: d("105") });
    expect(refused(bare)).toEqual({ slot: 0, reason: "no_base" });
    expect(planned([{ ...bare, lower: d("104.99") }]).next.slots[0]?.side).toBe("buy");
  });

  it("is the rest of a buy if the base is too little to sell", () => {
    const dust = slot({ side: "sell", bought: d("1"), base: d("0.01"), cost: d("1") });
    expect(planned([dust]).intents).toMatchObject([{ side: "buy", amount: d("0.99") }]);
    expect(planned([dust]).next.slots[0]).toMatchObject({ side: "buy", bought: d("0.01") });
    const most = slot({
      side: "sell",
      upper: d("100.01"),
      size: d("6"),
      bought: d("1"),
      base: d("0.04"),
      cost: d("4"),
    });
    expect(refused(most)).toEqual({ slot: 0, reason: "below_minimum" });
    expect(planned([most]).next.slots[0]?.side).toBe("sell");
  });

  it("is priced to cover its cost, if that is above its level", () => {
    expect(planned([{ ...selling, sellAt: d("125") }]).intents).toMatchObject([{ price: d("125") }]);
  });

  it("is none if its order is open, and the nearest slots come first", () => {
    const slots = [
      slot({ lower: d("90") }),
      slot({ index: 1, lower: d("100") }),
      { ...selling, index: 2, upper: d("109") },
      slot({ index: 3, lower: d("101") }),
    ];
    const of = (over: Partial<View>) => planned(slots, over).intents.map((one) => one.slot);
    expect(of({})).toEqual([2, 3, 1, 0]);
    expect(of({ busy: new Set([3, 2]) })).toEqual([1, 0]);
    expect(of({ limit: 2 })).toEqual([2, 3]);
    expect(planned(slots, { limit: 2 }).postponed).toBe(2);
    expect(planned(slots, { limit: 0 }).next).toMatchObject({ slots, refused: [] });
  });

  it("is the same state object if nothing changes", () => {
    const bare = state([slot({ side: "sell", lower: d("105") })], {
      refused: [{ slot: 0, reason: "no_base" }],
    });
    expect(nextOrders(bare, view()).next).toBe(bare);
    for (const one of [
      { slot: 0, reason: "no_base", detail: "more" },
      { slot: 0, reason: "no_quote" },
      { slot: 1, reason: "no_base" },
    ] as const) {
      const before = { ...bare, refused: [one] };
      expect(nextOrders(before, view()).next.refused).toEqual(bare.refused);
    }
    expect(nextOrders({ ...bare, refused: [] }, view()).next.refused).toEqual(bare.refused);
  });

  it("is returned with the refusals, in the order of slots", () => {
    const bare = (index: number) => slot({ index, side: "sell", lower: d(String(300 - index)) });
    const unclear = [{ slot: 7, reason: "unclear", detail: "no answer" }] as const;
    const { refused: all } = planned([bare(2), bare(1)], { unclear }).next;
    expect(all.map((one) => one.slot)).toEqual([1, 2, 7]);
    expect(all[2]).toEqual(unclear[0]);
  });
});

describe("the refusal of a slot", () => {
  it.each<[string, Partial<View>, object]>([
    ["the switch is on", { killed: true }, { reason: "killed" }],
    ["the venue may know more", { isRecovering: true }, { reason: "recovering" }],
    ["the market is closed", { market: market({ active: false }) }, { reason: "market_closed" }],
    [
      "the price is doubted",
      { confidence: d("0.4"), config: { confidence: d("0.5") } },
      { reason: "low_confidence" },
    ],
  ])("applies while %s", (_, over, reason) => {
    expect(refused(buying, over)).toEqual({ slot: 0, ...reason });
    expect(refused(selling, over)).toEqual({ slot: 0, ...reason });
  });

  it("applies while its grid is halted, and includes the reason", () => {
    expect(refused(buying, {}, { halted: "it lost" })).toEqual({
      slot: 0,
      reason: "limit_loss",
      detail: "it lost",
    });
  });

  it("does not apply to a price doubt without a set minimum, without data or within the limit", () => {
    expect(refused(buying, { confidence: d("0.4") })).toBeUndefined();
    expect(refused(buying, { config: { confidence: d("0.5") } })).toBeUndefined();
    expect(refused(buying, { confidence: d("0.5"), config: { confidence: d("0.5") } })).toBeUndefined();
  });

  it("applies to funds that slots before it have used", () => {
    expect(refused(buying, { funds: { USDT: d("100.09") } })).toEqual({ slot: 0, reason: "no_quote" });
    expect(refused(buying, { funds: { USDT: d("100.1") } })).toBeUndefined();
    expect(refused(selling, { funds: { BTC: d("0.99") } })).toEqual({ slot: 0, reason: "inventory_missing" });
    expect(refused(selling, { funds: { BTC: d("1") } })).toBeUndefined();
    expect(refused(buying, { funds: {} })?.reason).toBe("no_quote");
    expect(refused(buying, { funds: undefined })).toBeUndefined();
    const two = [buying, slot({ index: 1, lower: d("99") })];
    const { next, funds } = planned(two, { funds: { USDT: d("150"), BTC: d("1") } });
    expect(next.refused).toEqual([{ slot: 1, reason: "no_quote" }]);
    expect(funds).toEqual({ USDT: d("49.9"), BTC: d("1") });
    expect(planned(two, { funds: undefined }).funds).toBeUndefined();
  });

  it("applies until its retry time, and includes the venue's reason", () => {
    const later = { ...buying, retryAt: NOW + 1 };
    const result = { slot: 0, reason: "unclear", detail: "no answer" } as const;
    expect(refused(later)).toEqual({ slot: 0, reason: "rejected" });
    const others = [{ ...result, slot: 1 }, { slot: 0, reason: "no_quote", detail: "other" } as const];
    expect(refused(later, {}, { refused: others })).toEqual({ slot: 0, reason: "rejected" });
    expect(refused(later, {}, { refused: [...others, result] })).toEqual(result);
    expect(refused({ ...later, retryAt: NOW }, {}, { refused: [result] })).toBeUndefined();
  });

  const LIMITED = { bounds: bounds({ orderNotional: { USDT: d("99") } }), backoff: TIMING.backoff };

  it("by a limit applies for longer each time, and includes the limit's reason", () => {
    const first = planned([buying], LIMITED);
    const [waiting, result] = [first.next.slots[0] as Slot, first.next.refused[0]];
    expect(waiting.limited).toEqual({ times: 1, until: NOW + 15_000, version: 1 });
    expect(result).toMatchObject({ reason: "limit_order", detail: expect.stringContaining("after 15 s") });
    expect(nextOrders(first.next, view({ ...LIMITED, now: NOW + 14_999 })).next).toBe(first.next);
    expect(
      nextOrders(first.next, view({ ...LIMITED, now: NOW + 15_000 })).next.slots[0]?.limited?.times,
    ).toBe(2);
    expect(refused(waiting, LIMITED)).toEqual({ slot: 0, reason: "limit_order" });
    const others = [
      { slot: 1, reason: "limit_day", detail: "other" },
      { slot: 0, reason: "no_quote" },
    ] as const;
    expect(refused(waiting, LIMITED, { refused: others })).toEqual({ slot: 0, reason: "limit_order" });
    const free = planned([waiting], { bounds: bounds({}, 2) });
    expect(free.next.slots[0]?.limited).toBeUndefined();
    expect(free.intents).toHaveLength(1);
    expect(planned([buying], { bounds: LIMITED.bounds }).next.slots[0]?.limited).toBeUndefined();
  });

  it("applies if slots before it have used up a limit", () => {
    const two = [buying, slot({ index: 1, lower: d("99") })];
    const { next } = planned(two, { bounds: bounds({ openOrders: 1 }) });
    expect(next.refused).toMatchObject([{ slot: 1, reason: "limit_open_orders" }]);
  });

  const capital = { whole: d("1000"), quote: d("500"), position: d("100"), openBuys: d("50") };

  it("applies to buys beyond its share of the capital", () => {
    const of = (share: string, one = buying) => refused(one, { capital, config: { maxPosition: d(share) } });
    expect(of("0.2")).toEqual({ slot: 0, reason: "max_position" });
    expect(of("0.2001")).toBeUndefined();
    expect(of("0.01", selling)).toBeUndefined();
    expect(refused(buying, { config: { maxPosition: d("0.01") } })).toBeUndefined();
    const two = [buying, slot({ index: 1, lower: d("99") })];
    const { next } = planned(two, { capital, config: { maxPosition: d("0.25") } });
    expect(next.refused).toEqual([{ slot: 1, reason: "max_position" }]);
  });

  it("applies to buys that would use the reserve", () => {
    const of = (share: string, one = buying) =>
      refused(one, { capital, config: { safetyReserve: d(share) } });
    expect(of("0.3499")).toBeUndefined();
    expect(of("0.35")).toEqual({ slot: 0, reason: "safety_reserve" });
    expect(of("1", selling)).toBeUndefined();
    const three = [{ ...selling, index: 2 }, buying, slot({ index: 1, lower: d("99") })];
    const { next } = planned(three, { capital, config: { safetyReserve: d("0.3") } });
    expect(next.refused).toEqual([{ slot: 1, reason: "safety_reserve" }]);
  });

  it("applies if it would cross another order of the account, and names that order", () => {
    const of = (one: View["resting"][number], of_ = buying) => refused(of_, { resting: [one] });
    const meeting = (detail?: string) => ({
      slot: 0,
      reason: "would_self_cross",
      ...(detail ? { detail: `it could fill against order ${detail}` } : {}),
    });
    expect(of({ side: "sell", price: d("100") })).toEqual(meeting());
    expect(of({ side: "sell", price: d("100.01") })).toBeUndefined();
    expect(of({ side: "buy", price: d("110"), id: "y1" }, selling)).toEqual(meeting("y1"));
    expect(of({ side: "buy", price: d("109.99") }, selling)).toBeUndefined();
    expect(of({ side: "buy", price: d("100") })).toBeUndefined();
    const row = order({ exchangeId: null });
    expect(of({ side: "sell", price: d("1"), order: order(), id: "y1" })).toEqual(meeting("x1"));
    expect(of({ side: "sell", price: d("1"), order: row, id: "y1" })).toEqual(meeting(row.clientId));
  });

  it("applies if another slot has already sold its base", () => {
    const owing = slot({ index: 1, side: "sell", base: 0n, sold: d("0.5") });
    const far = { ...selling, index: 2, upper: d("120") };
    const { next } = planned([owing, selling, far], { busy: new Set([1]) });
    expect(next.refused).toEqual([
      {
        slot: 2,
        reason: "inventory_missing",
        detail: "another slot has already sold this base and buys it back first",
      },
    ]);
  });
});

describe("base that slots owe", () => {
  const owing = (sold: string) => slot({ index: 9, sold: d(sold) });
  const kept = (
    sold: string,
    idle: string,
    free = [selling, { ...selling, index: 1 }, slot({ index: 2 })],
  ) => [
    ...retainedSlots(
      { slots: [owing(sold), ...free], idle: [{ base: d(idle), cost: 0n, first: false }] },
      free,
    ),
  ];

  it("is withheld from the last slots with base, as many as necessary", () => {
    expect(kept("0.5", "0")).toEqual([1]);
    expect(kept("1", "0")).toEqual([1]);
    expect(kept("1.5", "0")).toEqual([1, 0]);
    expect(kept("1.5", "0.5")).toEqual([1]);
    expect(kept("1", "1")).toEqual([]);
    expect(kept("0", "0")).toEqual([]);
  });
});

describe("orders that block new ones", () => {
  const of = (
    one = order(),
    over: Partial<GridState> = {},
    slots = [buying, { ...selling, index: 1 }],
    at = quote(),
  ) => outdated(state(slots, over), [one], at).length;

  it("are all orders before a rebuild, and those of other generations or removed slots", () => {
    expect(of()).toBe(0);
    expect(of(order(), { rebuild: { generation: 1 } })).toBe(1);
    expect(of(order({ exchangeId: null }), { rebuild: { generation: 1 } })).toBe(0);
    expect(of(order(), { generation: 1 })).toBe(1);
    expect(
      of(order(), { trail: { way: "up", steps: 0 } }, [buying, { ...selling, index: 1, lower: d("110") }]),
    ).toBe(1);
    expect(
      of(order(), { trail: { way: "down", steps: 0 } }, [buying, { ...selling, index: 1, lower: d("110") }]),
    ).toBe(0);
    expect(of(order({ slot: 7 }))).toBe(0);
  });

  it("are those at a price that their slot has left", () => {
    const sell = order({ slot: 1, side: "sell", price: d("110") });
    expect(of(sell)).toBe(0);
    expect(of({ ...sell, price: d("111") })).toBe(1);
    expect(of({ ...sell, price: d("125") }, {}, [buying, { ...selling, index: 1, sellAt: d("125") }])).toBe(
      0,
    );
    expect(of(order({ price: d("99") }))).toBe(1);
    expect(of(order({ price: d("101") }))).toBe(1);
  });

  it("are not those placed beside a level that would take", () => {
    const low = quote({ bid: d("98"), ask: d("99") });
    const near = order({ price: d("98") });
    const slots = [buying, { ...selling, index: 1 }];
    expect(of(near, {}, slots, low)).toBe(0);
    expect(of(near)).toBe(1);
    expect(outdated(state(slots), [near])).toEqual([]);
    expect(of({ ...near, timeInForce: "gtc" }, {}, slots, low)).toBe(1);
    expect(of(order({ price: d("101") }), {}, slots, low)).toBe(1);
    const high = quote({ bid: d("111"), ask: d("112") });
    const sell = order({ slot: 1, side: "sell", price: d("112") });
    expect(of(sell, {}, slots, high)).toBe(0);
    expect(of({ ...sell, price: d("109") }, {}, slots, high)).toBe(1);
  });
});
