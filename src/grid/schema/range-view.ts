import { plainNumber } from "../../kernel/decimal.ts";
import { pluralize } from "../../kernel/plain-text.ts";
import type { Follows, RangeNow } from "./shapes.ts";

interface Lying {
  readonly lowerPrice: number | string;
  readonly upperPrice: number | string;
  readonly gridLevels: number;
  readonly orderSize: number | string;
  readonly rangeNow: RangeNow;
  readonly follows: Follows;
}

/** Returns a grid's current range, and the configured one if it differs. */
export function gridRangeText(
  grid: Lying,
  quote = "",
): { readonly range: string; readonly requested?: string } {
  const { lowerPrice, upperPrice, gridLevels, orderSize, rangeNow: now, follows } = grid;
  const request = `${plainNumber(lowerPrice)} – ${plainNumber(upperPrice)}`;
  const slots = `${gridLevels} slots of ${plainNumber(orderSize)} ${quote}`;
  if (follows === null || now === null) return { range: `${request}, ${slots}` };
  return {
    range: `${plainNumber(now.lowerPrice)} – ${plainNumber(now.upperPrice)} now, ${slots}`,
    requested:
      follows.how === "trail"
        ? `${request}, following the market ${describeTrail(follows)}`
        : describeAround(follows),
  };
}

function describeTrail({ up, down }: Extract<Follows, { how: "trail" }>): string {
  const ways = [
    up === null ? [] : `up to ${plainNumber(up)}`,
    down === null ? [] : `down to ${plainNumber(down)}`,
  ];
  return ways.flat().join(" and ");
}

function describeAround(follows: Extract<Follows, { how: "centered" }>): string {
  const { levels, spacing, spacingModel, deviation, deviationFrom } = follows;
  const apart = {
    linear: `${asPercent(spacing)} apart`,
    geometric: `${asPercent(spacing)} apart near the center, wider outside`,
    custom: "at custom distances",
  }[spacingModel];
  const from = deviationFrom === "edge" ? "beyond them" : "from the center";
  return `${pluralize(levels, "level")} per side, ${apart}, rebuilt ${asPercent(deviation)} ${from}`;
}

const asPercent = (share: number): string => `${Number((share * 100).toPrecision(6))} %`;
