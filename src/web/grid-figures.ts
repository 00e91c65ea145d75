import { inPercent, number } from "./format.ts";
import type { Grid } from "./types.ts";

/** Returns the profit compared with buy and hold; unknown while the price is. */
export const againstHolding = ({ totalProfit, holdingProfit }: Grid): number | null =>
  totalProfit === null || holdingProfit === null ? null : totalProfit - holdingProfit;

/** Returns the distance of the price to the end of the range, or beyond it, as a share of the price. */
export function distanceOf({ markPrice, rangeNow }: Grid): number | null {
  if (markPrice === null || markPrice === 0 || rangeNow === null) return null;
  return Math.min(markPrice - rangeNow.lowerPrice, rangeNow.upperPrice - markPrice) / markPrice;
}

/** Formats the current range, which moves if the grid follows the market. */
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

export interface StrategyStanding {
  readonly name: string;
  readonly tone: "" | "up" | "down" | "warn";
  /** What the user should check, if anything. */
  readonly todo?: string | undefined;
}

/** Returns a grid's state, and what the user should do. */
export function gridState(grid: Grid): StrategyStanding {
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

/** Describes what has stopped because the price is outside the range. */
function leftText(grid: Grid): string | undefined {
  if ((distanceOf(grid) ?? 0) >= 0) return undefined;
  const isBelow = (grid.markPrice ?? 0) < (grid.rangeNow?.lowerPrice ?? 0);
  return isBelow
    ? "the price is below the range; the grid sells again when the price returns"
    : "the price is above the range; the grid buys again when the price returns";
}
