/** Tables and the chart of a liquidity report. */
import { minuteText } from "../kernel/time.ts";
import { countText, type Day, NOT_KNOWN, type OwnFigures, quote, shownPercent } from "./page-figures.ts";
import { BAND_PERCENTS } from "./presets.ts";
import type { LiquidityAnswer } from "./schema.ts";

/** More decimals, where two would show a missed limit as met. */
const CLOSE_DIGITS = 4;

export const RULE_HEADS = ["Rule", "Result", "Measured", "Required"];

export function findingRow(
  { rule, state, unit, value, limit }: LiquidityAnswer["findings"][number],
  asset: string,
): string[] {
  const shown = (number: number | null, digits?: number): string => {
    const text = unit === "percent" ? shownPercent(number, digits) : quote(number, digits);
    return unit === "percent" || number === null ? text : `${text} ${asset}`;
  };
  const isClose = value !== limit && shown(value) === shown(limit);
  return [
    rule,
    state,
    shown(value, isClose ? CLOSE_DIGITS : undefined),
    limit === null ? "nothing" : shown(limit),
  ];
}

export const depthRows = (whose: string, { depth }: OwnFigures): string[][] =>
  (["bids", "asks"] as const).map((side) => [
    whose,
    side,
    ...BAND_PERCENTS.map((band) => quote(depth?.[side][band] ?? null)),
  ]);

export const gapRow = ({ from, minutes, what, cause }: LiquidityAnswer["gaps"][number]): string[] => [
  minuteText(from),
  countText(minutes),
  what === "unseen" ? "no sample" : "own orders were not on both sides",
  CAUSES[cause],
];

const CAUSES: Record<LiquidityAnswer["gaps"][number]["cause"], string> = {
  exchange: "the exchange did not respond",
  funds: "the balance was too low, or a limit of the position was reached",
  pause: "the quotes were paused or stopped",
  not_started: "before the quotes were started",
  ours: "the market maker: no server was running, or orders were missing",
  unknown: NOT_KNOWN,
};

const hasRuleOf = (days: readonly Day[]): boolean => days.some(({ upPercent }) => upPercent !== null);
export const dayTitle = ({ days }: LiquidityAnswer): string =>
  hasRuleOf(days) ? "Time that meets the agreement, by day" : "Time with own orders on both sides, by day";

export const dayHeads = (asset: string, days: readonly Day[]): string[] => [
  ...["Day, UTC", "Known minutes", hasRuleOf(days) ? "Agreement met" : "Own, both sides", "Own spread"],
  ...[`Own bids 2\u00a0%, ${asset}`, `Own asks 2\u00a0%, ${asset}`, "Market spread"],
  ...[`All bids 2\u00a0%, ${asset}`, `All asks 2\u00a0%, ${asset}`],
];

/** Lists the days; consecutive days without a sample are one row. */
export function dayRows(days: readonly Day[]): string[][] {
  const rows: string[][] = [];
  let empty: Day[] = [];
  const close = () => {
    const [first, last] = [empty[0], empty.at(-1)];
    if (first && last)
      rows.push([first === last ? first.day : `${first.day} to ${last.day}`, "no sample", ...EMPTY_CELLS]);
    empty = [];
  };
  for (const day of days)
    if (day.known === 0) empty.push(day);
    else {
      close();
      rows.push(dayRow(day, hasRuleOf(days)));
    }
  close();
  return rows;
}

const EMPTY_CELLS = Array.from({ length: 7 }, () => "–");

const dayRow = (day: Day, hasRule: boolean): string[] => [
  day.day,
  countText(day.known),
  shownPercent(hasRule ? day.upPercent : day.ownTwoSidedPercent),
  shownPercent(day.ownSpreadPercent),
  quote(day.ownBidsWithin2),
  quote(day.ownAsksWithin2),
  shownPercent(day.spreadPercent),
  quote(day.bidsWithin2),
  quote(day.asksWithin2),
];

/** Style of the chart. */
export const UPTIME_STYLE = `
:root{--own:#0b6e4f;--warn:#7a5200}
@media(prefers-color-scheme:dark){:root{--own:#4cc38a;--warn:#f0c060}}
svg{display:block;width:100%;height:auto}text{fill:var(--soft);font:12px system-ui,sans-serif}
.own{fill:var(--own)}.none{fill:var(--line)}.full{stroke:var(--line)}
@media(max-width:600px){text{font-size:26px}}
`;

const [CHART_WIDTH, CHART_HEIGHT] = [1080, 160] as const;

/** Charts each day's share of known minutes that meet the agreement; without one, those with own orders on both sides. */
export function uptimeChart(days: readonly Day[]) {
  const width = CHART_WIDTH / Math.max(1, days.length);
  const isRule = hasRuleOf(days);
  return (
    <svg
      viewBox={`0 0 ${CHART_WIDTH} ${CHART_HEIGHT}`}
      role="img"
      aria-label="Percent of the known minutes of each day"
    >
      {days.map(({ day, upPercent, ownTwoSidedPercent }, index) => {
        const share = isRule ? upPercent : ownTwoSidedPercent;
        const height = share === null ? 3 : Math.max(1, (share / 100) * (CHART_HEIGHT - 40));
        return (
          <rect
            class={share === null ? "none" : "own"}
            x={(index * width + 1).toFixed(1)}
            y={(CHART_HEIGHT - 30 - height).toFixed(1)}
            width={Math.max(1, width - 2).toFixed(1)}
            height={height.toFixed(1)}
          >
            <title>{`${day}: ${share === null ? "no data" : shownPercent(share)}`}</title>
          </rect>
        );
      })}
      <line class="full" x1="0" x2={CHART_WIDTH} y1="10" y2="10" />
      <text x="0" y={CHART_HEIGHT - 6}>
        {days[0]?.day}
      </text>
      <text x={CHART_WIDTH} y={CHART_HEIGHT - 6} text-anchor="end">
        {days.at(-1)?.day}
      </text>
      <text x={CHART_WIDTH / 2} y={CHART_HEIGHT - 6} text-anchor="middle">
        The line is at 100 %.
      </text>
    </svg>
  );
}
