import { type Decimal, mul } from "../../kernel/decimal.ts";
import { VenueError } from "../../kernel/errors.ts";
import { DAY, type Millis } from "../../kernel/time.ts";
import type { Candle } from "../../model/market.ts";
import type { Deps } from "../../ports/deps.ts";
import { forAnyone } from "../../ports/for-anyone.ts";
import type { WatchedPair } from "../../ports/stores/liquidity-store.ts";

/** So many days on end, the last one included, counted from 1970. */
interface DaysRequest {
  readonly last: number;
  readonly count: number;
}

/**
 * What everybody has traded a day, in quote, as the exchange's candles tell it, oldest first: base × a third of
 * high, low and close. Null of a day that it does not tell; a report does not fail for what it only shows.
 */
export async function readVolumes(
  { venue, marketTime }: Pick<Deps, "venue" | "marketTime">,
  { exchange, symbol }: WatchedPair,
  { last, count }: DaysRequest,
  now: Millis,
): Promise<readonly (Decimal | null)[]> {
  const place = venue(exchange);
  // A market that is simulated has a time of its own.
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
