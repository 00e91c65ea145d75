import type { Pair } from "../../kernel/pair.ts";
import { ageOf, HOUR, MINUTE, type Millis, SECOND, timeInPast } from "../../kernel/time.ts";
import type { FillCursor, Span } from "../../model/fill.ts";
import type { Order } from "../../model/order.ts";
import type { Snapshot } from "../../ports/stores/step-store.ts";
import type { FillsOfSpan, Timing } from "../../ports/venue.ts";
import { TRADES_WAIT } from "./order-life.ts";

/** Where the reading of one pair's executions stands within a pass, in market time. */
export interface FillReading {
  /** Everything before it has been read, as far as it can be. */
  readonly from: Millis;
  /** What is known beyond a part that is not: read already, or a time in which nothing of ours can have happened. */
  readonly ahead: Span | null;
  /** The venue's time when it was first asked; undefined before. */
  readonly until: Millis | undefined;
  /** How long a span is asked for next, after an answer that left out the oldest trades of its span. */
  readonly width?: Millis;
}

/** After the last order of a pair has ended, trades of it may still turn up for so long. */
const TRADES_TAIL: Millis = HOUR;

/**
 * Begins where the last pass ended, less the overlap, but never before the first order that can have an unread fill;
 * undefined where there is none, so nothing to read for.
 */
export function startReading(snapshot: Snapshot, symbol: Pair, overlap: Millis): FillReading | undefined {
  const first = firstOfOurs(snapshot, symbol) - overlap;
  if (!Number.isFinite(first)) return undefined;
  const cursor = snapshot.cursors[symbol];
  if (!cursor) return { from: first, ahead: null, until: undefined };
  const quiet = { from: cursor.at + TRADES_TAIL, to: first };
  const skips = quiet.to > quiet.from && (cursor.ahead === null || cursor.ahead.to <= quiet.to);
  // A part that is not read yet goes on from where the last pass got to.
  const from = cursor.ahead && !skips ? cursor.at : cursor.at - overlap;
  // One that begins at the cursor is the mark alone that the last pass was behind.
  const known = cursor.ahead && cursor.ahead.from !== cursor.at ? cursor.ahead : null;
  return { from, ahead: skips ? quiet : known, until: undefined };
}

/**
 * Since when the snapshot tells which trades are booked. Whatever is older is booked as well, if an order of ours has
 * it: an answer may show such, where the exchange takes whole seconds.
 */
export function bookedSince({ orders, cursors }: Snapshot, symbol: Pair, overlap: Millis): Millis {
  const cursor = cursors[symbol];
  if (!cursor) return Number.NEGATIVE_INFINITY;
  const lacking = orders.filter((order) => order.symbol === symbol && order.filled !== order.booked);
  return Math.min(cursor.at, ...lacking.map(({ createdAt }) => createdAt)) - overlap;
}

/**
 * When the first order was placed, or strategy started, whose fills may not all have been read. What a clock that was ahead
 * has written is taken to be within the tail.
 */
function firstOfOurs({ orders, strategies, lease: { now } }: Snapshot, symbol: Pair): Millis {
  const mine = orders.filter((order) => order.symbol === symbol && order.strategy !== null);
  const same = strategies.filter((strategy) => strategy.symbol === symbol);
  const times = [...mine.map(({ createdAt }) => createdAt), ...same.map(({ startedAt }) => startedAt)];
  return Math.min(...times.map((at) => timeInPast(at, now) ?? now - TRADES_TAIL));
}

/** The next span to ask for; undefined when all has been read up to the venue's time at the first question. */
export function nextSpan({ from, ahead, until, width = Number.POSITIVE_INFINITY }: FillReading) {
  if (ahead) return { from, to: Math.min(ahead.from, from + width) };
  return until === undefined || from < until ? { from } : undefined;
}

/**
 * After one more answer. Where an exchange shows the newest trades of a span and leaves out the oldest, those are asked
 * for next; where it does so again, shorter spans from the oldest on, so that each pass gets ahead in the order of time.
 */
export function withAnswer(
  reading: FillReading,
  { told: span, now }: Pick<FillsOfSpan, "told" | "now">,
): FillReading {
  const until = reading.until ?? now;
  if (span.from > reading.from) {
    // The first such answer mostly leaves out less than one more answer shows.
    const width = reading.ahead ? { width: Math.max(SECOND, Math.floor((span.to - span.from) / 2)) } : {};
    const isNearest = !reading.ahead || span.to >= reading.ahead.from;
    // A span that cannot be shortened is read from its end: what was read beyond it is read again.
    const isLeast = span.to - reading.from <= SECOND;
    const to = isNearest && reading.ahead ? reading.ahead.to : span.to;
    const ahead = isNearest || isLeast ? { from: span.from, to } : reading.ahead;
    return { ...reading, until, ahead, ...width };
  }
  const from = Math.max(reading.from, span.to);
  const { ahead, width } = reading;
  if (ahead && from >= ahead.from) return { from: Math.max(from, ahead.to), ahead: null, until };
  return { from, ahead, until, ...(width === undefined ? {} : { width: 2 * width }) };
}

/**
 * Since when, in market time, trades may be missing that orders lack: late ones are waited for, and none of them
 * older than a wait when its order was first seen to lack it.
 */
export function missingSince(orders: readonly Order[], now: Millis, until: Millis): Millis {
  const waits = orders.flatMap(({ behindSince }) =>
    behindSince !== null && ageOf(behindSince, now) < TRADES_WAIT ? [now - behindSince] : [],
  );
  return until - Math.max(Number.NEGATIVE_INFINITY, ...waits.map((waited) => waited + TRADES_WAIT));
}

/** How far a cursor has to move before it is worth a write of its own. */
const WORTH: Millis = 5 * MINUTE;

/**
 * The cursor after a pass: not so near to now that a trade may show later, and not past `most`, from where on trades
 * are waited for. Undefined where it is not worth a write.
 */
export function cursorAfter(
  before: FillCursor | undefined,
  { from, ahead, until }: FillReading,
  { readLag, overlap }: Pick<Timing, "readLag" | "overlap">,
  most: Millis,
): FillCursor | undefined {
  if (until === undefined) return undefined;
  const reached = Math.min(from, until - readLag, most);
  const isBehind = from < until;
  // Where the overlap alone is more than a pass can read, the next pass goes on within it, as the mark ahead tells.
  const at = before && !isBehind ? Math.max(before.at, reached) : reached;
  const end = Math.min(ahead?.to ?? 0, until - readLag - overlap, most);
  const mark = ahead ?? (isBehind ? { from: at, to: at } : null);
  const next = { at, ahead: mark && { from: mark.from, to: Math.max(mark.from, end) } };
  // What is not read to its end goes on from here.
  const worth = isBehind ? 1 : WORTH;
  const isWorth = !before || Math.abs(at - before.at) >= worth || next.ahead?.from !== before.ahead?.from;
  return isWorth ? next : undefined;
}
