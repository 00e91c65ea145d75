import { describe, expect, it } from "vitest";
import {
  causeOfExtra,
  causeOfMissed,
  causeOfOther,
  isBeyondUse,
  quoteUseOf,
  type Recorded,
  slotKey,
} from "../../../src/backtest/cause.ts";
import { ticksOf } from "../../../src/backtest/ticks.ts";
import { candlesOf } from "../../../src/candles/candles.ts";
import type { GridStrategy } from "../../../src/grid/state/state.ts";
import { MINUTE } from "../../../src/kernel/time.ts";
import type { Event } from "../../../src/model/events.ts";
import type { Order } from "../../../src/model/order.ts";
import type { Refusal } from "../../../src/model/strategy.ts";
import { d, state } from "../../support/grid.ts";
import { ACCOUNT, order, strategy } from "../../support/made.ts";
import { execution } from "./executions.ts";

const WITHIN = 2 * MINUTE;
const at = (minutes: number): number => minutes * MINUTE;

/** Ten minutes: each bar goes from 99 to 101, the one of minute 5 to 110; none of minutes 7 and 8. */
const BARS = ticksOf(
  candlesOf(
    { pair: "BTC/USDT", spanMillis: MINUTE },
    [0, 1, 2, 3, 4, 5, 6, 9].map((minute) => ({
      at: at(minute),
      open: "100",
      high: minute === 5 ? "110" : "101",
      low: "99",
      close: "100",
      volume: 1,
    })),
  ),
  d("0.5"),
);

interface Over {
  readonly orders?: readonly Order[];
  readonly done?: readonly ReturnType<typeof execution>[];
  readonly events?: readonly Pick<Event, "kind" | "message" | "at">[];
  readonly refused?: readonly Refusal[];
  readonly placedAt?: readonly number[];
  readonly most?: string;
  readonly grid?: Partial<GridStrategy>;
  readonly bars?: Recorded["bars"];
}

const recorded = ({ orders = [], done = [], events = [], refused = [], ...over }: Over): Recorded => ({
  strategy: {
    ...strategy({ startedAt: 0 }),
    config: { gridLevels: 2 },
    state: state([], { refused }),
    ...over.grid,
  } as GridStrategy,
  orders: new Map([[slotKey({ generation: 0, slot: 0 }), orders]]),
  placedAt: over.placedAt ?? [],
  use: { maxUsed: d(over.most ?? "1000"), rows: [] },
  executed: new Map(done.map((one) => [one.clientId, one])),
  events: events.map((event) => ({ account: ACCOUNT, strategy: "g", ...event })),
  bars: over.bars ?? BARS,
  within: WITHIN,
});

/** A buy that the candles filled at minute 5. */
const MISSED = execution({ clientId: "missed", at: at(5) });
const missed = (over: Over, execution = MISSED) => causeOfMissed(execution, recorded(over));
/** The previous order of the slot, a sell, which had filled by minute 1. */
const SOLD = order({ clientId: "sold", side: "sell", state: "filled", settled: true, createdAt: 0 });
const DONE = execution({ clientId: "sold", side: "sell", at: at(0.5), until: at(1) });
const FREE = { orders: [SOLD], done: [DONE] };

