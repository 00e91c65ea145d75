import { type Decimal, ZERO } from "../../kernel/decimal.ts";
import type { Millis } from "../../kernel/time.ts";

/** Which extreme of a bar comes first. `nearest` is the one that is nearer to the open; the low if both are. */
export type Extremes = "nearest" | "high_first" | "low_first";

const ORDERS: readonly Extremes[] = ["nearest", "high_first", "low_first"];

/** The requested order of the extremes, then the others. */
const ordersFrom = (first: Extremes): readonly Extremes[] => [
  first,
  ...ORDERS.filter((extremes) => extremes !== first),
];

/** Assumptions about the fills within a bar: the order of its extremes, and the queue at a price. */
export type BarPath = Pick<Rules, "extremes" | "fill">;

/** Returns every way to fill within a bar: first the requested one, then those of the same fill rule. */
export const pathsFrom = ({ extremes, fill }: BarPath): readonly BarPath[] =>
  [fill, fill === "cross" ? ("touch" as const) : ("cross" as const)].flatMap((rule) =>
    ordersFrom(extremes).map((extremes) => ({ extremes: extremes, fill: rule })),
  );

/** Assumptions about what a bar does not show. */
export interface Rules {
  /** Whether an open order fills when the price reaches it, or only when the price passes it. */
  readonly fill: "cross" | "touch";
  readonly extremes: Extremes;
  /** Spread between bid and ask as a share of the price; at least one tick on each side. */
  readonly spread: Decimal;
  /** Slippage of a taker order beyond the best price, as a share of it. */
  readonly slippage: Decimal;
  /** Market time between passes; default: a pass at every price point of every bar. */
  readonly tickInterval?: Millis | undefined;
}

export const RULES: Rules = { fill: "cross", extremes: "nearest", spread: ZERO, slippage: ZERO };
