import { describe, expect, it } from "vitest";
import {
  bookEnd,
  bookFill,
  costInAll,
  costOf,
  gridPosition,
  lotOf,
  movedBase,
  movedByBooks,
  profitOf,
  unsoldBase,
} from "../../../src/grid/booking.ts";
import { NO_LEDGER } from "../../../src/grid/state/state.ts";
import { d, slot, state } from "../../support/grid.ts";
import { SYMBOL } from "../../support/made.ts";

const fee = (asset: string, amount: string) => ({ asset, amount: d(amount) });
const buy = (over: object = {}) =>
  ({ side: "buy", amount: d("2"), notional: d("200"), fees: [], ...over }) as const;
const sell = (over: object = {}) => ({ ...buy({ notional: d("220"), ...over }), side: "sell" }) as const;
const full = slot({ side: "sell", bought: d("2"), base: d("2"), cost: d("200") });
const other = slot({ index: 1, lower: d("110"), upper: d("120") });
const lot = (base: string, cost: string, first = false) => ({ base: d(base), cost: d(cost), first });
const book = (fill: Parameters<typeof bookFill>[2], slots = [slot(), other], at = 0, over = {}) =>
  bookFill(state(slots, over), SYMBOL, fill, at);

describe("a buy by a slot", () => {
  it("adds its base at the price paid", () => {
    const after = book(buy());
    expect(after.slots).toEqual([slot({ bought: d("2"), base: d("2"), cost: d("200") }), other]);
    expect(after.ledger).toEqual({ ...NO_LEDGER, quote: d("-200") });
    expect(after.idle).toEqual([]);
  });

  it("pays a fee in quote on top, one in base from its proceeds, and one in a third asset from neither", () => {
    const fees = [fee("USDT", "0.2"), fee("BTC", "0.01"), { ...fee("KCS", "3"), value: d("1.5") }];
    const after = book(buy({ fees }));
    expect(after.slots[0]).toEqual(slot({ bought: d("2"), base: d("1.99"), cost: d("200.2") }));
    expect(after.ledger).toEqual({
      ...NO_LEDGER,
      quote: d("-200.2"),
      realized: d("-1.5"),
      fees: { USDT: d("0.2"), BTC: d("0.01"), KCS: d("3") },
      cash: { KCS: d("-3") },
      feesValue: d("1.5"),
    });
  });

  it("is marked as an estimate for good if one of its fees is", () => {
    const estimated = { ...fee("KCS", "1"), value: d("1"), isEstimated: true };
    const once = book(buy({ fees: [estimated, fee("MX", "1")] }));
    expect(once.ledger.feesEstimated).toBe(true);
    expect(bookFill(once, SYMBOL, buy(), 0).ledger.feesEstimated).toBe(true);
    expect(book(buy({ fees: [{ ...estimated, asset: "USDT" }] })).ledger.feesEstimated).toBe(true);
  });

  it("deducts base that was sold earlier, with its cost", () => {
    const half = { ...full, sold: d("1") };
    const after = book(buy(), [half]).slots[0];
    expect(after).toEqual({ ...half, sold: 0n, bought: d("4"), base: d("3"), cost: d("300") });
  });

  it("adds to the ledger's totals", () => {
    const ledger = {
      ...NO_LEDGER,
      quote: d("5"),
      realized: d("7"),
      fees: { USDT: d("1") },
      cash: { KCS: d("-1") },
      feesValue: d("2"),
    };
    const fees = [fee("USDT", "1"), { ...fee("KCS", "1"), value: d("1") }];
    expect(book(buy({ fees }), [slot()], 0, { ledger }).ledger).toEqual({
      ...ledger,
      quote: d("-196"),
      realized: d("6"),
      fees: { USDT: d("2"), KCS: d("1") },
      cash: { KCS: d("-2") },
      feesValue: d("3"),
    });
  });
});

describe("a sell by a slot", () => {
  it("realizes its proceeds minus the cost", () => {
    const after = book(sell({ fees: [fee("USDT", "0.2")] }), [full]);
    expect(after.slots[0]).toEqual({ ...full, sold: d("2") });
    expect(after.ledger).toMatchObject({ quote: d("219.8"), realized: d("19.8") });
  });

  it("realizes a proportional share when it fills in parts", () => {
    const half = book(sell({ amount: d("1"), notional: d("110") }), [full]);
    expect(half.ledger.realized).toBe(d("10"));
    const whole = bookFill(half, SYMBOL, sell({ amount: d("1"), notional: d("112") }), 0);
    expect(whole.ledger.realized).toBe(d("22"));
    expect(unsoldBase(whole.slots[0] as never)).toBe(0n);
  });

  it("deducts a fee in base from the position", () => {
    const after = book(sell({ amount: d("1"), fees: [fee("BTC", "0.5")] }), [full]);
    expect(after.slots[0]?.sold).toBe(d("1.5"));
    expect(after.ledger.realized).toBe(d("220") - d("150"));
  });
});