describe("the cause of an execution that only the candles have", () => {
  it("is a later change of the grid before everything else", () => {
    const edit = (time: number) => ({ kind: "edited" as const, message: "", at: time });
    const cause = { code: "edited", of: `edit ${at(6)}`, text: "before the grid was changed" };
    expect(
      missed({ events: [edit(at(2)), edit(at(5) + 1), edit(at(6)), { ...edit(at(7)), kind: "wants" }] }),
    ).toEqual(cause);
    expect(missed({ ...FREE, events: [edit(at(5))] }).code).toBe("late_pass");
  });

  it("is the exchange's refusal of the order", () => {
    const refused = order({ clientId: "no", state: "rejected", createdAt: at(5), reason: "too small" });
    expect(missed({ orders: [order({ clientId: "old", createdAt: 1 }), refused] })).toEqual({
      code: "rejected",
      of: "no",
      text: "the exchange refused the order: too small",
    });
    expect(missed({ orders: [{ ...refused, reason: null }] }).text).toMatch(/: no reason given$/);
    // An order that came later explains nothing.
    const later = missed({ orders: [{ ...refused, createdAt: at(5) + 1 }] });
    expect(later.code).not.toBe("rejected");
  });

  it("is an earlier difference if the slot was on the other side", () => {
    const text = "its slot was on the other side, because of an earlier difference";
    const follows = { code: "follows", of: "slot 0", text };
    const bought = { orders: [{ ...SOLD, side: "buy" as const }], done: [{ ...DONE, side: "buy" as const }] };
    expect(missed(bought)).toEqual(follows);
    expect(missed(bought, { ...MISSED, side: "sell" }).code).toBe("late_pass");
    // A slot whose first order comes later begins with its side.
    const first = order({ createdAt: at(6), side: "sell" });
    expect(missed({ orders: [first] })).toEqual(follows);
    expect(missed({ orders: [{ ...first, side: "buy" }] }).code).toBe("late_pass");
    expect(missed({}, { ...MISSED, side: "sell" })).toEqual(follows);
  });

  it("is a pause until the grid runs again", () => {
    const wants = (message: string, time: number) => ({ kind: "wants" as const, message, at: time });
    const paused = { code: "paused", of: "missed", text: "requested by a person: pause" };
    expect(
      missed({ ...FREE, events: [wants("run", 1), wants("pause", at(5)), wants("run", at(5) + 1)] }),
    ).toEqual(paused);
    expect(missed({ ...FREE, events: [wants("pause", 1), wants("run", at(5))] }).code).toBe("late_pass");
    expect(missed({ ...FREE, events: [{ kind: "error", message: "pause", at: 1 }] }).code).toBe("late_pass");
  });

  it("is the refusal of the slot, as long as it had no order since", () => {
    const refused: readonly Refusal[] = [
      { slot: 1, reason: "no_base" },
      { slot: 0, reason: "no_quote", detail: "5 USDT" },
    ];
    expect(missed({ ...FREE, refused })).toEqual({
      code: "refused",
      of: "slot 0",
      reason: "no_quote",
      text: "slot 0 has no order for lack of quote: 5 USDT",
    });
    const text = (refusal: Refusal) => missed({ ...FREE, refused: [refusal] }).text;
    expect(text({ slot: 0, reason: "no_base" })).toBe("slot 0 has no order for lack of base");
    expect(text({ slot: 0, reason: "market_closed" })).toBe("slot 0 has no order (market closed)");
    const next = order({ clientId: "next", createdAt: at(6) });
    expect(missed({ ...FREE, refused, orders: [SOLD, next] }).code).toBe("late_pass");
  });

  it("is a lack of quote if a buy would have needed more than the grid ever used", () => {
    const cause = {
      code: "refused",
      of: "slot 0",
      reason: "no_quote",
      text: "slot 0 had no order: it would have needed more quote than the grid ever used",
    };
    expect(missed({ ...FREE, most: "199" })).toEqual(cause);
    expect(missed({ ...FREE, most: "200" }).code).toBe("late_pass");
    const bought = { orders: [{ ...SOLD, side: "buy" as const }], done: [{ ...DONE, side: "buy" as const }] };
    expect(missed({ ...bought, most: "199" }, { ...MISSED, side: "sell" }).code).toBe("late_pass");
  });

  it("is unknown if a pass placed other orders meanwhile", () => {
    const text = "slot 0 had no order then; the reason is not stored";
    const cause = { code: "not_placed", of: "slot 0", text };
    // The slot was free at minute 1; a pass has two minutes from then on.
    expect(missed({ ...FREE, placedAt: [at(3) + 1] })).toEqual(cause);
    expect(missed({ ...FREE, placedAt: [at(5)] })).toEqual(cause);
    expect(missed({ ...FREE, placedAt: [at(3), at(5) + 1] }).code).toBe("late_pass");
    expect(missed({ grid: { startedAt: at(3) }, placedAt: [at(5)] }).code).toBe("late_pass");
    expect(missed({ grid: { startedAt: at(2) }, placedAt: [at(5)] }).code).toBe("not_placed");
  });

  it("is a late pass otherwise, which the next order of the slot shows", () => {
    const next = order({ clientId: "next", createdAt: at(6) });
    expect(missed({ ...FREE, orders: [SOLD, next, order({ createdAt: at(9) })] })).toEqual({
      code: "late_pass",
      of: `pass ${at(6)}`,
      text: "no pass for 5 min: the next order of slot 0 was placed after the price had passed",
    });
    // A slot is free from the very time of its last fill.
    expect(missed({ orders: [SOLD], done: [{ ...DONE, until: at(5) }] }).code).toBe("late_pass");
    const now = { orders: [{ ...SOLD, createdAt: at(5) }], done: [{ ...DONE, at: at(5), until: at(5) }] };
    expect(missed(now)).toMatchObject({ code: "late_pass", of: "pass to come" });
    expect(missed(FREE)).toEqual({
      code: "late_pass",
      of: "pass to come",
      text: "no pass since: slot 0 has no order yet",
    });
  });

  const PARTS = { clientId: "sold", at: at(4), until: at(6), parts: 3, side: "sell" as const };
  it("is an order before it that filled in parts", () => {
    const before = { ...SOLD, settled: false, amount: d("2") };
    const partly = { ...before, booked: d("1") };
    expect(missed({ orders: [partly], done: [DONE] })).toEqual({
      code: "parts",
      of: "sold",
      text: "the sell before it had filled only in part",
    });
    expect(missed({ orders: [{ ...before, booked: d("2") }], done: [execution(PARTS)] })).toEqual({
      code: "parts",
      of: "sold",
      text: "the sell before it filled in 3 parts, the last one later",
    });
    const whole = { ...before, booked: d("2") };
    const codeOf = (over: object) =>
      missed({ orders: [whole], done: [execution({ ...PARTS, ...over })] }).code;
    expect([codeOf({ at: at(5) }), codeOf({ at: at(5) + 1 }), codeOf({ until: at(5) })]).toEqual([
      "parts",
      "follows",
      "follows",
    ]);
  });

  it("is an order of the slot that was canceled, or stayed open", () => {
    const open = order({ clientId: "open", createdAt: at(4), price: d("99.5") });
    expect(missed({ orders: [open] })).toEqual({
      code: "resting",
      of: "open",
      text: "its order was open at 99.5 and did not fill, although the candles pass this price",
    });
    expect(missed({ orders: [{ ...open, state: "canceled", reason: "by a person" }] })).toEqual({
      code: "canceled",
      of: "open",
      text: "its order was canceled: by a person",
    });
    expect(missed({ orders: [{ ...open, state: "expired" }] }).text).toBe("its order was expired");
    expect(missed({ orders: [{ ...open, side: "sell" }] })).toEqual({
      code: "follows",
      of: "open",
      text: "its slot was on the other side, because of an earlier difference",
    });
    // Its buy filled in part: that is no part of another side's.
    const partly = { ...open, booked: d("1"), state: "partially_filled" as const };
    const part = execution({ clientId: "open", amount: d("1"), at: at(4), until: at(4) });
    expect(missed({ orders: [partly], done: [part] }).code).toBe("resting");
  });
});

