/** Own orders by UTC hour. */
import type { Decimal } from "../../kernel/decimal.ts";
import { meanOfKnown } from "../../kernel/mean.ts";
import type { Millis } from "../../kernel/time.ts";
import type { LiquidityMinute } from "./minute.ts";
import { twoSidedMillis } from "./offer.ts";

export const MINUTES_AN_HOUR = 60;

/** An hour with samples. */
export interface HourFigures {
  /** Counted from 1970. */
  readonly hour: number;
  readonly known: number;
  /** Time with own orders on both sides. */
  readonly twoSided: Millis;
  /** Mean spread of own orders, and their mean depth within 2 % of the mid, in quote; null if unknown. */
  readonly spread: Decimal | null;
  readonly bids: Decimal | null;
  readonly asks: Decimal | null;
}

/** Returns the hours of consecutive minutes. An hour without a sample has no figures. */
export function hoursIn(rows: readonly LiquidityMinute[]): HourFigures[] {
  const hours = new Map<number, LiquidityMinute[]>();
  for (const row of rows) {
    const hour = Math.floor(row.minute / MINUTES_AN_HOUR);
    const known = hours.get(hour);
    if (known) known.push(row);
    else hours.set(hour, [row]);
  }
  return [...hours].map(([hour, ofHour]) => ({
    hour,
    known: ofHour.length,
    twoSided: ofHour.reduce((all, row) => all + twoSidedMillis(row), 0),
    spread: meanOfKnown(ofHour.map(({ ownSpread }) => ownSpread)),
    bids: meanOfKnown(ofHour.map(({ ownDepth }) => ownDepth?.bids[2] ?? null)),
    asks: meanOfKnown(ofHour.map(({ ownDepth }) => ownDepth?.asks[2] ?? null)),
  }));
}
