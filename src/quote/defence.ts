/** The optional answer to a side that is picked off, within bounds that the user sets. */
import { type Decimal, div } from "../kernel/decimal.ts";
import { HOUR, type Millis } from "../kernel/time.ts";
import { isToxic } from "../model/execution.ts";
import { HORIZONS, type MeasuredFill } from "../model/fill.ts";
import { SIDES, type Side } from "../model/market.ts";
import { LEAST_FILLS, pickedOffFlow, TOXIC_AT } from "../model/picked-off.ts";

export interface Defence {
  /** How many ticks the side moves away from the price, or whether it is canceled. */
  readonly ticks: number | "pause";
  /** Number of passes that it lasts after the last fill that shows the need. */
  readonly passes: number;
}

/** Formats it as input and responses do: `20:60`, or `pause:60`. */
export const formatDefence = ({ ticks, passes }: Defence): string => `${ticks}:${passes}`;

/** Maximum number of fills that a pass reads; of more, the newest. */
const FILLS_A_PASS = 100;

const { after: DUE, late: LATE } = HORIZONS.find(
  ({ name }) => name === TOXIC_AT,
) as (typeof HORIZONS)[number];

/** Returns how long after a fill it can defend its side: until the pass that knows its later mid, and the passes after it. */
const lasting = ({ passes }: Defence, interval: Millis): Millis =>
  DUE + Math.min(LATE, interval) + passes * interval;

/** Returns how old the newest fill can be, and how many fills are needed. */
export const fillsForDefence = (defence: Defence | undefined, interval: Millis) =>
  defence && { within: lasting(defence, interval), count: FILLS_A_PASS };

/**
 * Returns the sides to defend at a market time. It depends on the fills alone, so restarts and backtests decide alike.
 * Of two sides, only the one that was hit last is paused, so one always stays open.
 */
export function defendedSides(
  defence: Defence | undefined,
  fills: readonly MeasuredFill[],
  { at, interval }: { readonly at: Millis; readonly interval: Millis },
): readonly Side[] {
  if (!defence) return [];
  const hits = SIDES.flatMap((side) => {
    const hitAt = lastHit(fills.filter((fill) => fill.side === side && !fill.superseded));
    return hitAt !== undefined && hitAt <= at && at - hitAt <= lasting(defence, interval)
      ? [{ side, hitAt }]
      : [];
  }).sort((a, b) => b.hitAt - a.hitAt);
  return hits.slice(0, defence.ticks === "pause" ? 1 : 2).map(({ side }) => side);
}

/** Returns the time of the newest toxic fill that, with the few before it, shows that the side was picked off. */
function lastHit(fills: readonly MeasuredFill[]): Millis | undefined {
  const measured = fills.filter((fill) => fill[TOXIC_AT] !== null).sort((a, b) => a.at - b.at);
  const hit = measured.findLast((fill, index) => {
    if (!isToxic(fill, fill[TOXIC_AT] as Decimal)) return false;
    const last = measured.slice(Math.max(0, index + 1 - LEAST_FILLS), index + 1);
    return pickedOffFlow(last.filter(({ at }) => fill.at - at <= HOUR)) !== undefined;
  });
  return hit?.at;
}

/** Returns how much wider the defended side is, as a share of a price. */
export const widenedShare = (ticks: number, tick: Decimal, price: Decimal): Decimal =>
  div(BigInt(ticks) * tick, price, "up");
