import { describe, expect, it } from "vitest";
import {
  bookedSince,
  cursorAfter,
  missingSince,
  nextSpan,
  startReading,
  TRADES_WAIT,
  withAnswer,
} from "../../../src/engine/reconcile/order-fills.ts";
import { HOUR, MINUTE, SECOND } from "../../../src/kernel/time.ts";
import type { FillCursor, Order } from "../../../src/model/order.ts";
import { d } from "../../support/grid.ts";
import { ACCOUNT, order, SYMBOL, snapshot, strategy } from "../../support/made.ts";

const OVERLAP = 100;
const AT = 10 * HOUR;
const NOW = 20 * HOUR;
const holding = (cursor: FillCursor | undefined, orders: readonly Order[] = [], strategies = [strategy()]) =>
  snapshot({
    cursors: cursor ? { [SYMBOL]: cursor } : {},
    orders,
    strategies,
    lease: { account: ACCOUNT, token: 1, owner: "one", now: NOW, until: NOW + MINUTE },
  });
const start = (...given: Parameters<typeof holding>) => startReading(holding(...given), SYMBOL, OVERLAP);
const at = (createdAt: number, over: Partial<Order> = {}) => order({ createdAt, ...over });

describe("the start of reading", () => {
  it("is at the first order or strategy of the pair, minus the overlap", () => {
    const fresh = (from: number) => ({ from, ahead: null, until: undefined });
    expect(start(undefined)).toEqual(fresh(500 - OVERLAP));
    expect(start(undefined, [at(300), at(400)])).toEqual(fresh(300 - OVERLAP));
    const others = [at(1, { symbol: "ETH/USDT" }), at(2, { strategy: null })];
    expect(start(undefined, others)).toEqual(fresh(500 - OVERLAP));
    const elsewhere = [strategy({ symbol: "ETH/USDT", startedAt: 1 }), strategy()];
    expect(start(undefined, [], elsewhere)).toEqual(fresh(500 - OVERLAP));
    expect(start({ at: AT, ahead: null }, others, [])).toBeUndefined();
  });

  it("is at the end of the last pass, minus the overlap", () => {
    expect(start({ at: AT, ahead: null })).toEqual({ from: AT - OVERLAP, ahead: null, until: undefined });
  });

  it("is where the last pass stopped, while a part is unread", () => {
    const ahead = { from: AT + 5, to: AT + 9 };
    expect(start({ at: AT, ahead })).toEqual({ from: AT, ahead, until: undefined });
  });

  const only = (first: number, ahead: FillCursor["ahead"] = null) =>
    start({ at: AT, ahead }, [at(first + OVERLAP)], [])?.ahead;
  const quietFrom = AT + HOUR;

  it("skips a quiet time before the first order", () => {
    expect(only(quietFrom)).toBe(null);
    expect(only(quietFrom + 1)).toEqual({ from: quietFrom, to: quietFrom + 1 });
  });

  it("treats a future timestamp of a strategy or order as within the last hour", () => {
    const [later, ahead] = [NOW + 24 * HOUR, NOW + 1];
    const fresh = { from: NOW - HOUR - OVERLAP, ahead: null, until: undefined };
    expect(start(undefined, [], [strategy({ startedAt: later })])).toEqual(fresh);
    expect(start(undefined, [at(ahead)], [])).toEqual(fresh);
    const cursor = { at: NOW - 2 * HOUR, ahead: null };
    expect(start(cursor, [], [strategy({ startedAt: later })])?.ahead).toBeNull();
  });

  it("skips the quiet time only if it extends beyond the range that was read ahead", () => {
    const ahead = { from: quietFrom + 5, to: quietFrom + 10 };
    expect(only(quietFrom + 9, ahead)).toBe(ahead);
    expect(only(quietFrom + 10, ahead)).toEqual({ from: quietFrom, to: quietFrom + 10 });
    expect(only(quietFrom - 5, { from: 1, to: quietFrom - 9 })).toEqual({ from: 1, to: quietFrom - 9 });
  });
});