describe("the cause of an execution that only the record has", () => {
  const extra = (over: Over, own = {}) =>
    causeOfExtra(execution({ clientId: "extra", at: at(3), ...own }), recorded(over));

  it("is a later change of the grid before everything else", () => {
    expect(extra({ events: [{ kind: "edited", message: "", at: at(4) }] }).code).toBe("edited");
  });

  it("is a stop that a person requested and that sold the base", () => {
    const stopped = (reason: string, wants: "stop" | "run" = "stop", slot = 2) =>
      extra({ grid: { wants, state: state([], { exit: { reason } as never }) } }, { slot });
    expect(stopped("stop")).toEqual({ code: "stopped", of: "extra", text: "a requested stop sold its base" });
    const others = [stopped("stop_loss"), stopped("stop", "run"), stopped("stop", "stop", 1)];
    expect(others.map(({ code }) => code)).toEqual(["within_bar", "within_bar", "within_bar"]);
  });

  it("is a price that no candle around it reaches, or the unknown path within them", () => {
    const notShown = { code: "not_shown", of: "extra", text: "the candles never reach 108 here" };
    // The bar of minute 5 is at most two minutes away from minute 3, and three from minute 2.
    expect(extra({}, { price: d("108"), at: at(3) - 1 })).toEqual(notShown);
    const path = { code: "within_bar", of: "extra", text: "the price path within the candle is unknown" };
    expect(extra({}, { price: d("108"), at: at(3) + 1 })).toEqual(path);
    const codes = (price: string) => extra({}, { price: d(price), at: at(2) }).code;
    expect(["98.5", "99", "101", "101.5"].map(codes)).toEqual([
      "not_shown",
      "within_bar",
      "within_bar",
      "not_shown",
    ]);
    // The bar of minute 5 lasts until minute 6: it reaches to minute 8.
    expect(extra({}, { price: d("108"), at: at(8) }).code).toBe("within_bar");
    expect(extra({}, { price: d("108"), at: at(8) + 1 }).code).toBe("not_shown");
  });

  it("is unknown where candles are missing", () => {
    const text = "there are no candles for this time";
    expect(extra({}, { at: at(13) })).toEqual({ code: "missing_bars", of: "extra", text });
    expect(extra({}, { at: at(12) }).code).toBe("within_bar");
  });
});

