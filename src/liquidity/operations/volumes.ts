import { type Decimal, mul } from "../../kernel/decimal.ts";
import { VenueError } from "../../kernel/errors.ts";
import { DAY, type Millis } from "../../kernel/time.ts";
import type { Candle } from "../../model/market.ts";
import type { WatchedPair } from "../../model/samples/promise.ts";
import type { Deps } from "../../ports/deps.ts";
import { forAnyone } from "../../ports/for-anyone.ts";

/** Consecutive days up to the last one, counted from 1970. */
interface DaysRequest {
  readonly last: number;
  readonly count: number;
}

/**
 * Returns everybody's daily volume in quote from the exchange's candles, oldest first: base × (high + low + close) ÷
 * 3. Null for a day that is missing; a missing volume does not fail the report.
 */
export async function readVolumes(
  { venue, marketTime }: Pick<Deps, "venue" | "marketTime">,
  { exchange, symbol }: WatchedPair,
  { last, count }: DaysRequest,
  now: Millis,
): Promise<readonly (Decimal | null)[]> {
  const place = venue(exchange);
  // A simulated market has simulated time.
  const shift = marketTime(place.account, now) - now;
  const first = last - count + 1;
  const request = { span: DAY, since: first * DAY + shift, limit: count + 1 };
  const results = await forAnyone(place)
    .candles(symbol, request)
    .catch((error: unknown): readonly Candle[] => {
      if (error instanceof VenueError) return [];
      throw error;
    });
  const byDay = new Map(
    results.map((candle) => [Math.floor((candle.at - shift) / DAY), quoteTraded(candle)]),
  );
  return Array.from({ length: count }, (_, day) => byDay.get(first + day) ?? null);
}

const quoteTraded = ({ high, low, close, volume }: Candle): Decimal =>
  mul(volume, (high + low + close) / 3n, "half");
