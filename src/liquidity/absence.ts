/** Determines why own orders are missing on a side of a book, from their strategies' states. */
import { VenueError } from "../kernel/errors.ts";
import type { Absence, Sides } from "../model/samples/sample.ts";
import type { RefusalReason } from "../model/strategy.ts";
import type { StrategyView } from "../ports/stores/strategy-store.ts";

/** Refusals that mean too little free balance, or too much inventory. */
const LACKS_FUNDS: readonly RefusalReason[] = [
  ...(["no_quote", "no_base", "inventory_missing", "safety_reserve"] as const),
  ...(["max_position", "min_position"] as const),
];

/** Returns the cause; `views` are the running strategies of this account and pair. */
export function absenceOf(own: Sides<number>, views: readonly StrategyView[]): Absence | null {
  if (own.bids > 0 && own.asks > 0) return null;
  const active = views.filter(({ strategy: { wants, phase } }) => wants === "run" && phase !== "paused");
  const reasons = active.flatMap(({ strategy }) => strategy.state.refused.map(({ reason }) => reason));
  if (active.length === 0 || reasons.includes("killed")) return "pause";
  if (active.some(({ accountError }) => accountError !== null)) return "exchange";
  return reasons.some((reason) => LACKS_FUNDS.includes(reason)) ? "funds" : "ours";
}

/** Returns why a book could not be read. */
export const missedBecause = (error: unknown): Absence => (error instanceof VenueError ? "exchange" : "ours");
