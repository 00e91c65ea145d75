/** Past prices of a pair, for the range of a grid and its profit of last week. */
import { AppError, VenueError } from "../../kernel/errors.ts";
import type { Pair } from "../../kernel/pair.ts";
import { plainText } from "../../kernel/plain-text.ts";
import { DAY, HOUR, MINUTE } from "../../kernel/time.ts";
import type { Candle } from "../../model/market.ts";
import { forAnyone } from "../../ports/kill-permit.ts";
import type { CandleRange, Venue } from "../../ports/venue.ts";
import type { LastWeek } from "../start/worst-case.ts";

/** Half-hour candles: every exchange returns a week of them on one page. */
const WEEK: CandleRange = { span: 30 * MINUTE, limit: 336 };

/** Candle ranges for past prices; every exchange returns each of them in one request. */
export const LOOKS_BACK = {
  narrow: { back: DAY, span: 15 * MINUTE },
  usual: { back: 7 * DAY, span: HOUR },
  wide: { back: 30 * DAY, span: 4 * HOUR },
} as const;
type Width = keyof typeof LOOKS_BACK;

/** Reads past prices. Throws AppError if the exchange does not return them: edgemaker never invents a range. */
export async function readPast(venue: Venue, symbol: Pair, width: Width): Promise<readonly Candle[]> {
  const { back, span } = LOOKS_BACK[width];
  const candles = await forAnyone(venue).candles(symbol, { span, limit: back / span });
  if (candles.length > 0) return candles;
  throw new AppError(
    "Fetch failed",
    `${venue.account.exchange} has no history of ${symbol}; set lowerPrice and upperPrice yourself`,
  );
}

/** Reads the prices of the last week, or why there are none. */
export async function readLastWeek(venue: Venue, symbol: Pair): Promise<LastWeek> {
  try {
    const candles = await forAnyone(venue).candles(symbol, WEEK);
    return candles.length > 0
      ? { candles, span: WEEK.span }
      : { reason: `${venue.account.exchange} has no candles of ${symbol}` };
  } catch (error) {
    // A plan does not fail because additional data are missing.
    if (error instanceof VenueError || error instanceof AppError) return { reason: plainText(error.message) };
    throw error;
  }
}
