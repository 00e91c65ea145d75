import {
  balancesForStart,
  strategiesOn,
  type TradingPlace,
  venueForStart,
} from "../../engine/pass/paper-start.ts";
import { readKept } from "../../engine/pass/read-reserves.ts";
import type { Decimal } from "../../kernel/decimal.ts";
import { AppError, VenueError } from "../../kernel/errors.ts";
import { type Pair, splitPair } from "../../kernel/pair.ts";
import { MINUTE } from "../../kernel/time.ts";
import { readStandings } from "../../limits/operations/standings.ts";
import type { Balance } from "../../model/account.ts";
import type { Standings } from "../../model/limits.ts";
import type { Book, Market } from "../../model/market.ts";
import type { Elsewhere } from "../../model/memory.ts";
import { type Both, freeBeside } from "../../model/reserve.ts";
import type { Deps } from "../../ports/deps.ts";
import type { Venue, VenueOrder } from "../../ports/venue.ts";
import { realizedVolatility, type Volatility } from "../half-spread.ts";
import { statistic } from "../statistic.ts";

/** What a start needs of the account, its market, and other sources. */
export interface QuoteReadings {
  readonly venue: Venue;
  readonly market: Market;
  readonly book: Book;
  readonly open: readonly VenueOrder[];
  readonly elsewhere: Elsewhere;
  readonly balances: readonly Balance[];
  /** What other strategies of the account still need, and whether any of them trades its base or quote. */
  readonly kept: Both;
  readonly isShared: boolean;
  readonly volatility: Volatility | undefined;
  readonly killed: boolean;
  readonly standings: Standings;
  /** Protocol time. */
  readonly now: number;
  readonly interval: number;
}

export async function readForQuotes(
  deps: Deps,
  tradingPlace: TradingPlace,
  actor: string,
): Promise<QuoteReadings> {
  const venue = venueForStart(deps, tradingPlace);
  const balances = await balancesForStart(deps, tradingPlace);
  return readQuotesAt(deps, { venue, symbol: tradingPlace.symbol, balances, actor });
}

/** The account and pair, and a strategy whose own need does not count as others' need. */
interface QuotesPlace extends Pick<QuoteReadings, "venue" | "balances"> {
  readonly symbol: Pair;
  readonly actor: string;
  readonly beside?: string;
}

export async function readQuotesAt(
  deps: Deps,
  { venue, symbol, balances, actor, beside }: QuotesPlace,
): Promise<QuoteReadings> {
  const { exchange } = venue.account;
  const { base, quote } = splitPair(symbol);
  const market = await venue.market(symbol);
  const book = await venue.book(symbol, 100);
  const open = await venue.openOrders(symbol);
  const running = await strategiesOn(deps, venue);
  const others = running.filter(({ strategy }) => strategy.id !== beside);
  const now = await deps.store.now();
  const result = await deps.reference?.(exchange, symbol);
  return {
    ...{ venue, market, book, open, balances, now },
    elsewhere: {
      prices: (result?.prices ?? []).map((one) => ({ ...one, at: now })),
      requestedAt: now,
      bookAt: now,
    },
    kept: await readKept(deps, others, { market, balances }),
    isShared: others.some(({ strategy }) => {
      const of = splitPair(strategy.symbol);
      return [of.base, of.quote].some((asset) => asset === base || asset === quote);
    }),
    volatility: await readVolatility(venue, symbol),
    killed: await deps.store.killed(),
    standings: await readStandings(deps, venue.account, actor),
    interval: deps.interval ?? MINUTE,
  };
}

/** Returns the volatility of the last hour's one-minute candles; undefined if the exchange does not return them. */
async function readVolatility(venue: Venue, symbol: Pair): Promise<Volatility | undefined> {
  try {
    const candles = await venue.candles(symbol, { span: MINUTE, limit: 60 });
    const closes = candles.map(({ at, close }) => ({ at, price: statistic(close) }));
    return realizedVolatility(closes, MINUTE);
  } catch (error) {
    // A plan does not fail because additional data are missing.
    if (error instanceof VenueError) return undefined;
    throw error;
  }
}

/** Returns the budget of quotes: the requested amounts, within what is free and not needed by other strategies. */
export function budgetFor(
  request: { readonly baseBudget?: Decimal | undefined; readonly quoteBudget?: Decimal | undefined },
  { market, balances, kept, isShared }: QuoteReadings,
): { readonly base: Decimal; readonly quote: Decimal } {
  const { baseBudget, quoteBudget } = request;
  if (isShared && (baseBudget === undefined || quoteBudget === undefined))
    throw new AppError(
      "Invalid request",
      `other strategies of this account trade in ${market.base} or ${market.quote}; set baseBudget and quoteBudget to limit this one`,
    );
  const own = freeBeside(kept, balances, market);
  return { base: baseBudget ?? own.base, quote: quoteBudget ?? own.quote };
}
