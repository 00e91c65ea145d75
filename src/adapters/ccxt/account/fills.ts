import { messageOf, VenueError } from "../../../kernel/errors.ts";
import type { Pair } from "../../../kernel/pair.ts";
import { MINUTE, type Millis } from "../../../kernel/time.ts";
import type { Span } from "../../../model/fill.ts";
import type { FillsOfSpan, FillsRead, UnreadableFill, VenueFill } from "../../../ports/venue.ts";
import type { Ccxt, Dict } from "../client/ccxt.ts";
import { MOST_LIST_PAGES, type Quirks } from "../client/quirks.ts";
import { venueFillOf } from "./reading.ts";
import type { PrivateSession } from "./session.ts";

/** Tolerance for clock differences and request times near the end of the exchange's history. */
const MARGIN: Millis = MINUTE;

/** Makes one query for own executions, as far as the exchange supports it. */
export async function readSpan(
  { session, quirks }: { session: PrivateSession; quirks: Quirks },
  symbol: Pair,
  request: { readonly from: Millis; readonly to?: Millis | undefined },
): Promise<FillsOfSpan> {
  const { tick, span = Number.POSITIVE_INFINITY, back = Number.POSITIVE_INFINITY } = quirks.fillReach;
  const now = session.now();
  const end = Math.min(request.to ?? now, now);
  const from = down(Math.max(request.from, now - back + MARGIN), tick);
  const to = Math.min(up(end + (request.to === undefined ? 1 : 0), tick), from + span);
  // It is unknown what the exchange has forgotten.
  if (to <= from) return { fills: [], unreadable: [], covered: { from: request.from, to: end }, now };
  const { rows, first } = await readPages(session, quirks, symbol, { from, to });
  const result = { from: Math.max(request.from, first), to: Math.min(to, end) };
  return { ...readFillRows(rows, symbol), covered: result, now };
}

/** Returns all executions of some orders, as far as the exchange still has them. */
export async function readOrders(
  { session, quirks }: { session: PrivateSession; quirks: Quirks },
  symbol: Pair,
  orderIds: readonly string[],
  since: Millis,
): Promise<FillsRead> {
  const { tick, span = Number.POSITIVE_INFINITY, back = Number.POSITIVE_INFINITY } = quirks.fillReach;
  const end = up(session.now() + 1, tick);
  const rows: Dict[] = [];
  for (let from = down(Math.max(since, end - back + MARGIN), tick); from < end; from += span) {
    const part = { from, to: Math.min(from + span, end) };
    const ask = (exchange: Ccxt) => quirks.fillsOf(exchange, symbol, orderIds, part);
    rows.push(...(await session.read("fills", symbol, ask)));
  }
  return readFillRows(rows, symbol);
}

/**
 * Reads a page and returns since when it is complete; reads more pages if one covers only the span's last unit of
 * time, which cannot be divided further.
 */
async function readPages(
  session: PrivateSession,
  quirks: Quirks,
  symbol: Pair,
  span: Span,
): Promise<{ rows: readonly Dict[]; first: Millis }> {
  const { page, tick, goesOn } = quirks.fillReach;
  const ask = (part: Span, after: readonly Dict[]) =>
    session.read("fills", symbol, (exchange) => quirks.fills(exchange, symbol, part, after));
  const rows: Dict[] = [];
  for (let pages = 0; pages < MOST_LIST_PAGES; pages++) {
    const more = await ask(span, rows);
    rows.push(...more);
    if (more.length < page) return { rows, first: span.from };
    const oldest = down(oldestOf(rows) ?? span.from, tick);
    if (oldest + tick < span.to) return { rows, first: oldest + tick };
    if (!goesOn)
      return { rows: [...rows, ...(await divided(ask, page, { ...span, from: oldest }))], first: oldest };
  }
  throw new VenueError("unavailable", `${quirks.name} returns an endless list of trades for one moment`);
}

/**
 * Divides a span with more than one page of rows into halves. An execution that is hidden within one millisecond is
 * missing from its order, which is then queried individually.
 */
async function divided(
  ask: (part: Span, after: readonly Dict[]) => Promise<readonly Dict[]>,
  page: number,
  { from, to }: Span,
): Promise<readonly Dict[]> {
  if (to - from <= 1) return ask({ from, to }, []);
  const middle = from + Math.floor((to - from) / 2);
  const upper = await ask({ from: middle, to }, []);
  const rows = upper.length < page ? upper : await divided(ask, page, { from: middle, to });
  // If the upper half is empty, the lower half is as full as both.
  const lower = upper.length === 0 ? undefined : await ask({ from, to: middle }, []);
  if (lower && lower.length < page) return [...rows, ...lower];
  return [...rows, ...(await divided(ask, page, { from, to: middle }))];
}

const down = (at: Millis, tick: Millis): Millis => Math.floor(at / tick) * tick;
const up = (at: Millis, tick: Millis): Millis => Math.ceil(at / tick) * tick;

const oldestOf = (rows: readonly Dict[]): Millis | undefined =>
  rows
    .map(({ timestamp }) => Number(timestamp))
    .filter(Number.isFinite)
    .sort((a, b) => a - b)[0];

/** Returns every readable row once, and for the others the readable part. */
function readFillRows(rows: readonly Dict[], symbol: Pair): FillsRead {
  const fills = new Map<string, VenueFill>();
  const unreadable: UnreadableFill[] = [];
  for (const row of rows) {
    if (row.symbol !== symbol) continue;
    try {
      const fill = venueFillOf(row);
      fills.set(fill.id, fill);
    } catch (error) {
      if (!(error instanceof VenueError)) throw error;
      unreadable.push(unreadableFill(row, messageOf(error)));
    }
  }
  return { fills: [...fills.values()].sort((a, b) => a.at - b.at), unreadable };
}

const unreadableFill = ({ id, order, timestamp }: Dict, reason: string): UnreadableFill => ({
  id: textOrNull(id),
  orderId: textOrNull(order),
  at: Number.isSafeInteger(timestamp) ? (timestamp as Millis) : null,
  reason,
});

const textOrNull = (value: unknown): string | null =>
  typeof value === "string" && value !== "" ? value : null;
