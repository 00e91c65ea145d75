/** What a token project shows its exchange: what was offered over a span, one's own and the market's apart. */
import { type Decimal, div, ONE, text } from "../kernel/decimal.ts";
import { MINUTE } from "../kernel/time.ts";
import type { LiquidityMinute, MissedMinute } from "../model/samples/minute.ts";
import type { Absence, Depths, Sides } from "../model/samples/sample.ts";
import { meanOfKnown } from "./days.ts";
import type { Minutes, ObligationFinding } from "./obligations.ts";

/** Minutes on end, of one cause, of which nothing is known, or in which own orders were not on both sides; `to` is not one of them. */
export interface LiquidityGap {
  readonly from: number;
  readonly to: number;
  readonly what: "unseen" | "absent";
  readonly cause: Absence | "unknown";
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
  /** Means of how many other places told a price, where that is known, and of how far the mid was off their median. */
  readonly sources: number | null;
  /** Known minutes of which nobody can say whether there was a price elsewhere. */
  readonly unknownSources: number;
  readonly deviation: Decimal | null;
  readonly own: LiquidityFigures;
  readonly market: LiquidityFigures;
  /** The longest of them, in the order of time, and how many more there are. */
  readonly gaps: readonly LiquidityGap[];
  readonly moreGaps: number;
  readonly findings: readonly ObligationFinding[];
}

/** What else there is to tell of a span: why minutes were missed, and since when anybody has looked. */
export interface LookedAt {
  readonly misses: readonly MissedMinute[];
  readonly since: number | undefined;
}

const MOST_GAPS_TOLD = 100;

export function liquidityReport(
  span: Minutes,
  findings: readonly ObligationFinding[],
  looked: LookedAt,
): LiquidityReport {
  const { from, to, rows } = span;
  const gaps = gapsIn(span, looked);
  const longest = [...gaps].sort((a, b) => b.to - b.from - (a.to - a.from)).slice(0, MOST_GAPS_TOLD);
  return {
    minutes: to - from,
    known: rows.length,
    samples: rows.reduce((count, { samples }) => count + samples, 0),
    cutShort: rows.filter(({ isCutShort }) => isCutShort).length,
    ...sourcesOver(rows),
    deviation: meanOfKnown(rows.map(({ deviation }) => deviation)),
    own: figuresOver(rows, { spread: (row) => row.ownSpread, depth: (row) => row.ownDepth }),
    market: figuresOver(rows, { spread: (row) => row.spread, depth: (row) => row.depth }),
    gaps: longest.sort((a, b) => a.from - b.from),
    moreGaps: gaps.length - longest.length,
    findings,
  };
}

function sourcesOver(rows: readonly LiquidityMinute[]): Pick<LiquidityReport, "sources" | "unknownSources"> {
  const told = rows.flatMap(({ sources }) => (sources === null ? [] : [sources]));
  const all = told.reduce((sum, count) => sum + count, 0);
  return {
    sources: told.length === 0 ? null : all / told.length,
    unknownSources: rows.length - told.length,
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

/** Each run of minutes without a row, and where there were own orders at all, of minutes without both sides of them, a cause each. */
export function gapsIn({ from, to, rows }: Minutes, { misses, since }: LookedAt): LiquidityGap[] {
  const missed = new Map(misses.map(({ minute, cause }) => [minute, cause]));
  const seen = new Map(rows.map((row) => [row.minute, row]));
  const isOffering = rows.some(({ ownOrders: { bids, asks } }) => bids + asks > 0);
  const stateOf = (minute: number): Pick<LiquidityGap, "what" | "cause"> | undefined => {
    const row = seen.get(minute);
    // Since somebody looks, a minute of which nothing was even asked is a fault of our own.
    const untold = since === undefined || minute < since ? "unknown" : "ours";
    if (!row) return { what: "unseen", cause: missed.get(minute) ?? untold };
    const { bids, asks } = row.ownOrders;
    const isThere = bids > 0 && asks > 0;
    return isThere || !isOffering ? undefined : { what: "absent", cause: row.absence ?? "unknown" };
  };
  const gaps: LiquidityGap[] = [];
  for (let minute = from; minute < to; minute++) {
    const state = stateOf(minute);
    if (!state) continue;
    const last = gaps.at(-1);
    const goesOn = last?.to === minute && last.what === state.what && last.cause === state.cause;
    if (goesOn) gaps[gaps.length - 1] = { ...last, to: minute + 1 };
    else gaps.push({ from: minute, to: minute + 1, ...state });
  }
  return gaps;
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
  "sources",
  "absence",
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
    row.sources,
    row.absence,
  ];
}

const shownOrEmpty = (value: Decimal | null): string | null => (value === null ? null : text(value));

const depthCells = (depth: Sides<Depths> | null): (string | null)[] =>
  depth ? [...depth.bids, ...depth.asks].map(text) : Array.from({ length: 6 }, () => null);
