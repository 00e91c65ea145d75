/** Tables and the chart of a liquidity report. */

import { type Decimal, decimal, div, ONE, text, wire } from "../kernel/decimal.ts";
import { DataTable } from "../kernel/html.tsx";
import { groupThousands, pluralize } from "../kernel/plain-text.ts";
import { minuteText } from "../kernel/time.ts";
import type { LiquidityPromise, PromiseRequest } from "../model/samples/promise.ts";
import { dayOfMinute } from "../model/samples/sample.ts";
import { type SlippageSums, TRADE_SIZES } from "../model/samples/sums.ts";
import { binanceFlags, bitgetSt, dayAverages, mexcSt } from "./exchange-rules.ts";
import {
  agreementRule,
  gateRule,
  gateScore,
  type LiquiditySpan,
  type ObligationFinding,
  quotingAgreement,
  type UpRule,
} from "./obligations.ts";
import type { CostAnswer, LiquidityAnswer } from "./schema.ts";

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

export const NOT_KNOWN = "not known";

const isSmall = (value: number): boolean => value !== 0 && Math.abs(value) < 1;

/** Formats an amount with two decimals, or with six where two would show a small amount as zero. */
export const quote = (amount: number | string | null, digits?: number): string => {
  if (amount === null) return NOT_KNOWN;
  const value = Number(amount);
  return groupThousands(value.toFixed(digits ?? (isSmall(value) ? 6 : 2)));
};

/** Bands of a depth, in percent of the mid price. */
export const BAND_PERCENTS = ["0.5", "1", "2"] as const;

export const depthRows = (whose: string, { depth }: OwnFigures): string[][] =>
  (["bids", "asks"] as const).map((side) => [
    whose,
    side,
    ...BAND_PERCENTS.map((band) => quote(depth?.[side][band] ?? null)),
  ]);

const CAUSES: Record<LiquidityAnswer["gaps"][number]["cause"], string> = {
  exchange: "the exchange did not respond",
  funds: "the balance was too low, or a limit of the position was reached",
  pause: "the quotes were paused or stopped",
  not_started: "before the quotes were started",
  ours: "the market maker: no server was running, or orders were missing",
  unknown: NOT_KNOWN,
};

/** Formats the figures of a report, with thousands separators. */
export const countText = (value: number): string => groupThousands(String(value));

export const gapRow = ({ from, minutes, what, cause }: LiquidityAnswer["gaps"][number]): string[] => [
  minuteText(from),
  countText(minutes),
  what === "unseen" ? "no sample" : "own orders were not on both sides",
  CAUSES[cause],
];

const hasRuleOf = (days: readonly Day[]): boolean => days.some(({ upPercent }) => upPercent !== null);
export const dayTitle = ({ days }: LiquidityAnswer): string =>
  hasRuleOf(days) ? "Time that meets the agreement, by day" : "Time with own orders on both sides, by day";

