import { text } from "../../kernel/decimal.ts";
import { splitPair } from "../../kernel/pair.ts";
import { pluralize } from "../../kernel/pluralize.ts";
import { HOUR, type Millis, timeInPast } from "../../kernel/time.ts";
import { parseAccountKey } from "../../model/account.ts";
import type { Order } from "../../model/order.ts";
import type { Strategy } from "../../model/strategy.ts";
import type { Kind } from "../../ports/kind.ts";

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
    lastError: `${why}, for a day now; stop the ${strategy.kind}, or resume it when the pair trades again`,
  };
}

// Clears what was recorded about the market.
const noteMarketOpen = (strategy: Strategy): Strategy =>
  strategy.status === "error" ? strategy : { ...strategy, lastError: null };

/** Records that the exchange refuses to return a strategy's market. */
export function noteUnreadable(strategy: Strategy, reason: string, now: Millis): Strategy {
  const noted = noteMarketClosed(strategy, unreadable(strategy, reason), now);
  const isStopping = strategy.wants === "stop";
  const why = `${unreadable(strategy, reason)}${isStopping ? "; the stop ends by itself after a day" : ""}`;
  return (noted.status === "error" && !isStopping) || noted.lastError === why
    ? noted
    : { ...noted, lastError: why };
}

const unreadable = ({ symbol }: Strategy, reason: string): string => `${symbol} cannot be read: ${reason}`;

/** Returns whether a stop no longer waits for its market, because a delisted pair does not return. */
export const hasWaited = ({ wants, state }: Strategy, now: Millis): boolean =>
  wants === "stop" && now - (timeInPast(state.closedSince, now) ?? now) >= WAITS;

/**
 * Ends a stop whose market was unreadable for a day. Its orders and its base are left to the user. Undefined if it can
 * still wait.
 */
export function stoppedUnreadable(
  strategy: Strategy,
  { reason, kind, live, now }: { reason: string; kind: Kind; live: readonly Order[]; now: Millis },
): Strategy | undefined {
  if (!hasWaited(strategy, now)) return undefined;
  const { state, account, symbol } = strategy;
  const base = `${text(kind.holdings(state).base)} ${splitPair(symbol).base} stay in the account`;
  const orders = pluralize(live.length, "order");
  const open = live.length === 0 ? "" : `, and ${orders} could still be open: check the exchange`;
  const lastError = `${unreadable(strategy, reason)}, for a day now; ${base}${open}`;
  // The last simulated time is unknown.
  const stoppedAt = parseAccountKey(account).host === "" ? strategy.startedAt : now;
  return { ...strategy, status: "stopped", phase: "done", stoppedAt, lastError };
}
