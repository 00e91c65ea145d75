/** What a token project shows its exchange: what was offered over a span, one's own and the market's apart. */
import { type Decimal, div, ONE, text } from "../kernel/decimal.ts";
import { MINUTE, type Millis } from "../kernel/time.ts";
import type { LiquidityMinute } from "../model/liquidity-minute.ts";
import type { Depths, Sides } from "../model/liquidity-sample.ts";
import { meanOfKnown } from "./days.ts";
import type { Minutes, ObligationFinding } from "./obligations.ts";

/** Why nothing is known, or nothing was offered, over some time. */
export type GapCause = "exchange" | "funds" | "pause" | "ours" | "unknown";

export interface Incident {
  readonly from: Millis;
  readonly to: Millis;
  readonly cause: Exclude<GapCause, "unknown">;
}

/** Minutes on end of which nothing is known: `to` is not one of them. */
export interface LiquidityGap {
  readonly from: number;
  readonly to: number;
  readonly cause: GapCause;
}

/** Means over the known minutes; shares of 1, depths in quote within 0.5, 1 and 2 % of the mid. */
export interface LiquidityFigures {
  readonly spread: Decimal | null;
  /** Of the known minutes those with both sides at every moment that was seen. */
  readonly twoSided: Decimal | null;
  readonly depth: Sides<Depths> | null;
}

export interface LiquidityReport {
  readonly minutes: number;
  readonly known: number;
  readonly samples: number;
  /** Minutes whose book ended inside 2 %: of them the visible book is told, and no more. */
  readonly cutShort: number;
  readonly own: LiquidityFigures;
  readonly market: LiquidityFigures;
  readonly gaps: readonly LiquidityGap[];
  readonly findings: readonly ObligationFinding[];
}

export function liquidityReport(
  span: Minutes,
  {
    findings,
    incidents,
  }: { readonly findings: readonly ObligationFinding[]; readonly incidents: readonly Incident[] },
): LiquidityReport {
  const { from, to, rows } = span;
  return {
    minutes: to - from,
    known: rows.length,
    samples: rows.reduce((count, { samples }) => count + samples, 0),
    cutShort: rows.filter(({ isCutShort }) => isCutShort).length,
    own: figuresOver(rows, { spread: (row) => row.ownSpread, depth: (row) => row.ownDepth }),
    market: figuresOver(rows, { spread: (row) => row.spread, depth: (row) => row.depth }),
    gaps: gapsIn(span, incidents),
    findings,
  };
}

function figuresOver(
  rows: readonly LiquidityMinute[],
  of: {
    readonly spread: (row: LiquidityMinute) => Decimal | null;
    readonly depth: (row: LiquidityMinute) => Sides<Depths> | null;
  },
): LiquidityFigures {
  const spreads = rows.map(of.spread);
  const there = BigInt(spreads.filter((spread) => spread !== null).length);
  const depths = rows.flatMap((row) => of.depth(row) ?? []);
  return {
    spread: meanOfKnown(spreads),
    twoSided: rows.length > 0 ? div(there * ONE, BigInt(rows.length) * ONE, "down") : null,
    depth:
      depths.length === 0
        ? null
        : {
            bids: meanDepths(depths.map(({ bids }) => bids)),
            asks: meanDepths(depths.map(({ asks }) => asks)),
          },
  };
}

const meanDepths = (depths: readonly Depths[]): Depths => {
  const at = (band: 0 | 1 | 2): Decimal => meanOfKnown(depths.map((one) => one[band])) ?? 0n;
  return [at(0), at(1), at(2)];
};

/** Each run of minutes without a row, and what most of it is explained by. `rows` ascend. */
export function gapsIn({ from, to, rows }: Minutes, incidents: readonly Incident[]): LiquidityGap[] {
  const gaps: LiquidityGap[] = [];
  let next = from;
  for (const minute of [...rows.map((row) => row.minute), to]) {
    if (minute > next) gaps.push({ from: next, to: minute, cause: causeOfGap(next, minute, incidents) });
    next = Math.max(next, minute + 1);
  }
  return gaps;
}

function causeOfGap(from: number, to: number, incidents: readonly Incident[]): GapCause {
  let [most, cause]: [number, GapCause] = [0, "unknown"];
  for (const one of incidents) {
    const shared = Math.min(one.to, to * MINUTE) - Math.max(one.from, from * MINUTE);
    if (shared > most) [most, cause] = [shared, one.cause];
  }
  return cause;
}

export const MINUTE_COLUMNS = [
  "minute",
  "samples",
  "spread",
  "ownSpread",
  "ownBids",
  "ownAsks",
  ...["own", "market"].flatMap((whose) =>
    ["Bids", "Asks"].flatMap((side) => ["0.5", "1", "2"].map((band) => `${whose}${side}Within${band}`)),
  ),
  "visibleOnly",
  "deviation",
] as const;

/** A minute as a row of a table: what is not known is empty. The report's hash is that of all its rows. */
export function minuteRow(row: LiquidityMinute): (string | number | null)[] {
  const { minute, samples, ownOrders } = row;
  return [
    minute * MINUTE,
    samples,
    shownOrEmpty(row.spread),
    shownOrEmpty(row.ownSpread),
    ownOrders.bids,
    ownOrders.asks,
    ...depthCells(row.ownDepth),
    ...depthCells(row.depth),
    row.isCutShort ? 1 : 0,
    shownOrEmpty(row.deviation),
  ];
}

const shownOrEmpty = (value: Decimal | null): string | null => (value === null ? null : text(value));

const depthCells = (depth: Sides<Depths> | null): (string | null)[] =>
  depth ? [...depth.bids, ...depth.asks].map(text) : Array.from({ length: 6 }, () => null);