it("what differs in an order of both is its parts, then its amount, then its price by a tick", () => {
  const differs = (record: object, tick = "0.5") =>
    causeOfOther({ record: execution({ clientId: "one", ...record }), candles: execution() }, d(tick));
  expect(differs({ parts: 2, amount: d("1") })).toEqual({
    code: "parts",
    of: "one",
    text: "it filled in 2 parts",
  });
  expect(differs({ amount: d("1"), price: d("90") })).toEqual({
    code: "amount",
    of: "one",
    text: "1 instead of 2",
  });
  expect(differs({ price: d("100.5") })).toEqual({ code: "price", of: "one", text: "100.5 instead of 100" });
  expect(differs({ price: d("99.5") })?.text).toBe("99.5 instead of 100");
  expect([differs({ price: d("100.49") }), differs({ price: d("99.51") })]).toEqual([undefined, undefined]);
});

const executions = new Map(
  [
    // All of the first buy, half of the second one, and a sell of 2 at 110.
    execution({ clientId: "whole", at: 2000, until: 2500 }),
    execution({ clientId: "half", amount: d("1"), at: 4000, until: 4500 }),
    execution({ clientId: "sold", side: "sell", price: d("110"), at: 5000, until: 5500 }),
  ].map((one) => [one.clientId, one]),
);
const USE = quoteUseOf(
  [
    order({ clientId: "whole", createdAt: 1000, endedAt: 2500, state: "filled" }),
    // It is canceled with half of its amount left, which frees 100 once it has ended.
    order({ clientId: "half", createdAt: 3000, endedAt: 4200, state: "canceled" }),
    order({
      clientId: "sold",
      createdAt: 2600,
      side: "sell",
      price: d("109"),
      state: "filled",
      endedAt: 5500,
    }),
    // These use nothing: a sell that did not fill, and a buy that the exchange refused.
    order({ clientId: "unsold", createdAt: 2600, side: "sell" }),
    order({ clientId: "refused", createdAt: 2700, state: "rejected", endedAt: 2700 }),
    // It is canceled without any fill.
    order({ clientId: "none", createdAt: 6000, endedAt: 7000, state: "canceled", amount: d("0.5") }),
    order({ clientId: "open", createdAt: 8000, amount: d("0.1") }),
  ],
  executions,
);

it("a grid uses quote in its buys, from their creation, and less after a sale or a canceled rest", () => {
  expect(USE).toEqual({
    maxUsed: d("400"),
    rows: [
      [1000, "200"],
      [3000, "400"],
      [4500, "300"],
      [5500, "80"],
      [6000, "130"],
      [7000, "80"],
      [8000, "90"],
    ].map(([at, used]) => ({ at, used: d(String(used)) })),
  });
  expect(quoteUseOf([], executions)).toEqual({ maxUsed: 0n, rows: [] });
});

it("an order is beyond the use if it would have needed more than the grid ever used", () => {
  const costs = (at: number, amount: string) => isBeyondUse(USE, execution({ at, amount: d(amount) }));
  // 100 are left of 400 at 4,500, and all of them before the first order.
  expect([costs(4500, "1"), costs(4500, "1.01"), costs(4499, "0.01"), costs(3000, "0")]).toEqual([
    false,
    true,
    true,
    false,
  ]);
  expect([costs(0, "4"), costs(0, "4.01"), costs(9999, "3.1"), costs(9999, "3.11")]).toEqual([
    false,
    true,
    false,
    true,
  ]);
});
