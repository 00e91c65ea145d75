import type { LiquidityReport } from "../../src/liquidity/agreement-page.tsx";
import {
  addUpMinutes,
  joinDays,
  type LiquiditySpan,
  spanDays,
  type UpRule,
} from "../../src/liquidity/obligations.ts";
import { findingsOf, upRuleOf } from "../../src/liquidity/page-tables.tsx";
import type { HeadedAnswer } from "../../src/liquidity/schema.ts";
import type { LiquidityPromise } from "../../src/model/samples/promise.ts";
import type { LiquidityMinute, MissedMinute } from "../../src/model/samples/sample.ts";
import type { Minutes } from "../../src/model/samples/sums.ts";
import { d } from "./grid.ts";

/** Known minutes and misses of a span as their sums, each day by itself, as they are stored. */
/** Returns the only market of a report without an agreement, with the fields that the report has for all markets. */
export function soleMarket({ agreement, markets, maker, madeAt, from, to }: LiquidityReport): HeadedAnswer {
  const [market, ...others] = markets;
  if (agreement !== null || market === undefined || others.length > 0)
    throw new Error("not a report of one market");
  return { ...market, maker, madeAt, from, to };
}

export function spanOf(
  minutes: Minutes,
  {
    rule,
    misses = [],
  }: { readonly rule?: UpRule | undefined; readonly misses?: readonly MissedMinute[] } = {},
): LiquiditySpan {
  const days = spanDays(minutes).map(({ day, from, to }) => {
    const isIn = ({ minute }: { readonly minute: number }) => minute >= from && minute < to;
    const part = { from, to, rows: minutes.rows.filter(isIn) };
    return { day, hash: null, ...addUpMinutes(part, misses.filter(isIn), rule) };
  });
  return joinDays(minutes, days, rule);
}

/** A promise's findings over known minutes. */
export function findingsOver(promise: LiquidityPromise, minutes: Minutes) {
  return findingsOf(promise, spanOf(minutes, { rule: upRuleOf(promise) }));
}

/** A minute in which everything was seen and both sides rested, but for what is said otherwise. */
export const liquidityMinute = (over: Partial<LiquidityMinute> = {}): LiquidityMinute => ({
  minute: 0,
  samples: 1,
  spread: d("0.01"),
  ownSpread: d("0.01"),
  ownOrders: { bids: 2, asks: 2 },
  ownDepth: { bids: [0n, 0n, d("1000")], asks: [0n, 0n, d("1000")] },
  depth: null,
  isCutShort: false,
  deviation: null,
  sources: 0,
  absence: null,
  offer: null,
  ...over,
});
