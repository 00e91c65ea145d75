import { AppError, messageOf, VenueError } from "../../../kernel/errors.ts";
import type { Pair } from "../../../kernel/pair.ts";
import { DAY, HOUR, MINUTE, type Millis } from "../../../kernel/time.ts";
import type { Candle, Ticker } from "../../../model/market.ts";
import type { Span } from "../../../model/order.ts";
import type {
  CandleRange,
  FillsOfSpan,
  FillsRead,
  MarketData,
  UnreadableFill,
  VenueFill,
} from "../../../ports/venue.ts";
import type { Ccxt, Dict } from "../client/ccxt.ts";
import { MAX_LIST_PAGES, type Quirks, venueErrorOf } from "../client/quirks.ts";
import type { CallerKind, ExchangeLink } from "./exchange-link.ts";
import { bookOf, candleOf, readableRows, tickerOf, tradeOf, venueFillOf } from "./reading.ts";
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
  return { ...readFillRows(rows, symbol, quirks), covered: result, now };
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
  return readFillRows(rows, symbol, quirks);
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
  for (let pages = 0; pages < MAX_LIST_PAGES; pages++) {
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
function readFillRows(rows: readonly Dict[], symbol: Pair, quirks: Quirks): FillsRead {
  const fills = new Map<string, VenueFill>();
  const unreadable: UnreadableFill[] = [];
  for (const row of rows) {
    if (row.symbol !== symbol) continue;
    try {
      const fill = venueFillOf(row, quirks);
      fills.set(fill.id, fill);
    } catch (error) {
      if (!(error instanceof VenueError)) throw error;
      unreadable.push(unreadableFill(row, messageOf(error)));
    }
  }
  return { fills: [...fills.values()].sort((a, b) => a.at - b.at), unreadable };
}

const textOrNull = (value: unknown): string | null =>
  typeof value === "string" && value !== "" ? value : null;

const unreadableFill = ({ id, order, timestamp }: Dict, reason: string): UnreadableFill => ({
  id: textOrNull(id),
  orderId: textOrNull(order),
  at: Number.isSafeInteger(timestamp) ? (timestamp as Millis) : null,
  reason,
});

const CCXT_TIMEFRAMES: Readonly<Record<number, string>> = {
  [MINUTE]: "1m",
  [5 * MINUTE]: "5m",
  [15 * MINUTE]: "15m",
  [30 * MINUTE]: "30m",
  [HOUR]: "1h",
  [4 * HOUR]: "4h",
  [DAY]: "1d",
  [7 * DAY]: "1w",
};

/** Maximum number of levels of any operation, so one response serves every smaller request. */
const MAX_BOOK_LEVELS = 100;
/** Candles are requested in one of these numbers, for the same reason. */
const CANDLES = [100, 300, 1000] as const;

type PublicData = Omit<MarketData, "market"> & {
  /** Reads a ticker that is not shared with other callers. */
  quote(symbol: Pair): Promise<Ticker>;
};

/** Returns public data, read without keys, for one type of caller. */
export function publicData(link: ExchangeLink, asker: CallerKind): PublicData {
  const { quirks, reads, clock } = link;
  const market = (symbol: Pair): Promise<Dict> =>
    asker === "anyone" ? link.catalog.forAnyone.known(symbol) : link.catalog.known(symbol);
  const ask = async <T>(symbol: Pair, call: (exchange: Ccxt) => Promise<T>): Promise<T> => {
    try {
      return await call(await link.publicly(await market(symbol)));
    } catch (error) {
      throw venueErrorOf(error, quirks);
    }
  };
  const shared = <T>(
    kind: string,
    symbol: Pair,
    call: (exchange: Ccxt) => Promise<T>,
    part = "",
  ): Promise<T> => reads[asker].read({ kind, about: `${symbol} ${part}` }, () => ask(symbol, call));
  const askTicker = async (exchange: Ccxt, symbol: Pair) =>
    tickerOf(await exchange.fetchTicker(symbol), clock());

  return {
    quote: (symbol) => ask(symbol, (exchange) => askTicker(exchange, symbol)),
    ticker: (symbol) => shared("ticker", symbol, (exchange) => askTicker(exchange, symbol)),

    async book(symbol, limit) {
      const book = await shared("book", symbol, async (exchange) =>
        bookOf(
          (await quirks.book?.(exchange, symbol)) ??
            (await exchange.fetchOrderBook(symbol, quirks.bookLevels)),
          MAX_BOOK_LEVELS,
          clock(),
        ),
      );
      return { ...book, bids: book.bids.slice(0, limit), asks: book.asks.slice(0, limit) };
    },

    async trades(symbol, limit) {
      const trades = await shared("trades", symbol, async (exchange) => {
        const results = await exchange.fetchTrades(symbol, undefined, quirks.publicTrades);
        return readableRows(results, (result) => tradeOf(result, quirks)).reverse();
      });
      return trades.slice(0, limit);
    },

    async candles(symbol, range) {
      const { since, limit, span } = range;
      const askFor = (first: number | undefined, count: number) => {
        const most = CANDLES.find((one) => one >= count) ?? count;
        const page = first === undefined ? most : Math.min(most, quirks.candlePage);
        const ask = async (exchange: Ccxt) => {
          const rows = await exchange.fetchOHLCV(symbol, frameOf(range), first, page);
          return readableRows(rows, candleOf);
        };
        return shared("candles", symbol, ask, `${span} ${page} ${first}`);
      };
      const from = async (start: Millis, most: number) => {
        const found: Candle[] = [];
        const first = firstOf(span, start);
        for (let done = 0; done < most && first + done * span <= clock(); done += quirks.candlePage)
          found.push(...(await askFor(first + done * span, most - done)));
        return apart(found.filter(({ at }) => at >= start)).slice(0, most);
      };
      if (since !== undefined) return from(since, limit);
      const newest = (await askFor(undefined, limit)).slice(-limit);
      return limit > quirks.candlePage && !quirks.candleReach ? withOlder(newest, range, from) : newest;
    },
    candleReach: quirks.candleReach,
  };
}

/** Adds older candles, because mexc returns 500 at most without a time. */
async function withOlder(
  newest: readonly Candle[],
  { limit, span }: CandleRange,
  from: (start: Millis, most: number) => Promise<readonly Candle[]>,
): Promise<Candle[]> {
  let all = [...newest];
  for (let [first] = all; first && all.length < limit; [first] = all) {
    const { at } = first;
    const lacking = limit - all.length;
    const older = (await from(at - lacking * span, lacking)).filter((candle) => candle.at < at);
    if (older.length === 0) break;
    all = [...older, ...all];
  }
  return all;
}

/** Removes duplicates, because some exchanges return more candles than requested, which the next page repeats. */
const apart = (candles: readonly Candle[]): Candle[] =>
  [...new Map(candles.map((candle) => [candle.at, candle])).values()].sort((a, b) => a.at - b.at);

// From the middle of a candle, some exchanges return one candle less. Weeks do not begin at a multiple of a week.
function firstOf(span: Millis, since: Millis): Millis {
  const unit = Math.min(span, DAY);
  return Math.ceil(since / unit) * unit;
}

function frameOf({ span }: CandleRange): string {
  const frame = CCXT_TIMEFRAMES[span];
  if (!frame) throw new AppError("Invalid request", "there are no candles of this length");
  return frame;
}
