import { inPercent, number } from "./format.ts";
import type { Grid } from "./types.ts";

/** What it has made beyond what the same money had made as base; unknown while the price is. */
export const againstHolding = ({ totalProfit, holdingProfit }: Grid): number | null =>
  totalProfit === null || holdingProfit === null ? null : totalProfit - holdingProfit;

/** How far the price may still go before it leaves the range, or how far it has left it, as a share of the price. */
export function distanceOf({ markPrice, rangeNow }: Grid): number | null {
  if (markPrice === null || markPrice === 0 || rangeNow === null) return null;
  return Math.min(markPrice - rangeNow.lowerPrice, rangeNow.upperPrice - markPrice) / markPrice;
}

/** Where it lies now, which a grid that follows the market has moved. */
export const rangeText = ({ rangeNow }: Grid, digits: number): string =>
  rangeNow === null ? "–" : `${number(rangeNow.lowerPrice, digits)} – ${number(rangeNow.upperPrice, digits)}`;

export function distanceText(grid: Grid): string {
  const distance = distanceOf(grid);
  const { markPrice, rangeNow } = grid;
  if (distance === null || markPrice === null || rangeNow === null) return "–";
  const isBelow = markPrice - rangeNow.lowerPrice < rangeNow.upperPrice - markPrice;
  const share = inPercent(Math.abs(distance) * 100, 1);
  if (distance < 0) return `${share} ${isBelow ? "below" : "above"}`;
  return `${share} to ${isBelow ? "lower" : "upper"}`;
}

interface GridStanding {
  readonly name: string;
  readonly tone: "" | "up" | "down" | "warn";
  /** What to do about it, where there is something. */
  readonly todo?: string | undefined;
}

/** Where a grid stands, and what a person should do. */
export function gridState(grid: Grid): GridStanding {
  const { status, phase, lastError, notices } = grid;
  const notice = notices[0]?.message;
  if (status === "error") return { name: "error", tone: "down", todo: lastError ?? notice };
  if (status === "stopped") return { name: "stopped", tone: "", todo: lastError ?? undefined };
  const name = phase === "active" ? "running" : phase;
  const todo = lastError ?? notice ?? leftText(grid);
  return todo === undefined
    ? { name, tone: phase === "paused" ? "warn" : "up" }
    : { name, tone: "warn", todo };
}

/** What stands still because the price is elsewhere. */
function leftText(grid: Grid): string | undefined {
  if ((distanceOf(grid) ?? 0) >= 0) return undefined;
  const isBelow = (grid.markPrice ?? 0) < (grid.rangeNow?.lowerPrice ?? 0);
  return isBelow
    ? "the price is below the range; the grid sells again when the price returns"
    : "the price is above the range; the grid buys again when the price returns";
}
