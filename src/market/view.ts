/** Formats responses for people: computed values have no more digits than the prices behind them. */
import type * as z from "zod";
import { fromNumber, text as wholeText, ZERO } from "../kernel/decimal.ts";
import type { BookShape, TickerShape, TradesShape } from "./schema.ts";

/** Formats a book: asks above bids, with the best of both adjacent. */
export function bookView(answer: unknown) {
  const { asks, bids, ...rest } = answer as z.output<ReturnType<typeof BookShape>>;
  const prices = [...asks, ...bids].map(({ price }) => price);
  return { ...rest, ...shortSpread(rest, prices), asks: [...asks].reverse(), bids };
}

export function tickerView(answer: unknown) {
  const ticker = answer as z.output<ReturnType<typeof TickerShape>>;
  const prices = [ticker.last, ticker.bid, ticker.ask];
  return {
    ...ticker,
    ...shortSpread(ticker, prices),
    quoteVolume: rounded(ticker.quoteVolume, shownDecimals(prices)),
  };
}

export function tradesView(answer: unknown) {
  const { summary, ...rest } = answer as z.output<ReturnType<typeof TradesShape>>;
  const places = shownDecimals(rest.trades.map(({ price }) => price));
  const [avgPrice, vwap] = [rounded(summary.avgPrice, places), rounded(summary.vwap, places)];
  return { ...rest, summary: { ...summary, avgPrice, vwap } };
}

interface SpreadFields {
  readonly spread: number | null;
  readonly spreadPercent: number | null;
}

/** Number of decimals of percentages: a hundredth of a basis point is precise enough. */
const PERCENT_PLACES = 4;

const shortSpread = ({ spread, spreadPercent }: SpreadFields, prices: readonly (number | null)[]) => ({
  spread: rounded(spread, shownDecimals(prices)),
  spreadPercent: rounded(spreadPercent, PERCENT_PLACES),
});

/** Returns the decimals of the most precise of these prices, which shows the market's tick. */
const shownDecimals = (prices: readonly (number | null)[]): number =>
  Math.max(0, ...prices.map((price) => wholeText(fromNumber(price ?? 0) ?? ZERO).split(".")[1]?.length ?? 0));

const rounded = <T extends number | null>(value: T, places: number): T =>
  (value === null ? value : Number(value.toFixed(places))) as T;
