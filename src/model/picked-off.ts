/** Which fills were picked off: traders who knew the next price took them. */
import { type ExactSum, earnedAgainst, isToxic } from "./execution.ts";
import type { HorizonName, MeasuredFill } from "./fill.ts";

/** Horizon at which a fill counts as toxic. */
export const TOXIC_AT: HorizonName = "mid10s";
/** Minimum number of measured fills; fewer show nothing. */
export const LEAST_FILLS = 5;

/** What fills of one side earned until the horizon, over those whose mid there is known. */
interface Flow {
  readonly known: number;
  readonly unknown: number;
  readonly toxic: number;
  readonly earned: ExactSum;
}

/** Returns the flow of fills that mostly lost money, and lost money together; undefined for others. */
export function pickedOffFlow(fills: readonly MeasuredFill[]): Flow | undefined {
  let [known, toxic, earned] = [0, 0, 0n];
  for (const fill of fills) {
    const later = fill[TOXIC_AT];
    if (later === null) continue;
    known++;
    if (isToxic(fill, later)) toxic++;
    earned += earnedAgainst(fill, later);
  }
  if (known < LEAST_FILLS || 2 * toxic <= known || earned >= 0n) return undefined;
  return { known, unknown: fills.length - known, toxic, earned };
}
