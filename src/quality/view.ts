import { horizonText } from "./horizon-text.ts";
import { isSpreadKnown } from "./known-spread.ts";
import type { QualityAnswer } from "./schema.ts";
import type { QualityFigures } from "./tally.ts";

/** Columns of the tables, most important first. */
export const QUALITY_COLUMNS = [
  ...["id", "day", "side", "level", "hour"],
  ...["totalProfit", "spread", "inventory", "fees", "fills", "withoutMid"],
  ...["halfSpread %", "toxic %", "after 10 s %", "after 5 min %"],
  ...["after 1 s %", "after 1 min %", "after 1 h %", "quote", "notional", "symbol", "exchange", "dryRun"],
];

const knownShare = (share: number | null, unknown: number): string =>
  share === null ? "unknown" : unknown === 0 ? String(share) : `${share} (${unknown} unknown)`;

const markoutsShown = (markouts: QualityFigures["markouts"]): Record<string, string> =>
  Object.fromEntries(
    markouts.map(({ after, percent, unknown }) => [
      `after ${horizonText(after)} %`,
      knownShare(percent, unknown),
    ]),
  );

type MeasuredRow = QualityAnswer["sides"][number];

/** Formats measures for people: each share with the number of fills that it does not know. */
const measuredShown = <T extends Omit<MeasuredRow, "side">>({
  halfSpreadPercent,
  withoutMid,
  toxicPercent,
  unmeasured,
  markouts,
  ...row
}: T) => ({
  ...row,
  "halfSpread %": knownShare(halfSpreadPercent, withoutMid),
  "toxic %": knownShare(toxicPercent, unmeasured),
  ...markoutsShown(markouts),
});

type SpreadRow = Pick<QualityAnswer["days"][number], "spread" | "fills" | "withoutMid">;

const spreadShown = <T extends SpreadRow>(row: T) => ({
  ...row,
  spread: isSpreadKnown(row) ? row.spread : "unknown",
});

export function qualityView(answer: unknown) {
  const { from, to, strategies, days, sides, levels, hours, count } = answer as QualityAnswer;
  return {
    ...{ from, to, count },
    strategies: strategies.map((one) => measuredShown(spreadShown(one))),
    days: days.map(spreadShown),
    ...(sides.length > 0
      ? {
          sides: sides.map(measuredShown),
          levels: levels.map(measuredShown),
          hours: hours.map(measuredShown),
        }
      : {}),
  };
}
