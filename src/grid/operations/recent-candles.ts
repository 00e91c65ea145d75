import { venueForStart } from "../../engine/pass/paper-start.ts";
import { AppError, VenueError } from "../../kernel/errors.ts";
import { plainText } from "../../kernel/plain-text.ts";
import { DAY, HOUR, MINUTE } from "../../kernel/time.ts";
import type { Candle } from "../../model/market.ts";
import type { Deps } from "../../ports/deps.ts";
import { forAnyone } from "../../ports/for-anyone.ts";
import type { CandleRange } from "../../ports/market.ts";
import type { LastWeek } from "../start/last-week.ts";
import type { StartPlace } from "./start-reading.ts";

/** Candle ranges for past prices; every exchange returns each of them in one request. */
export const LOOKS_BACK = {
  narrow: { back: DAY, span: 15 * MINUTE },
  usual: { back: 7 * DAY, span: HOUR },
  wide: { back: 30 * DAY, span: 4 * HOUR },
} as const;
export type Width = keyof typeof LOOKS_BACK;

/** Reads past prices. Throws AppError if the exchange does not return them: edgemaker never invents a range. */
export async function readPast(deps: Deps, where: StartPlace, width: Width): Promise<readonly Candle[]> {
  const { back, span } = LOOKS_BACK[width];
  const candles = await askPast(deps, where, { span, limit: back / span });
  if (candles.length > 0) return candles;
  throw new AppError(
    "Fetch failed",
    `${where.exchange} has no history of ${where.symbol}; set the range with grid start`,
  );
}

const askPast = (deps: Deps, where: StartPlace, range: CandleRange): Promise<readonly Candle[]> =>
  forAnyone(venueForStart(deps, where)).candles(where.symbol, range);

/** Half-hour candles: every exchange returns a week of them on one page. */
const WEEK: CandleRange = { span: 30 * MINUTE, limit: 336 };

export async function readLastWeek(deps: Deps, where: StartPlace): Promise<LastWeek> {
  try {
    const candles = await askPast(deps, where, WEEK);
    return candles.length > 0
      ? { candles, span: WEEK.span }
      : { reason: `${where.exchange} has no candles of ${where.symbol}` };
  } catch (error) {
    // A plan does not fail because additional data are missing.
    if (error instanceof VenueError || error instanceof AppError) return { reason: plainText(error.message) };
    throw error;
  }
}
