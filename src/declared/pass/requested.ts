/** Candles and prices elsewhere that a definition requests. */
import { medianOf } from "../../kernel/median.ts";
import { Money } from "../../kernel/money.ts";
import { ageOf, MINUTE, type Millis, SECOND, TIMEFRAMES } from "../../kernel/time.ts";
import type { Book } from "../../model/market.ts";
import type { CandleSeries, Elsewhere } from "../../model/memory.ts";
import type {
  AnyStrategyDefinition,
  StrategyCandle,
  StrategyDefinitions,
  StrategyInput,
} from "../../ports/definition.ts";
import type { RequestedPrices } from "../../ports/kind.ts";

export type RequestedData = Pick<StrategyInput, "candles" | "reference">;

export const findDefinition = (all: StrategyDefinitions, name: string): AnyStrategyDefinition | undefined =>
  all.find((definition) => definition.name === name);

/** An older price of another source does not count. */
const OLDEST_PRICE: Millis = MINUTE;
const PRICES_EVERY: Millis = 15 * SECOND;

export const elsewhereNeed = (definition: AnyStrategyDefinition | undefined) =>
  definition?.reference ? { every: PRICES_EVERY } : undefined;

export function candleNeed(definition: AnyStrategyDefinition | undefined) {
  const { candles } = definition ?? {};
  return candles && { span: TIMEFRAMES[candles.timeframe], count: candles.count };
}

/** Returns what a definition requested, or why its function cannot be called. */
export function requestedData(
  definition: AnyStrategyDefinition,
  { candles, elsewhere, book }: RequestedPrices & { readonly book?: Book | undefined },
  now: Millis,
): RequestedData | string {
  const need = candleNeed(definition);
  const series = need && candles?.find(({ span }) => span === need.span);
  if (need && (!series || isOutdated(series, book?.at)))
    return `candles of ${definition.candles?.timeframe} were not read, so the strategy is not called`;
  return {
    candles: series && need ? candlesFrom(series).slice(-need.count) : [],
    reference: definition.reference ? referenceFrom(elsewhere, now) : NO_PRICES_ELSEWHERE,
  };
}

/** Returns whether more than the newest completed candle is missing. */
const isOutdated = ({ span, until }: CandleSeries, at: Millis = until): boolean => at - until >= 2 * span;

const NO_PRICES_ELSEWHERE: StrategyInput["reference"] = { price: null, prices: [] };

const converted = new WeakMap<CandleSeries, readonly StrategyCandle[]>();

/** Returns the candles with their prices as money; a backtest passes the same series many times. */
function candlesFrom(series: CandleSeries): readonly StrategyCandle[] {
  const { of } = Money;
  const known = converted.get(series);
  if (known) return known;
  const candles = series.rows.map(({ at, open, high, low, close, volume }) => ({
    ...{ at, open: of(open), high: of(high), low: of(low), close: of(close), volume: of(volume) },
  }));
  converted.set(series, candles);
  return candles;
}

function referenceFrom(elsewhere: Elsewhere | undefined, now: Millis): StrategyInput["reference"] {
  const fresh = (elsewhere?.prices ?? []).filter(({ at }) => ageOf(at, now) <= OLDEST_PRICE);
  const median = medianOf(fresh.map(({ price }) => price));
  return {
    price: median === undefined ? null : Money.of(median),
    prices: fresh.map(({ source, price }) => ({ source, price: Money.of(price) })),
  };
}
