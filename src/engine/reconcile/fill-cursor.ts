import type { Pair } from "../../kernel/pair.ts";
import { ageOf, HOUR, MINUTE, type Millis, SECOND, timeInPast } from "../../kernel/time.ts";
import type { FillCursor, Span } from "../../model/fill.ts";
import type { Order } from "../../model/order.ts";
import type { Snapshot } from "../../ports/stores/step-store.ts";
import type { FillsOfSpan, Timing } from "../../ports/venue.ts";
import { TRADES_WAIT } from "./order-life.ts";

/** Position of reading one pair's executions within a pass, in market time. */
export interface FillReading {
  /** Everything before it was read, as far as possible. */
  readonly from: Millis;
  /** A span after the unread part that needs no query: already read, or a time without own activity. */
  readonly ahead: Span | null;
  /** Exchange time of the first query; undefined before it. */
  readonly until: Millis | undefined;
  /** Width of the next query, after a response that left out the oldest trades of its span. */
  readonly width?: Millis;
  /** What such a response covered, nearer than the span ahead. A pass that ends here stores it, and the next continues there. */
  readonly nearer?: Span;
}

/** How long after a pair's last order ended its trades can still appear. */
const TRADES_TAIL: Millis = HOUR;

/**
 * Starts where the last pass ended, minus the overlap, but not before the first order with possibly unread fills;
 * undefined if there is none.
 */
export function startReading(snapshot: Snapshot, symbol: Pair, overlap: Millis): FillReading | undefined {
  const first = firstOfOurs(snapshot, symbol) - overlap;
  if (!Number.isFinite(first)) return undefined;
  const cursor = snapshot.cursors[symbol];
  if (!cursor) return { from: first, ahead: null, until: undefined };
  const quiet = { from: cursor.at + TRADES_TAIL, to: first };
  const skips = quiet.to > quiet.from && (cursor.ahead === null || cursor.ahead.to <= quiet.to);
  // An unread part continues from where the last pass stopped.
  const from = cursor.ahead && !skips ? cursor.at : cursor.at - overlap;
  // A span that begins at the cursor only marks that the last pass was behind.
  const known = cursor.ahead && cursor.ahead.from !== cursor.at ? cursor.ahead : null;
  return { from, ahead: skips ? quiet : known, until: undefined };
}

/**
 * Returns the time since which the snapshot lists booked trades. Older trades of our orders are booked as well; a
 * response can contain them if the exchange uses whole seconds.
 */
export function bookedSince({ orders, cursors }: Snapshot, symbol: Pair, overlap: Millis): Millis {
  const cursor = cursors[symbol];
  if (!cursor) return Number.NEGATIVE_INFINITY;
  const lacking = orders.filter((order) => order.symbol === symbol && order.filled !== order.booked);
  return Math.min(cursor.at, ...lacking.map(({ createdAt }) => createdAt)) - overlap;
}

/**
 * Returns when the first order or strategy with possibly unread fills began. A time that a clock ahead wrote counts
 * as within the tail.
 */
function firstOfOurs({ orders, strategies, lease: { now } }: Snapshot, symbol: Pair): Millis {
  const mine = orders.filter((order) => order.symbol === symbol && order.strategy !== null);
  const same = strategies.filter((strategy) => strategy.symbol === symbol);
  const times = [...mine.map(({ createdAt }) => createdAt), ...same.map(({ startedAt }) => startedAt)];
  return Math.min(...times.map((at) => timeInPast(at, now) ?? now - TRADES_TAIL));
}

/** Returns the next span to query; undefined when everything up to the first query's exchange time was read. */
export function nextSpan({ from, ahead, until, width = Number.POSITIVE_INFINITY }: FillReading) {
  if (ahead) return { from, to: Math.min(ahead.from, from + width) };
  return until === undefined || from < until ? { from } : undefined;
}

/**
 * Returns the position after a response. If the exchange left out the oldest trades, the next query covers them; if
 * it does so again, shorter spans from the oldest on, so each pass makes progress.
 */
export function withAnswer(
  reading: FillReading,
  { covered: span, now }: Pick<FillsOfSpan, "covered" | "now">,
): FillReading {
  const until = reading.until ?? now;
  if (span.from > reading.from) {
    // The first such response usually omits less than one more response contains.
    const width = reading.ahead ? { width: Math.max(SECOND, Math.floor((span.to - span.from) / 2)) } : {};
    const isNearest = !reading.ahead || span.to >= reading.ahead.from;
    // A span that cannot be shortened is read from its end: what was read beyond it is read again.
    const isLeast = span.to - reading.from <= SECOND;
    const to = isNearest && reading.ahead ? reading.ahead.to : span.to;
    if (isNearest || isLeast) return { from: reading.from, until, ahead: { from: span.from, to }, ...width };
    return { ...reading, until, nearer: span, ...width };
  }
  const from = Math.max(reading.from, span.to);
  const { ahead, width } = reading;
  if (ahead && from >= ahead.from) return { from: Math.max(from, ahead.to), ahead: null, until };
  return { from, ahead, until, ...(width === undefined ? {} : { width: 2 * width }) };
}

/**
 * Returns the market time since which trades can be missing: late trades are awaited for a limited time after their
 * order was first seen to lack them.
 */
export function missingSince(orders: readonly Order[], now: Millis, until: Millis): Millis {
  const waits = orders.flatMap(({ behindSince }) =>
    behindSince !== null && ageOf(behindSince, now) < TRADES_WAIT ? [now - behindSince] : [],
  );
  return until - Math.max(Number.NEGATIVE_INFINITY, ...waits.map((waited) => waited + TRADES_WAIT));
}

/** Minimum movement of a cursor that justifies a separate write. */
const WORTH: Millis = 5 * MINUTE;

/**
 * Returns the cursor after a pass: not so recent that a trade can still appear before it, and not after `most`, from
 * where trades are awaited. Undefined if no write is needed.
 */
export function cursorAfter(
  before: FillCursor | undefined,
  { from, until, ...reading }: FillReading,
  { readLag, overlap }: Pick<Timing, "readLag" | "overlap">,
  most: Millis,
): FillCursor | undefined {
  if (until === undefined) return undefined;
  const ahead = reading.nearer ?? reading.ahead;
  const reached = Math.min(from, until - readLag, most);
  const isBehind = from < until;
  // If the overlap alone exceeds what a pass can read, the next pass continues within it, at the mark ahead.
  const at = before && !isBehind ? Math.max(before.at, reached) : reached;
  const end = Math.min(ahead?.to ?? 0, until - readLag - overlap, most);
  const mark = ahead ?? (isBehind ? { from: at, to: at } : null);
  const next = { at, ahead: mark && { from: mark.from, to: Math.max(mark.from, end) } };
  // An incomplete read continues from here.
  const worth = isBehind ? 1 : WORTH;
  const isWorth = !before || Math.abs(at - before.at) >= worth || next.ahead?.from !== before.ahead?.from;
  return isWorth ? next : undefined;
}