describe("the time after which booked trades are known", () => {
  const since = (orders: readonly Order[], cursor: FillCursor | undefined = { at: AT, ahead: null }) =>
    bookedSince(holding(cursor, orders), SYMBOL, OVERLAP);
  const lacking = { filled: d("2"), booked: d("1") };

  it("is the cursor, or an earlier order that lacks trades, minus the overlap", () => {
    expect(since([])).toBe(AT - OVERLAP);
    expect(since([at(AT + 5, lacking)])).toBe(AT - OVERLAP);
    expect(since([at(70, lacking), at(60, lacking), at(80, lacking)])).toBe(60 - OVERLAP);
    expect(since([at(70), at(50, { ...lacking, symbol: "ETH/USDT" })])).toBe(AT - OVERLAP);
  });

  it("is the beginning of time if nothing was read yet", () => {
    const fresh = bookedSince(holding(undefined, [at(70, lacking)]), SYMBOL, OVERLAP);
    expect(fresh).toBe(Number.NEGATIVE_INFINITY);
  });
});

describe("a trades request and its response", () => {
  const reading = { from: 10, ahead: null, until: undefined };

  it("reads up to the known range or up to now, until now is reached", () => {
    expect(nextSpan(reading)).toEqual({ from: 10 });
    expect(nextSpan({ ...reading, ahead: { from: 20, to: 30 } })).toEqual({ from: 10, to: 20 });
    expect(nextSpan({ ...reading, until: 11 })).toEqual({ from: 10 });
    expect(nextSpan({ ...reading, until: 10 })).toBeUndefined();
  });

  const answer = (from: number, to: number, before: Parameters<typeof withAnswer>[0] = reading) =>
    withAnswer(before, { covered: { from, to }, now: 99 });

  it("continues after the returned trades, and stores the time of the first response", () => {
    expect(answer(10, 40)).toEqual({ from: 40, ahead: null, until: 99 });
    expect(answer(10, 40, { ...reading, until: 90 }).until).toBe(90);
    expect(answer(5, 8)).toEqual({ from: 10, ahead: null, until: 99 });
  });

  it("stores a range that was returned beyond an unread part separately", () => {
    expect(answer(30, 50)).toEqual({ from: 10, ahead: { from: 30, to: 50 }, until: 99 });
    const ahead = { from: 40, to: 60 };
    expect(answer(30, 40, { ...reading, ahead })).toEqual({
      from: 10,
      ahead: { from: 30, to: 60 },
      until: 99,
      width: SECOND,
    });
    expect(answer(10, 39, { ...reading, ahead })).toEqual({ from: 39, ahead, until: 99 });
    expect(answer(10, 40, { ...reading, ahead })).toEqual({ from: 60, ahead: null, until: 99 });
    expect(answer(10, 70, { ...reading, ahead })).toEqual({ from: 70, ahead: null, until: 99 });
  });
});

describe("a response without the oldest trades of its span", () => {
  const from = 10 * MINUTE;
  const first = withAnswer(
    { from, ahead: null, until: undefined },
    { covered: { from: from + 10 * MINUTE, to: from + 11 * MINUTE }, now: from + 11 * MINUTE },
  );
  const cut = withAnswer(first, {
    covered: { from: from + 8 * MINUTE, to: from + 10 * MINUTE },
    now: from + 11 * MINUTE,
  });

  it("is followed by a request for all trades that it omitted", () => {
    expect(nextSpan(first)).toEqual({ from, to: from + 10 * MINUTE });
  });

  it("a second time is followed by requests for half of its span, from the oldest trades on", () => {
    expect(nextSpan(cut)).toEqual({ from, to: from + MINUTE });
  });

  it("of one second is followed by a request for its remainder, although more was read beyond it", () => {
    const ahead = { from: from + MINUTE, to: from + HOUR };
    const second = withAnswer(
      { from, ahead, until: from + HOUR, width: SECOND },
      { covered: { from: from + 700, to: from + SECOND }, now: from + HOUR },
    );
    expect(nextSpan(second)).toEqual({ from, to: from + 700 });
    const rest = withAnswer(second, { covered: { from, to: from + 700 }, now: from + HOUR });
    expect(nextSpan(rest)).toEqual({ from: from + SECOND });
  });

  it("is followed by spans that double after each complete response, up to its span", () => {
    const next = withAnswer(cut, { covered: { from, to: from + MINUTE }, now: from + 11 * MINUTE });
    expect(nextSpan(next)).toEqual({ from: from + MINUTE, to: from + 3 * MINUTE });
    const wide = { ...next, width: HOUR };
    expect(nextSpan(wide)).toEqual({ from: from + MINUTE, to: from + 8 * MINUTE });
  });
});

