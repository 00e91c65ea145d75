/** Candles and prices elsewhere as a pass at a past time would have read them. */
import type { Candles } from "../../candles/candles.ts";
import { max, min, ONE } from "../../kernel/decimal.ts";
import { AppError } from "../../kernel/errors.ts";
import { Money } from "../../kernel/money.ts";
import { formatSpan, type Millis } from "../../kernel/time.ts";
import type { Candle } from "../../model/market.ts";
import { type CandleSeries, type CandleSource, type Elsewhere, isSameSource } from "../../model/memory.ts";
import { type CandleNeed, candleNeeds, describeNeed, requirementOf } from "../../own/pass/ask.ts";
import type { AnyStrategyDefinition } from "../../ports/definition.ts";
import type { CandleRequirement, RequestedPrices } from "../../ports/kind.ts";

/** Past prices of another source. */
export interface ReferencePast {
  readonly source: string;
  readonly candles: Candles;
}

/** Past candles of another pair or exchange, for the requests of this source. */
export interface SourcePast extends CandleSource {
  readonly candles: Candles;
}

/** Returns what a pass at a time reads besides the book. Times must not go back. */
export type RequestedPast = (at: Millis) => RequestedPrices;

/** Past data besides the candles of the pair. */
export interface OtherPast {
  /** Prices of other sources. */
  readonly reference?: readonly ReferencePast[] | undefined;
  /** Candles of other pairs and exchanges. */
  readonly elsewhere?: readonly SourcePast[] | undefined;
}

/** Creates the reads of one run. Throws AppError if candles are missing, or too long for the strategy. */
export function requestedPast(
  definition: AnyStrategyDefinition,
  candles: Candles,
  { reference = [], elsewhere = [] }: OtherPast,
): RequestedPast {
  const feeds = candleNeeds(definition).map((need) => {
    const past = isOwnSource(need) ? candles : elsewhere.find((one) => isSameSource(one, need))?.candles;
    if (!past) throw withoutPast(definition, need);
    if (need.span % past.spanMillis !== 0)
      throw new AppError(
        "Invalid request",
        `${definition.name} uses candles of ${describeNeed(need)}; backtest it on candles that divide them, not of ${formatSpan(past.spanMillis)}`,
      );
    return candleFeed(past, requirementOf(need));
  });
  const pricesAt = reference.map(({ source, candles: past }) => ({ source, priceAt: priceFeed(past) }));
  return (at) => ({
    ...(feeds.length > 0 ? { candles: feeds.map((seriesAt) => seriesAt(at)) } : {}),
    elsewhere: {
      prices: pricesAt.flatMap(({ source, priceAt }) => priceAt(at).map((price) => ({ source, price, at }))),
      requestedAt: at,
      bookAt: at,
    },
  });
}

export const isOwnSource = ({ symbol, exchange }: CandleSource): boolean =>
  symbol === undefined && exchange === undefined;

export const withoutPast = ({ name }: AnyStrategyDefinition, need: CandleNeed): AppError =>
  new AppError(
    "Invalid request",
    `${name} uses candles of ${describeNeed(need)}, and there are none of this time; download them first with \`edgemaker candles download --exchange … --symbol … --since … --span …\``,
  );

/** Returns the last completed candles of a longer span at a time. A series that has ended becomes old. */
function candleFeed(candles: Candles, { count, ...source }: CandleRequirement) {
  const { span } = source;
  const { times, spanMillis } = candles;
  let next = 0;
  let [readAt, series]: [Millis, CandleSeries] = [0, { ...source, count, until: 0, rows: [] }];
  return (at: Millis): CandleSeries => {
    const end = Math.floor(at / span) * span;
    if (end === readAt) return series;
    const rows = [...series.rows];
    for (; (times[next] ?? Infinity) + spanMillis <= end; next++) {
      const bar = barAt(candles, next);
      const start = Math.floor(bar.at / span) * span;
      const last = rows.at(-1);
      if (last?.at === start) rows[rows.length - 1] = joined(last, bar);
      else rows.push({ ...bar, at: start });
    }
    const isOver = !isOwnSource(source) && next === times.length && (times.at(-1) ?? end) + spanMillis < end;
    const until = isOver ? (rows.at(-1)?.at ?? end) + span : end;
    [readAt, series] = [end, { ...source, count, until, rows: rows.slice(-count) }];
    return series;
  };
}

function barAt({ times, scale, open, high, low, close, volume }: Candles, bar: number): Candle {
  const unit = ONE / 10n ** BigInt(scale);
  const price = (column: Candles["open"]) => BigInt(column[bar] as number) * unit;
  return {
    at: times[bar] as number,
    open: price(open),
    high: price(high),
    low: price(low),
    close: price(close),
    volume: Money.of(volume[bar] as number).units,
  };
}

const joined = (first: Candle, last: Candle): Candle => ({
  ...first,
  high: max(first.high, last.high),
  low: min(first.low, last.low),
  close: last.close,
  volume: first.volume === null || last.volume === null ? null : first.volume + last.volume,
});

/** Returns the close of the last completed bar at a time; none if a bar is missing there. */
function priceFeed(candles: Candles) {
  const { times, spanMillis } = candles;
  let next = 0;
  return (at: Millis): Elsewhere["prices"][number]["price"][] => {
    while ((times[next] ?? Infinity) + spanMillis <= at) next++;
    const last = times[next - 1];
    return last === undefined || at - last >= 2 * spanMillis ? [] : [barAt(candles, next - 1).close];
  };
}
