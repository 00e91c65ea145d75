import { divideWhole, ONE, roundMoney, text } from "../kernel/decimal.ts";
import { splitPair } from "../kernel/pair.ts";
import type { MeasuredFill } from "../model/fill.ts";
import { SIDES } from "../model/market.ts";
import type { Strategy } from "../model/strategy.ts";
import { addToTallies, newTally, TOXIC_AT } from "./tally.ts";

/** Minimum number of measured fills; fewer show nothing. */
const LEAST_FILLS = 5;

/** Returns a message for each side whose fills mostly lost money within 10 s, and lost money together. */
export function pickedOffMessages(
  { id, symbol }: Pick<Strategy, "id" | "symbol">,
  fills: readonly MeasuredFill[],
): string[] {
  return SIDES.flatMap((side) => {
    const tally = newTally();
    for (const fill of fills) if (fill.side === side && !fill.superseded) addToTallies([tally], fill);
    const { known, earned } = tally.markouts[TOXIC_AT];
    if (known < LEAST_FILLS || 2 * tally.toxic <= known || earned >= 0n) return [];
    const lost = text(roundMoney(divideWhole(-earned, ONE, "half")));
    const unknown = tally.fills - known;
    const beside = unknown === 0 ? "" : `, and ${unknown} more are unknown`;
    const details = `\`edgemaker quality ${id}\` shows details, and a wider spread loses less`;
    return [
      `${side === "buy" ? "bids" : "asks"} on ${symbol} were picked off in the last hour: ${tally.toxic} of ${known} fills lost money within 10 s, ${lost} ${splitPair(symbol).quote} together${beside}; ${details}`,
    ];
  });
}