describe("the time from which trades may be missing", () => {
  const lacks = (behindSince: number | null) => order({ behindSince });

  it("is a wait before an order was first observed to lack them", () => {
    const now = AT;
    expect(missingSince([lacks(now - 5), lacks(now - 70), lacks(null)], now, 5_000)).toBe(
      5_000 - 70 - TRADES_WAIT,
    );
    expect(missingSince([lacks(null)], now, 5_000)).toBe(Number.POSITIVE_INFINITY);
    expect(missingSince([lacks(now - TRADES_WAIT)], now, 5_000)).toBe(Number.POSITIVE_INFINITY);
    expect(missingSince([lacks(now - TRADES_WAIT + 1)], now, 5_000)).toBe(5_000 + 1 - 2 * TRADES_WAIT);
  });
});

describe("the cursor after a pass", () => {
  const TIMING = { readLag: 60, overlap: 20 };
  const moved = (
    before: FillCursor | undefined,
    reading: Partial<Parameters<typeof cursorAfter>[1]>,
    most = Number.POSITIVE_INFINITY,
  ) => cursorAfter(before, { from: 1_000, ahead: null, until: 1_000, ...reading }, TIMING, most);

  it("is where reading stopped, minus a read lag, and no later than expected trades", () => {
    expect(moved(undefined, {})).toEqual({ at: 940, ahead: null });
    expect(moved(undefined, {}, 300)).toEqual({ at: 300, ahead: null });
    expect(moved(undefined, { until: undefined })).toBeUndefined();
  });

  it("leaves a mark where a pass stopped reading, and the next pass continues there without overlap", () => {
    const behind = { from: 500, until: 1_000 };
    const cursor = { at: 500, ahead: { from: 500, to: 500 } };
    expect(moved(undefined, behind)).toEqual(cursor);
    expect(moved({ at: 900, ahead: null }, behind)).toEqual(cursor);
    expect(start({ at: AT, ahead: { from: AT, to: AT } })).toEqual({
      from: AT,
      ahead: null,
      until: undefined,
    });
    expect(moved(cursor, { from: 1_000, until: 1_000 })).toEqual({ at: 940, ahead: null });
    // What is not known any more beyond an unread part still bounds the next question.
    const bound = { at: AT, ahead: { from: AT + 9, to: AT + 9 } };
    expect(start(bound)).toEqual({ from: AT, ahead: bound.ahead, until: undefined });
  });

  it("moves only by five minutes or more", () => {
    const before = { at: 100, ahead: null };
    const until = 100 + 5 * MINUTE + TIMING.readLag;
    expect(moved(before, { from: until - 1, until: until - 1 })).toBeUndefined();
    expect(moved(before, { from: until, until })).toEqual({ at: 100 + 5 * MINUTE, ahead: null });
    expect(moved({ at: 5_000, ahead: null }, {})).toBeUndefined();
    const behind = moved({ at: 5_000, ahead: null }, { ahead: { from: 800, to: 900 } });
    expect(behind).toEqual({ at: 5_000, ahead: { from: 800, to: 900 } });
  });

  it("moves back if a pass could not read the whole overlap, and reading resumes from there", () => {
    const ahead = { from: 4_500, to: 4_600 };
    const back = moved({ at: 5_000, ahead: null }, { from: 4_200, until: 6_000, ahead });
    expect(back).toEqual({ at: 4_200, ahead });
    expect(moved({ at: 5_000, ahead: null }, { from: 4_200, until: 4_200 })).toBeUndefined();
  });

  it("retains the range that was read ahead, except for trades that may still appear late", () => {
    expect(moved(undefined, { from: 500, ahead: { from: 800, to: 990 } })?.ahead).toEqual({
      from: 800,
      to: 920,
    });
    expect(moved(undefined, { from: 500, ahead: { from: 919, to: 990 } })?.ahead).toEqual({
      from: 919,
      to: 920,
    });
    expect(moved(undefined, { from: 500, ahead: { from: 920, to: 990 } })?.ahead).toEqual({
      from: 920,
      to: 920,
    });
    const known = { at: 500, ahead: { from: 800, to: 850 } };
    expect(moved(known, { from: 500, ahead: { from: 800, to: 900 } })).toBeUndefined();
    expect(moved(known, { from: 501, ahead: { from: 800, to: 900 } })?.at).toBe(501);
    expect(moved(known, { from: 500, ahead: { from: 700, to: 900 } })?.ahead).toEqual({ from: 700, to: 900 });
    expect(moved(known, { from: 500 })).toEqual({ at: 500, ahead: { from: 500, to: 500 } });
  });
});
