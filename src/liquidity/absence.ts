/** Why one's own orders are not on both sides of a book, by what their strategies say. */
import { VenueError } from "../kernel/errors.ts";
import type { Absence, Sides } from "../model/samples/sample.ts";
import type { RefusalReason } from "../model/strategy.ts";
import type { StrategyView } from "../ports/stores/strategy-store.ts";

/** Too little is free for a side, or as much is held as may be. */
const LACKS_FUNDS: readonly RefusalReason[] = [
  ...(["no_quote", "no_base", "inventory_missing", "safety_reserve"] as const),
  ...(["max_position", "min_position"] as const),
];

/** `views` are those that have not stopped, of this account and pair. */
export function absenceOf(own: Sides<number>, views: readonly StrategyView[]): Absence | null {
  if (own.bids > 0 && own.asks > 0) return null;
  const active = views.filter(({ strategy: { wants, phase } }) => wants === "run" && phase !== "paused");
  const reasons = active.flatMap(({ strategy }) => strategy.state.refused.map(({ reason }) => reason));
  if (active.length === 0 || reasons.includes("killed")) return "pause";
  if (active.some(({ accountError }) => accountError !== null)) return "exchange";
  return reasons.some((reason) => LACKS_FUNDS.includes(reason)) ? "funds" : "ours";
}

/** Why a book did not come. */
export const missedBecause = (error: unknown): Absence => (error instanceof VenueError ? "exchange" : "ours");
