import type { Millis } from "../../kernel/time.ts";
import type { CandlesAnswer } from "../types.ts";

export type ShownCandles = readonly CandlesAnswer["candles"][number][];

/** A market's price at a time; null while it is unknown. */
export interface Priced {
  readonly price: number | null;
  readonly at: number | null;
}

/** Returns candles with a later price: it moves the last candle, or begins the next one. */
export function withPrice(candles: ShownCandles, length: Millis, { price, at }: Priced): ShownCandles {
  const last = candles.at(-1);
  if (!last || price === null || at === null || at < last.timestamp) return candles;
  const start = at - ((at - last.timestamp) % length);
  const isNew = start > last.timestamp;
  if (!isNew && last.close === price) return candles;
  const { open, high, low } = isNew ? { open: last.close, high: last.close, low: last.close } : last;
  const moved = { open, high: Math.max(high, price), low: Math.min(low, price), close: price };
  return [
    ...(isNew ? candles : candles.slice(0, -1)),
    { timestamp: start, ...moved, volume: isNew ? null : last.volume },
  ];
}
