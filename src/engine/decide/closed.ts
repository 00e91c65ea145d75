import { HOUR, type Millis, timeInPast } from "../../kernel/time.ts";
import type { Strategy } from "../../model/strategy.ts";

/** How long a strategy waits for its market. */
const WAITS: Millis = 24 * HOUR;

/**
 * Notes since when a strategy's market is closed or gone, and why; `null` where it is open, undefined where nobody
 * knows. After a day it is in error; one that stops goes on to its end.
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

// What was said of the market holds no more.
const noteMarketOpen = (strategy: Strategy): Strategy =>
  strategy.status === "error" ? strategy : { ...strategy, lastError: null };

/** A strategy whose market the venue refuses to tell of. */
export function noteUnreadable(strategy: Strategy, reason: string, now: Millis): Strategy {
  const why = `${strategy.symbol} cannot be read: ${reason}`;
  const noted = noteMarketClosed(strategy, why, now);
  return noted.status === "error" || noted.lastError === why ? noted : { ...noted, lastError: why };
}
