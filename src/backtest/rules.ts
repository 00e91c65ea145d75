import { type Decimal, ZERO } from "../kernel/decimal.ts";
import type { Millis } from "../kernel/time.ts";

/** Which extreme of a bar comes first. `nearest` is the one that is nearer to the open, the low where both are. */
export type Extremes = "nearest" | "high_first" | "low_first";

const ORDERS: readonly Extremes[] = ["nearest", "high_first", "low_first"];

/** The requested order of the extremes, then the others. */
export const ordersFrom = (first: Extremes): readonly Extremes[] => [
  first,
  ...ORDERS.filter((one) => one !== first),
];

/** What a bar does not tell, and is assumed. */
export interface Rules {
  /** A resting order fills when the price reaches it, or only when it passes it. */
  readonly fill: "cross" | "touch";
  readonly extremes: Extremes;
  /** Between bid and ask, as a share of the price; each is at least one tick from it. */
  readonly spread: Decimal;
  /** What an order that takes pays beyond the best price, as a share of it. */
  readonly slippage: Decimal;
  /** Market time from one pass to the next; a pass at every corner of every bar where it is left out. */
  readonly tickInterval?: Millis | undefined;
}

export const RULES: Rules = { fill: "cross", extremes: "nearest", spread: ZERO, slippage: ZERO };
