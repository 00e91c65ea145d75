import fc from "fast-check";
import { expect, it } from "vitest";
import { cursorAfter, nextSpan, startReading, withAnswer } from "../../src/engine/reconcile/order-fills.ts";
import { DAY, HOUR, MINUTE, type Millis, SECOND } from "../../src/kernel/time.ts";
import type { FillCursor } from "../../src/model/order.ts";
import type { Snapshot } from "../../src/ports/stores/pass-store.ts";
import type { VenueFill } from "../../src/ports/venue.ts";
import { windowed } from "../simulation/fill-windows.ts";

const PAIR = "BTC/USDT";
const TIMING = { readLag: MINUTE, overlap: 2 * MINUTE };
const NOBODY_WAITS = Number.POSITIVE_INFINITY;

const snapshotOf = (since: Millis | undefined, cursor: FillCursor | undefined, now = since ?? 0): Snapshot =>
  ({
    lease: { now },
    cursors: cursor ? { [PAIR]: cursor } : {},
    orders: since === undefined ? [] : [{ symbol: PAIR, strategy: "g", createdAt: since }],
    strategies: [],
  }) as unknown as Snapshot;

interface Venue {
  readonly trades: readonly { readonly at: Millis; readonly shownAt: Millis }[];
  readonly page: number;
  readonly span: Millis;
}

interface Passes {
  readonly questions: number;
  readonly now: Millis;
  /** Where earlier passes stopped. */
  readonly before?: FillCursor | undefined;
}

/** Passes of a few questions each, until one has asked all that it had to. */
function readAll(venue: Venue, start: Millis, { questions, now, before }: Passes) {
  const found = new Set<string>();
  let cursor = before;
  for (let passes = 0; passes < 500; passes++) {
    const at = now + passes * 5 * SECOND;
    const shown = venue.trades.flatMap((trade, id) =>
      trade.shownAt <= at ? [{ id: String(id), at: trade.at } as VenueFill] : [],
    );
    let reading = startReading(snapshotOf(start, cursor, at), PAIR, TIMING.overlap);
    if (!reading) throw new Error("there is an order to read for");
    let span = nextSpan(reading);
    for (let requestCount = 0; span && requestCount < questions; requestCount++) {
      const answer = windowed(venue, { from: span.from, to: span.to ?? at }, { fills: shown, now: at });
      for (const { id } of answer.fills) found.add(id);
      reading = withAnswer(reading, answer);
      span = nextSpan(reading);
    }
    cursor = cursorAfter(cursor, reading, TIMING, NOBODY_WAITS) ?? cursor;
    // What the cursor leaves behind is read.
    for (const [id, trade] of venue.trades.entries())
      if (trade.at < (cursor?.at ?? 0) - TIMING.overlap) expect(found).toContain(String(id));
    if (!span && at >= now + 2 * TIMING.readLag) return { found, passes };
  }
  throw new Error("it does not come to an end");
}

it("finds every trade with as little as one request a pass, for any span and page size", () => {
  const trade = fc.record({
    at: fc.integer({ min: 0, max: 100 * DAY }),
    late: fc.integer({ min: 0, max: TIMING.readLag }),
  });
  const burst = fc
    .tuple(
      fc.integer({ min: 0, max: 100 * DAY }),
      fc.array(fc.integer({ min: 0, max: MINUTE }), { maxLength: 40 }),
    )
    .map(([from, after]) => after.map((ms) => ({ at: from + ms, late: 0 })));
  fc.assert(
    fc.property(
      fc.array(trade, { maxLength: 30 }),
      burst,
      fc.integer({ min: 1, max: 7 }),
      fc.constantFrom(HOUR * 20, 7 * DAY, 30 * DAY, Number.POSITIVE_INFINITY),
      fc.integer({ min: 1, max: 8 }),
      fc.option(fc.integer({ min: 0, max: 100 * DAY })),
      (some, many, page, span, questions, mark) => {
        const trades = [...some, ...many].map(({ at, late }) => ({ at, shownAt: at + late }));
        const before = mark === null ? undefined : { at: 0, ahead: { from: mark, to: mark } };
        const { found } = readAll({ trades, page, span }, 0, { questions, now: 101 * DAY, before });
        expect(found.size).toBe(trades.length);
      },
    ),
    { numRuns: 80 },
  );
});

it("makes progress in each pass if the oldest trades fill pages and the exchange limits the span", () => {
  const trades = [753, 1175, 4 * MINUTE, 15 * MINUTE].map((at) => ({ at, shownAt: at }));
  const before = { at: 0, ahead: { from: 20 * MINUTE, to: 20 * MINUTE } };
  const venue = { trades, page: 1, span: 10 * MINUTE };
  for (const questions of [1, 2, 3, 8])
    expect(readAll(venue, 0, { questions, now: HOUR, before }).found.size, `${questions} requests`).toBe(4);
});

it("continues where it stopped, and requests a quiet year only for possible missing fills", () => {
  const cursor = { at: 10 * DAY, ahead: null };
  const spans: unknown[] = [];
  let reading = startReading(snapshotOf(300 * DAY, cursor), PAIR, TIMING.overlap);
  for (let span = reading && nextSpan(reading); reading && span; span = nextSpan(reading)) {
    spans.push([span.from, span.to]);
    const now = 301 * DAY;
    reading = withAnswer(reading, { covered: { from: span.from, to: span.to ?? now }, now });
  }
  expect(spans).toEqual([
    [10 * DAY - TIMING.overlap, 10 * DAY + HOUR],
    [300 * DAY - TIMING.overlap, undefined],
  ]);
});

it("reads nothing if none of the grid's orders can have an unread fill", () => {
  expect(startReading(snapshotOf(undefined, { at: DAY, ahead: null }), PAIR, MINUTE)).toBeUndefined();
});

it("advances for a quiet pair, but not every pass and not so close to now that it skips late trades", () => {
  const after = (until: Millis, before: FillCursor) =>
    cursorAfter(before, { from: until, ahead: null, until }, TIMING, NOBODY_WAITS);
  const cursor = { at: DAY, ahead: null };
  expect(after(DAY + 2 * MINUTE, cursor)).toBeUndefined();
  expect(after(DAY + 6 * MINUTE, cursor)).toEqual({ at: DAY + 5 * MINUTE, ahead: null });
  const waited = cursorAfter(cursor, { from: 2 * DAY, ahead: null, until: 2 * DAY }, TIMING, DAY + HOUR);
  expect(waited).toEqual({ at: DAY + HOUR, ahead: null });
});
