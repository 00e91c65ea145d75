import type { RefusalReason } from "../../model/strategy.ts";

/** Why slots rest nothing, in the words of docs/grids.md. */
const WAITS_BECAUSE: Partial<Record<RefusalReason, string>> = {
  no_base: "each buys once the price is above its lower level",
  no_quote: "there is not enough free quote",
  below_minimum: "the exchange takes no order so small; it waits until it is more",
  would_self_cross: "it would trade with another order of this account",
  would_take: "the market stands at its level",
  inventory_missing: "base that it holds is not in the account",
  fills_missing: "the exchange has not told all its trades yet",
  market_closed: "the exchange has closed the pair",
  rejected: "the exchange refused the order; it is tried again",
  unclear: "the exchange has not said whether it took the order; it is looked up",
  recovering: "what a restored database does not know of is looked up",
  killed: "the kill switch is on: `edgemaker kill off`",
  low_confidence: "this exchange's price is far from that of others",
  max_position: "it holds as much as it may",
  safety_reserve: "a buy would leave less quote than the reserve",
  limit_exposure: "a limit counted what it can buy, and this order would go beyond that",
};

interface WaitingSlot {
  readonly slot: number;
  readonly reason: string;
}

/** `4 of 8 slots: no_base (each buys once …)`, each reason once. */
export function waitingTold(refused: readonly WaitingSlot[], slots: number): string {
  const reasons = [...new Set(refused.map(({ reason }) => reason))];
  return reasons
    .map((reason) => {
      const count = refused.filter((one) => one.reason === reason).length;
      const why = WAITS_BECAUSE[reason as RefusalReason];
      return `${count} of ${slots} slots: ${reason}${why === undefined ? "" : ` (${why})`}`;
    })
    .join("; ");
}