export const dayHeads = (asset: string, days: readonly Day[]): string[] => [
  "Day, UTC",
  "Known minutes",
  hasRuleOf(days) ? "Agreement met" : "Own, both sides",
  "Own spread",
  `Own bids 2\u00a0%, ${asset}`,
  `Own asks 2\u00a0%, ${asset}`,
  "Market spread",
  `All bids 2\u00a0%, ${asset}`,
  `All asks 2\u00a0%, ${asset}`,
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

/** Renders the hashes of signed days; nothing without any. A closed part is not printed. */
export function signedPart(days: readonly Day[], isOpen = false) {
  const rows = days.flatMap(({ day, signedHash }) =>
    signedHash === null ? [] : [[day, <code>{signedHash}</code>]],
  );
  return (
    rows.length > 0 && (
      <details class="signed" open={isOpen}>
        <summary>Hashes of the signed days</summary>
        <p>
          Keep the newest hash. With it, <code>edgemaker proof verify FILE --hash HASH</code> shows whether
          this day or an earlier one was signed again later.
        </p>
        <DataTable heads={["Day, UTC", "Hash"]} rows={rows} kind="words" />
      </details>
    )
  );
}

export const shownPercent = (value: number | null, digits = 2): string =>
  value === null ? NOT_KNOWN : `${value.toFixed(digits)} %`;

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
.signed code{overflow-wrap:anywhere;white-space:normal}.signed td{white-space:normal}
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

export type OwnFigures = LiquidityAnswer["own"];
type Day = LiquidityAnswer["days"][number];

/** Default terms of an agreement. */
export const DEFAULT_TERMS = {
  spread: decimal("0.02"),
  depth: 1000n * ONE,
  band: 2,
  levels: 1,
  uptime: decimal("0.9"),
} as const;

/** Returns the last complete day of a span. */
export const lastWholeDay = ({ to }: Pick<LiquiditySpan, "to">): number => dayOfMinute(to) - 1;

function agreedOf(request: PromiseRequest) {
  const { spread, depth, band, levels, uptime } = DEFAULT_TERMS;
  return {
    spread: request.spread ?? spread,
    depth: request.depth ?? depth,
    band: request.band ?? band,
    levels: request.levels ?? levels,
    uptime: request.uptime ?? uptime,
  };
}

/** Returns the rule by which an agreement counts minutes; undefined if it uses means only. */
export function upRuleOf({ preset, request }: LiquidityPromise): UpRule | undefined {
  const agreed = agreedOf(request);
  if (preset === "gate-score") return gateRule({ ...agreed, size: agreed.depth });
  return preset === "agreement" ? agreementRule(agreed) : undefined;
}

const sharePercent = (share: Decimal): string => `${text(share * 100n)} %`;

/** Describes the rules that the minutes are compared with, in sentences without a period. */
export function describeTerms({ preset, request }: LiquidityPromise, quote: string): string[] {
  const { spread, depth, band, levels, uptime } = agreedOf(request);
  const amount = `${groupThousands(text(depth))} ${quote}`;
  switch (preset) {
    case "agreement":
      return [
        `Own orders on both sides for at least ${sharePercent(uptime)} of the time`,
        `At most ${sharePercent(spread)} between the best own bid and ask, and at least ${pluralize(levels, "own order")} per side; other minutes do not count`,
        `A mean depth of at least ${amount} per side within ${BAND_PERCENTS[band]} % of the mid price`,
      ];
    case "gate-score":
      return [
        `A minute scores if the own spread is below ${sharePercent(spread)}, and the smaller side has more than ${amount} within ${BAND_PERCENTS[band]} %`,
        `At least ${sharePercent(uptime)} of the time scores`,
      ];
    case "mexc-st":
      return ["MEXC's ST warning rules for a whole market, as of 2024-10-29"];
    case "binance-flags":
      return ["Binance's six red flags of market makers, as of 2026; it publishes no thresholds"];
    case "bitget-st":
      return [
        "Bitget's ST policy: means of the last seven whole days of the market; it publishes no thresholds",
        ...(request.spread === undefined
          ? []
          : [`Your own limit: a mean spread of at most ${sharePercent(spread)}`]),
      ];
  }
}

/**
 * Returns the results. `span` is counted by the agreement's own rule; `volumes` are everybody's daily volumes in
 * quote, up to the last complete day.
 */
export function findingsOf(
  { preset, request }: LiquidityPromise,
  span: LiquiditySpan,
  volumes: readonly (Decimal | null)[] = [],
): ObligationFinding[] {
  const agreed = agreedOf(request);
  if (preset === "gate-score") return gateScore(span, { share: agreed.uptime });
  if (preset === "agreement") return quotingAgreement(span, agreed);
  if (preset === "binance-flags") return binanceFlags(span, volumes);
  const days = span.days.filter(({ day }) => day <= lastWholeDay(span)).map(dayAverages);
  if (preset === "mexc-st") return mexcSt(days, volumes);
  return bitgetSt(days, request.spread === undefined ? {} : { spread: request.spread });
}

/** Cost to trade as responses show it: bounds of the average slippage of market orders. */
type TradeCost = LiquidityAnswer["costToTrade"][number];

/** Digits of a bound that is computed from three bands. */
const BOUND_DIGITS = 6;

function tradeCosts(day: string | null, { sides, sizes }: SlippageSums): TradeCost[] {
  return TRADE_SIZES.map((size, index) => {
    const { least = 0n, most = 0n, ended = 0 } = sizes[index] ?? {};
    const percent = (sum: Decimal) =>
      Number(wire(div(100n * sum, size * BigInt(sides), "half")).toPrecision(BOUND_DIGITS));
    const isKnown = sides > 0;
    return {
      day,
      amount: text(size),
      atLeastPercent: isKnown ? percent(least) : null,
      atMostPercent: isKnown && ended === 0 ? percent(most) : null,
      bookEndsPercent: isKnown ? Number(((100 * ended) / sides).toFixed(2)) : null,
    };
  });
}

/** Formats the whole period, then each day with samples if requested. */
export const tradeCostsOut = (
  { sums, days }: Pick<LiquiditySpan, "sums" | "days">,
  name: (day: number) => string,
  hasDays: boolean,
): TradeCost[] => [
  ...tradeCosts(null, sums.slippage),
  ...(hasDays ? days.filter(({ sums: { known } }) => known > 0) : []).flatMap((day) =>
    tradeCosts(name(day.day), day.sums.slippage),
  ),
];

const TRADE_AMOUNTS = TRADE_SIZES.map((size) => groupThousands(String(size / ONE)));

/** Formats bounds, rounded outward. */
export function slippageText({ atLeastPercent, atMostPercent }: TradeCost): string {
  if (atLeastPercent === null) return NOT_KNOWN;
  const hundredths = (value: number) => Number((100 * value).toFixed(BOUND_DIGITS));
  const least = (Math.floor(hundredths(atLeastPercent)) / 100).toFixed(2);
  if (atMostPercent === null) return `at least ${least}\u00a0%`;
  return `${least} to ${(Math.ceil(hundredths(atMostPercent)) / 100).toFixed(2)}\u00a0%`;
}

/** Returns one row per day: the day, null for the whole period, and the text of each size. */
function tradeCostRows(costs: readonly TradeCost[]): { day: string | null; texts: string[] }[] {
  const days = [...new Set(costs.map(({ day }) => day))];
  return days.map((day) => ({ day, texts: costs.filter((cost) => cost.day === day).map(slippageText) }));
}

/** Names a row of a day or of the whole period. */
const tradeCostDay = (day: string | null): string => day ?? "all days";

/** Columns of the command line's tables. */
export const ORDER_COST_COLUMNS = TRADE_AMOUNTS.map((amount) => `order of ${amount}`);

/** Formats costs to trade for people: one row per day. */
export const costToTradeShown = (costs: readonly TradeCost[]) =>
  tradeCostRows(costs).map(({ day, texts }) => ({
    day: tradeCostDay(day),
    ...Object.fromEntries(ORDER_COST_COLUMNS.map((name, index) => [name, texts[index]])),
  }));

interface CostRow {
  /** Names the market, or the sum. */
  readonly name: string;
  /** Null if it is unknown. */
  readonly cost: CostAnswer | null;
  readonly isTotal?: boolean;
}

const COST_HEADS = [
  "Market",
  "P&L",
  "Spread captured",
  "Inventory",
  "Fees",
  "Fills",
  "Fills without a mid price",
];

/** Two decimals, or six where two would show small amounts as zero. */
const amountDigits = ({ totalProfit, spread, inventory, fees }: CostAnswer): number =>
  [totalProfit, spread ?? 0, inventory, fees].some((value) => Math.abs(Number(value)) >= 1) ? 2 : 6;

/** Renders P&L by cause, one row per market; nothing if it was not requested. */
export const costPart = (rows: readonly CostRow[] | undefined) =>
  rows !== undefined && (
    <>
      <h2>What it cost</h2>
      <DataTable heads={COST_HEADS} rows={rows.map(costCells)} kind="costs" />
      {rows.some(({ cost }) => cost === null) && (
        <p>Not known: no strategy of the market has figures for these days.</p>
      )}
    </>
  );

function costCells({ name, cost, isTotal = false }: CostRow) {
  if (cost === null) return [name, NOT_KNOWN, ...COST_HEADS.slice(2).map(() => "–")];
  const { totalProfit, spread, inventory, fees, fills, withoutMid } = cost;
  const amount = (value: string | null) =>
    value === null ? NOT_KNOWN : `${quote(value, amountDigits(cost))}\u00a0${cost.quote}`;
  return [
    isTotal ? <b>{name}</b> : name,
    <b class={Number(totalProfit) < 0 ? "loss" : "gain"}>{amount(totalProfit)}</b>,
    ...[spread, inventory, fees].map(amount),
    countText(fills),
    countText(withoutMid),
  ];
}

type MarketTrades = Pick<LiquidityAnswer, "costToTrade">;

const tradeHeads = (first: string, asset: string): string[] => [
  first,
  ...TRADE_AMOUNTS.map((amount) => `${amount} ${asset}`),
];

/** Renders the average slippage of market orders over the period, one row per market. */
export const tradeCostPart = (
  rows: readonly (readonly [name: string, market: MarketTrades])[],
  asset: string,
) => (
  <>
    <h2>Average slippage of a market order</h2>
    <DataTable
      heads={tradeHeads("Market", asset)}
      rows={rows.flatMap(([name, { costToTrade }]) =>
        tradeCostRows(costToTrade.filter(({ day }) => day === null)).map(({ texts }) => [name, ...texts]),
      )}
      kind="trades"
    />
  </>
);

/** Renders it by day; nothing if the days were not requested. */
export function tradeDaysPart({ costToTrade }: MarketTrades, asset: string) {
  const ofDays = costToTrade.filter(({ day }) => day !== null);
  return (
    ofDays.length > 0 && (
      <>
        <h2>Average slippage of a market order, by day</h2>
        <DataTable
          heads={tradeHeads("Day, UTC", asset)}
          rows={tradeCostRows(ofDays).map(({ day, texts }) => [tradeCostDay(day), ...texts])}
          kind="trades"
        />
      </>
    )
  );
}
