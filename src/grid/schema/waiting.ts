import { REFUSAL_TEXT } from "../../model/refusal-text.ts";

/** Why slots have no order, in the words of docs/grids.md. */
const WAITS_BECAUSE: Readonly<Record<string, string>> = {
  ...REFUSAL_TEXT,
  killed: "the kill switch is on: `edgemaker kill off`",
  no_base: "buys when the price is above its lower level",
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
      const why = WAITS_BECAUSE[reason];
      return `${count} of ${slots} slots: ${reason}${why === undefined ? "" : ` (${why})`}`;
    })
    .join("; ");
}
