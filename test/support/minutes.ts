import { decimal, text } from "../../src/kernel/decimal.ts";
import { mixHash, pseudorandomShare } from "../../src/kernel/hash.ts";
import { MINUTE, type Millis } from "../../src/kernel/time.ts";
import type { Candle } from "../../src/model/market.ts";

/** Minutes of a wandering price, the same for the same seed; those in `holes` are missing. */
export function minutesFrom(
  first: Millis,
  count: number,
  { seed = 1, holes = () => false }: { seed?: number; holes?: (minute: number) => boolean } = {},
): Candle[] {
  const minutes: Candle[] = [];
  let cents = 6_000_000;
  for (let minute = 0; minute < count; minute++) {
    const draw = (which: number) => Math.floor(pseudorandomShare(mixHash(seed, which), minute) * 2000) - 1000;
    const [open, close] = [cents, cents + draw(1)];
    const [high, low] = [
      Math.max(open, close) + Math.abs(draw(2)),
      Math.min(open, close) - Math.abs(draw(3)),
    ];
    cents = close;
    if (holes(minute)) continue;
    const price = (value: number) => decimal(text(BigInt(value) * 10n ** 16n));
    const prices = { open: price(open), high: price(high), low: price(low), close: price(close) };
    minutes.push({ at: first + minute * MINUTE, ...prices, volume: decimal(String(1 + (minute % 7))) });
  }
  return minutes;
}
