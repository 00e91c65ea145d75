import type * as z from "zod";
import type { Candles } from "../candles/candles.ts";
import { kindsOf } from "../engine/accounts.ts";
import { AppError } from "../kernel/errors.ts";
import { splitPair } from "../kernel/pair.ts";
import { quoteKind } from "../quote/kind.ts";
import type { quoteConfig } from "../quote/schema/input.ts";
import { modelWarnings, quoteConfigOf } from "../quote/start/planned-quote.ts";
import { newQuoteState, type QuoteStrategy, STORED_QUOTES } from "../quote/state.ts";
import {
  backtestingPosition,
  type PastBudget,
  type PositionBacktest,
  type PositionBacktestOptions,
  pastBudget,
  pastStrategy,
} from "./position/backtest.ts";

export type QuoteBacktestOptions = Omit<PositionBacktestOptions, "kinds">;
/** Config of quotes, with the funds at the start. */
export type QuotesRequest = z.output<ReturnType<typeof quoteConfig>> & PastBudget;
const QUOTE = kindsOf([quoteKind]);

/**
 * Backtests quotes over candles with the functions that quote. Yields the completed share. Throws AppError for
 * settings that candles cannot support: they have no prices of other sources, and no account.
 */
export function* backtestingQuotes(
  query: QuotesRequest,
  candles: Candles,
  options: QuoteBacktestOptions,
): Generator<number, PositionBacktest<QuoteStrategy>> {
  if (!query.useOwn && query.fixedPrice === undefined)
    throw new AppError("Invalid request", "candles have only the market's own price; leave useOwn on");
  const { market } = options;
  const config = quoteConfigOf(query, pastBudget(query));
  const { base, quote } = splitPair(market.symbol);
  const at = candles.from;
  const result = yield* backtestingPosition(
    (startPrice): QuoteStrategy => ({
      ...pastStrategy(`quote-backtest-${base}-${quote}-${at}`, market.symbol, at, config),
      kind: STORED_QUOTES.name,
      version: STORED_QUOTES.version,
      config,
      state: newQuoteState(config.rules.levels, startPrice),
    }),
    candles,
    { ...options, kinds: QUOTE },
  );
  return { ...result, warnings: [...modelWarnings(config), ...result.warnings] };
}
