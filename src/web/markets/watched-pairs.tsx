import { change, inPercent, type MoneyValue, money, number, pairOf, toneOf } from "../format.ts";
import { useLoad } from "../live.ts";
import { Table, type TableColumn } from "../table.tsx";
import type { LiquidityReportView, LiquidityView, WatchedPairs } from "../types.ts";
import { Failed, Section, Shown } from "../ui.tsx";

/** A minute's sample is available after the minute. */
export const EVERY_MINUTE = { every: 60_000 };

/** Sampled pairs, if any: today's offers and obligations. */
export function WatchedMarkets() {
  const { data, error, again } = useLoad<WatchedPairs>("GET /liquidity/pairs", {}, EVERY_MINUTE);
  if (error) return <Failed error={error} again={again} />;
  if (data === undefined || data.count === 0) return null;
  return (
    <Section title={`Watched pairs (${eachPair(data).length})`}>
      {eachPair(data).map(({ exchange, symbol }) => (
        <Offers
          key={`${exchange} ${symbol}`}
          exchange={exchange}
          symbol={symbol}
          from={data.day}
          to={data.day}
          days="today"
          cost={false}
        />
      ))}
    </Section>
  );
}

const placeOf = ({ exchange, symbol }: WatchedPairs["pairs"][number]): string => `${symbol} on ${exchange}`;

/** Lists each pair once; several agreements can have the same one. */
export const eachPair = ({ pairs }: WatchedPairs): WatchedPairs["pairs"] =>
  pairs.filter((pair, index) => index === pairs.findIndex((one) => placeOf(one) === placeOf(pair)));

interface Where {
  readonly exchange: string;
  readonly symbol: string;
  /** First and last day, in UTC. */
  readonly from: string;
  readonly to: string;
}

/** What the own orders and the whole book offered in some days, and the agreement's rules. */
export function Offers({ days, cost, ...query }: Where & { days: string; cost: boolean }) {
  const { exchange, symbol } = query;
  // P&L is read from all fills of the days, so it is read once.
  const how = cost ? {} : EVERY_MINUTE;
  const output = useLoad<LiquidityReportView>(
    "GET /liquidity/report",
    { ...query, cost: String(cost), details: "false" },
    how,
  );
  return (
    <Shown of={output}>
      {({ markets: [report] }) =>
        report && (
          <>
            <p>
              <b>{symbol}</b> on {exchange} {days}: {sampledText(report)}
            </p>
            <Table
              label={`Liquidity of ${symbol} on ${exchange} ${days}`}
              columns={offeredIn(pairOf(symbol).quote)}
              rows={[
                { whose: "Own orders", of: report.own },
                { whose: "Whole book", of: report.market },
              ]}
              keyOf={({ whose }) => whose}
              empty="No samples yet."
            />
            {report.findings.length === 0 ? null : <Promised report={report} />}
            {cost ? (
              <CostTable
                label={`What ${symbol} on ${exchange} cost`}
                rows={[{ name: `${symbol} on ${exchange}`, cost: report.cost ?? null }]}
              />
            ) : null}
          </>
        )
      }
    </Shown>
  );
}

const sampledText = ({ known, minutes }: LiquidityView): string =>
  `${number(known)} of ${number(minutes)} minutes sampled`;

interface Offered {
  readonly whose: string;
  readonly of: LiquidityView["own"];
}

/** Formats a percentage; a missing value is neither 0 nor 100 %. */
const percentOrNot = (value: number | null): string => (value === null ? "unknown" : inPercent(value, 2));
const depthOrNot = (value: MoneyValue | undefined): string =>
  value === undefined ? "unknown" : money(value);

