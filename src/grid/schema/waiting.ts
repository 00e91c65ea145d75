import type { RefusalReason } from "../../model/strategy.ts";

/** Why slots have no order, in the words of docs/grids.md. */
const WAITS_BECAUSE: Partial<Record<RefusalReason, string>> = {
  no_base: "buys when the price is above its lower level",
  no_quote: "there is not enough free quote",
  below_minimum: "below the exchange's minimum; waits for more",
  would_self_cross: "it would trade with another order of this account",
  would_take: "the market price is at its level",
  inventory_missing: "its base is not in the account",
  fills_missing: "the exchange has not shown all trades yet",
  market_closed: "the exchange has closed the pair",
  rejected: "the exchange rejected the order; edgemaker retries",
  unclear: "the exchange has not confirmed the order; edgemaker looks it up",
  recovering: "edgemaker looks for orders after a restore",
  killed: "the kill switch is on: `edgemaker kill off`",
  low_confidence: "this exchange's price is far from the other exchanges",
  max_position: "it has reached its maximum base",
  safety_reserve: "a buy would leave less quote than the reserve",
  limit_exposure: "the order would exceed the exposure counted for a limit",
};

interface WaitingSlot {
  readonly slot: number;
  readonly reason: string;
}

/** Formats waiting slots as `4 of 8 slots: no_base (each buys once …)`, each reason once. */
export function describeWaiting(refused: readonly WaitingSlot[], slots: number): string {
  const reasons = [...new Set(refused.map(({ reason }) => reason))];
  return reasons
    .map((reason) => {
      const count = refused.filter((waitingSlot) => waitingSlot.reason === reason).length;
      const why = WAITS_BECAUSE[reason as RefusalReason];
      return `${count} of ${slots} slots: ${reason}${why === undefined ? "" : ` (${why})`}`;
    })
    .join("; ");
}
