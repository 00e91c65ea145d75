import { divideWhole, ONE, roundMoney, text } from "../kernel/decimal.ts";
import { splitPair } from "../kernel/pair.ts";
import type { MeasuredFill } from "../model/fill.ts";
import { SIDES } from "../model/market.ts";
import { pickedOffFlow } from "../model/picked-off.ts";
import type { Strategy } from "../model/strategy.ts";

/** Returns a message for each side whose fills mostly lost money within 10 s, and lost money together. */
export function pickedOffMessages(
  { id, symbol }: Pick<Strategy, "id" | "symbol">,
  fills: readonly MeasuredFill[],
): string[] {
  return SIDES.flatMap((side) => {
    const flow = pickedOffFlow(fills.filter((fill) => fill.side === side && !fill.superseded));
    if (!flow) return [];
    const { known, unknown, toxic, earned } = flow;
    const lost = text(roundMoney(divideWhole(-earned, ONE, "half")));
    const beside = unknown === 0 ? "" : `, and ${unknown} more are unknown`;
    const details = `\`edgemaker quality ${id}\` shows details, and a wider spread loses less`;
    return [
      `${side === "buy" ? "bids" : "asks"} on ${symbol} were picked off in the last hour: ${toxic} of ${known} fills lost money within 10 s, ${lost} ${splitPair(symbol).quote} together${beside}; ${details}`,
    ];
  });
}