const offeredIn = (quote: string): readonly TableColumn<Offered>[] => [
  { name: "Of", isHead: true, of: ({ whose }) => whose },
  { name: "Spread", isNumber: true, of: ({ of }) => percentOrNot(of.spreadPercent) },
  { name: "Both sides", isNumber: true, of: ({ of }) => percentOrNot(of.twoSidedPercent) },
  { name: `Bids within 2 %, ${quote}`, isNumber: true, of: ({ of }) => depthOrNot(of.depth?.bids["2"]) },
  { name: `Asks within 2 %, ${quote}`, isNumber: true, of: ({ of }) => depthOrNot(of.depth?.asks["2"]) },
];

type JudgedRule = LiquidityView["findings"][number];
const TONES: Readonly<Record<JudgedRule["state"], string>> = {
  kept: "up",
  missed: "down",
  unknown: "",
  shown: "",
};

export const figureOf = (value: number | null, unit: JudgedRule["unit"]): string =>
  unit === "percent" ? percentOrNot(value) : depthOrNot(value ?? undefined);

/** The verdict on a rule, with what was measured and what is required. */
export const VERDICT_COLUMNS: readonly TableColumn<JudgedRule>[] = [
  { name: "Result", of: ({ state }) => <b class={`tag ${TONES[state]}`}>{state}</b> },
  { name: "Measured", isNumber: true, of: ({ value, unit }) => figureOf(value, unit) },
  {
    name: "Required",
    isNumber: true,
    of: ({ limit, unit }) => (limit === null ? "" : figureOf(limit, unit)),
  },
];

const PROMISES: readonly TableColumn<JudgedRule>[] = [
  { name: "Rule", isHead: true, of: ({ rule }) => rule },
  ...VERDICT_COLUMNS,
];

export const Promised = ({ report: { symbol, exchange, preset, findings } }: { report: LiquidityView }) => (
  <Table
    label={`Agreement for ${symbol} on ${exchange}: ${preset}`}
    columns={PROMISES}
    rows={findings}
    keyOf={({ rule }) => rule}
    empty="No results yet."
  />
);

type CostView = Omit<NonNullable<LiquidityReportView["costs"]>[number], "markets" | "unknownMarkets">;

interface MarketCostRow {
  readonly name: string;
  /** Null if it is unknown. */
  readonly cost: CostView | null;
}

const knownAmount = (value: string | null): string => (value === null ? "unknown" : change(value));

const MARKET_COST_COLUMNS: readonly TableColumn<MarketCostRow>[] = [
  { name: "Market", isHead: true, of: ({ name }) => name },
  {
    name: "P&L",
    isNumber: true,
    of: ({ cost }) =>
      cost ? (
        <span class={toneOf(cost.totalProfit)}>{`${change(cost.totalProfit)} ${cost.quote}`}</span>
      ) : (
        "unknown"
      ),
  },
  { name: "Spread", isNumber: true, of: ({ cost }) => (cost ? knownAmount(cost.spread) : "") },
  { name: "Inventory", isNumber: true, of: ({ cost }) => (cost ? change(cost.inventory) : "") },
  { name: "Fees", isNumber: true, of: ({ cost }) => (cost ? money(cost.fees) : "") },
  { name: "Fills", isNumber: true, of: ({ cost }) => (cost ? number(cost.fills) : "") },
  { name: "Without mid", isNumber: true, of: ({ cost }) => (cost ? number(cost.withoutMid) : "") },
];

/** P&L by cause of strategies on markets. */
export const CostTable = ({ label, rows }: { label: string; rows: readonly MarketCostRow[] }) => (
  <Table
    label={label}
    columns={MARKET_COST_COLUMNS}
    rows={rows}
    keyOf={({ name }) => name}
    empty="No markets."
  />
);

/** Lists the markets, then the sum of each quote asset with several markets. */
export const agreementCosts = ({ costs = [], markets }: LiquidityReportView): MarketCostRow[] => [
  ...markets.map(({ symbol, exchange, cost = null }) => ({ name: `${symbol} on ${exchange}`, cost })),
  ...costs
    .filter(({ markets: count }) => count > 1)
    .map((cost) => ({
      name: `${cost.markets - cost.unknownMarkets} of ${cost.markets} markets in ${cost.quote}`,
      cost,
    })),
];