describe("a fill of the whole strategy or of a removed slot", () => {
  it("adds a lot at the price paid", () => {
    const after = book(buy({ fees: [fee("USDT", "1")] }), [slot()], 1000);
    expect(after).toMatchObject({ slots: [slot()], idle: [lot("2", "201")] });
    expect(after.ledger).toMatchObject({ quote: d("-201"), realized: 0n });
  });

  it("sells the cheapest lots first, and records missing base as owed", () => {
    const idle = [lot("1", "90"), lot("2", "220")];
    const sold = book(sell(), [slot()], 1000, { idle });
    expect(sold.idle).toEqual([lot("1", "110")]);
    expect(sold.ledger.realized).toBe(d("20"));
    expect(book(sell(), [slot()], 1000).idle).toEqual([lot("-2", "0")]);
  });

  it("moves no base if its fee takes all of it", () => {
    const nothing = { amount: d("1"), fees: [fee("BTC", "1")] };
    expect(book(buy(nothing), [slot()], 1000).idle).toEqual([lot("0", "200")]);
    expect(book(buy(nothing)).slots[0]).toMatchObject({ base: 0n, bought: d("1"), cost: d("200") });
  });
});

describe("the end of an order", () => {
  const end = (over: object, slots = [full, other], ledger = NO_LEDGER) =>
    bookEnd(state(slots, { ledger }), { side: "sell", slot: 0, amount: d("2"), booked: d("2"), ...over });

  it("switches a slot that bought to its sell, and counts the order", () => {
    const after = end({ side: "buy" }, [{ ...full, side: "buy" }, other]);
    expect(after.slots).toEqual([full, other]);
    expect(after.ledger).toEqual({ ...NO_LEDGER, filledOrders: 1 });
  });

  it("switches a slot that sold to its buy, and counts a cycle", () => {
    const counted = { ...NO_LEDGER, filledOrders: 4, cycles: 2 };
    const sold = { ...full, sold: d("1.5"), sellAt: d("130"), cycles: 6 };
    const after = end({}, [sold, other], counted);
    expect(after.ledger).toEqual({ ...counted, filledOrders: 5, cycles: 3 });
    expect(after.slots).toEqual([slot({ side: "buy", base: d("0.5"), cost: d("50"), cycles: 7 }), other]);
  });

  it("completes no cycle for a sell of first base or of a removed slot", () => {
    const after = end({}, [{ ...full, first: true, sold: d("2") }]);
    expect(after.ledger).toEqual({ ...NO_LEDGER, filledOrders: 1 });
    expect(after.slots).toEqual([slot({ side: "buy" })]);
    expect(end({ slot: 1000 })).toMatchObject({
      slots: [full, other],
      ledger: { filledOrders: 1, cycles: 0 },
    });
  });

  it("leaves a slot on its side if the order ended partially filled", () => {
    const before = state([full]);
    const part = { side: "sell", slot: 0, amount: d("2"), booked: d("1.9") } as const;
    expect(bookEnd(before, part)).toBe(before);
    expect(end({ booked: d("3") }).ledger.filledOrders).toBe(1);
  });
});

describe("the position", () => {
  it("is base minus what was sold, at its share of the cost", () => {
    const part = { ...full, base: d("3"), cost: d("100"), sold: d("1") };
    expect(lotOf(part)).toEqual({ base: d("2"), cost: d("66.666666666666666667"), first: false });
    expect(lotOf({ ...part, first: true }).first).toBe(true);
    expect([unsoldBase(full), costOf(full)]).toEqual([d("2"), d("200")]);
  });

  it.each([["0"], ["-1"]])("keeps its cost when %s was bought and more was sold", (base) => {
    expect(costOf({ ...full, base: d(base), sold: d("1"), cost: d("7") })).toBe(d("7"));
  });

  it("is the sum of all slots and lots", () => {
    const all = state([full, { ...full, index: 1, sold: d("1") }], { idle: [lot("1", "90")] });
    expect([gridPosition(all), costInAll(all)]).toEqual([d("4"), d("390")]);
  });
});

describe("profit", () => {
  const ledger = {
    ...NO_LEDGER,
    quote: d("-100"),
    firstBase: d("1"),
    firstCost: d("90"),
    realized: d("5"),
    feesValue: d("2"),
  };
  const all = state([full], { ledger });

  it("is quote and base at the mark, minus the initial value and fees in third assets", () => {
    expect(profitOf(all, d("150"))).toEqual({
      realized: d("5"),
      unrealized: d("103"),
      total: d("108"),
      position: d("2"),
      cost: d("200"),
      averageCost: d("100"),
      breakEvenPrice: d("96"),
    });
  });

  it("has no average cost or break-even price without a position", () => {
    const none = state([{ ...full, sold: d("2") }], { ledger });
    expect(profitOf(none, d("150"))).toMatchObject({ position: 0n, averageCost: null, breakEvenPrice: null });
  });

  it("rounds the break-even price up, and the average cost to the nearest", () => {
    const third = state([{ ...full, base: d("3"), cost: d("200") }], {
      ledger: { ...ledger, feesValue: 0n },
    });
    expect(profitOf(third, d("1"))).toMatchObject({
      averageCost: d("66.666666666666666667"),
      breakEvenPrice: d("63.333333333333333334"),
    });
  });

  it("is reported by asset from slots and cash, with first base separate", () => {
    const cash = { KCS: d("-3") };
    const one = state([full], { ledger: { ...ledger, cash } });
    expect(movedBase(one)).toBe(d("1"));
    expect(movedByBooks(one, SYMBOL)).toEqual({ BTC: d("1"), USDT: d("-100"), KCS: d("-3") });
  });
});
