import { HOUR, type Millis, timeInPast } from "../../kernel/time.ts";
import type { Strategy } from "../../model/strategy.ts";

/** How long a strategy waits for its market. */
const WAITS: Millis = 24 * HOUR;

/**
 * Records since when and why a strategy's market is closed or missing: `null` means open, undefined means unknown.
 * After a day the strategy is in error; one that is stopping continues.
 */
export function noteMarketClosed(strategy: Strategy, why: string | null | undefined, now: Millis): Strategy {
  const { closedSince, ...state } = strategy.state;
  if (why === undefined) return strategy;
  if (why === null) return closedSince === undefined ? strategy : noteMarketOpen({ ...strategy, state });
  const since = timeInPast(closedSince, now) ?? now;
  const noted = closedSince === since ? strategy : { ...strategy, state: { ...state, closedSince: since } };
  const isLeaving = strategy.wants === "stop" || state.exit !== null;
  if (now - since < WAITS || isLeaving || strategy.status === "error") return noted;
  return {
    ...noted,
    status: "error",
    lastError: `${why}for a day now; stop the ${strategy.kind}, or resume it when the pair trades again`,
  };
}

// Clears what was recorded about the market.
const noteMarketOpen = (strategy: Strategy): Strategy =>
  strategy.status === "error" ? strategy : { ...strategy, lastError: null };

/** Records that the exchange refuses to return a strategy's market. */
export function noteUnreadable(strategy: Strategy, reason: string, now: Millis): Strategy {
  const why = `${strategy.symbol} cannot be read: ${reason}`;
  const noted = noteMarketClosed(strategy, why, now);
  return noted.status === "error" || noted.lastError === why ? noted : { ...noted, lastError: why };
}
