import { DataTable, Fact, htmlPage } from "../kernel/html.tsx";
import { plainTexts } from "../kernel/plain-text.ts";
import { minuteText } from "../kernel/time.ts";
import type { AgreementReport, ReportedRule } from "./agreement-report-schema.ts";
import { costPart } from "./cost-page.tsx";
import { daysPart, LIQUIDITY_STYLE, legendPart, offeredPart, verdictText } from "./page.tsx";
import { countText, quote, shownPercent } from "./page-figures.ts";
import { findingRow, RULE_HEADS } from "./page-tables.tsx";
import type { LiquidityAnswer } from "./schema.ts";
import { tradeCostPart } from "./trade-cost-page.tsx";

/** Renders the report of an agreement for people who receive it: the results on the first page, then each market. */
export function agreementPage(answer: unknown): string {
  const report = plainTexts(answer) as AgreementReport;
  const { markets } = report;
  const body = (
    <>
      {partiesPart(report)}
      {report.verdict !== null && (
        <p class={`verdict ${report.verdict}`}>{verdictText({ ...report, findings: report.rules })}</p>
      )}
      {unknownPart(report)}
      {rulesPart(report)}
      <h2>Markets</h2>
      <DataTable heads={MARKET_HEADS} rows={markets.map(marketRow)} kind="markets" />
      {eachQuote(markets).map(([asset, ofQuote]) =>
        tradeCostPart(
          ofQuote.map((market) => [marketTitle(market), market]),
          asset,
        ),
      )}
      {costPart(costRows(report))}
      {markets.map(marketPart)}
      {legendPart(
        markets.map(({ exchange, symbol, hash, known }) => ({
          of: ` of ${symbol} on ${exchange}`,
          ...{ hash, known },
        })),
        report.costs !== undefined,
      )}
    </>
  );
  const title = `Agreement ${report.agreement}: liquidity report`;
  return htmlPage({ title, style: LIQUIDITY_STYLE + AGREEMENT_STYLE, body });
}

const partiesPart = ({ maker, counterparty, from, to, madeAt, version, changedAt }: AgreementReport) => (
  <dl class="head">
    <Fact name="Market maker">{maker ?? "not named"}</Fact>
    <Fact name="Made with">{counterparty ?? "not named"}</Fact>
    <Fact name="Period">{`${from} to ${to}, days in UTC`}</Fact>
    <Fact name="Report made">{`${minuteText(madeAt)} UTC, by edgemaker`}</Fact>
    {changedAt !== null && (
      <Fact name="Terms">{`${version === 1 ? "unchanged since" : `changed ${countText(version - 1)} times, last on`} ${minuteText(changedAt)} UTC`}</Fact>
    )}
  </dl>
);

const unknownPart = ({ unknownMarkets }: AgreementReport) =>
  unknownMarkets.length > 0 && (
    <p class="verdict unknown">{`Not measured, because the settings do not list the exchange: ${unknownMarkets.join(", ")}.`}</p>
  );

const marketTitle = ({ exchange, symbol }: Pick<ReportedRule, "exchange" | "symbol">): string =>
  exchange === null ? `${symbol}, all markets` : `${symbol} on ${exchange}`;

function rulesPart({ rules, before }: AgreementReport) {
  const heads = [...RULE_HEADS, ...(before ? [`${before.from} to ${before.to}`] : [])];
  const rows = rules.flatMap((rule, index) => {
    const cells = [...ruleCells(rule), ...(before ? [beforeText(rule)] : [])];
    const earlier = rules[index - 1];
    const isFirst = earlier === undefined || marketTitle(earlier) !== marketTitle(rule);
    return isFirst
      ? [heads.map((_, column) => (column === 0 ? <b>{marketTitle(rule)}</b> : "")), cells]
      : [cells];
  });
  return (
    <>
      <h2>Rules</h2>
      <DataTable heads={heads} rows={rows} kind="rules agreed" />
    </>
  );
}

function ruleCells(rule: ReportedRule) {
  const [name, state = "", ...figures] = findingRow(rule, rule.symbol.split("/")[1] ?? "");
  const why = rule.reason !== null && <small>{rule.reason}</small>;
  return [
    <>
      {name}
      {why}
    </>,
    <b class={rule.state}>{state}</b>,
    ...figures,
  ];
}

function beforeText({ before, ...rule }: ReportedRule): string {
  if (before === null) return "no sample";
  const [, state, measured] = findingRow({ ...rule, ...before }, rule.symbol.split("/")[1] ?? "");
  return `${measured}, ${state}`;
}

const MARKET_HEADS = [
  ...["Market", "Sampled", "Own orders on both sides", "Own spread", "Market spread"],
  ...["Own bids within 2\u00a0%", "Own asks within 2\u00a0%"],
];

const marketRow = ({ own, market, known, minutes, ...of }: LiquidityAnswer): string[] => [
  marketTitle(of),
  minutes === 0 ? "no minute" : shownPercent((100 * known) / minutes),
  shownPercent(own.twoSidedPercent),
  shownPercent(own.spreadPercent),
  shownPercent(market.spreadPercent),
  quote(own.depth?.bids["2"] ?? null),
  quote(own.depth?.asks["2"] ?? null),
];

/** Groups markets by quote asset. */
function eachQuote(markets: readonly LiquidityAnswer[]): [asset: string, LiquidityAnswer[]][] {
  const assetOf = ({ symbol }: LiquidityAnswer) => symbol.split("/")[1] ?? "";
  return [...new Set(markets.map(assetOf))].map((asset) => [
    asset,
    markets.filter((market) => assetOf(market) === asset),
  ]);
}

/** Lists each market, then the sum of each quote asset with several markets. */
const costRows = ({ costs, markets }: AgreementReport) =>
  costs && [
    ...markets.map(({ cost = null, ...of }) => ({ name: marketTitle(of), cost })),
    ...costs
      .filter(({ markets: count }) => count > 1)
      .map((cost) => ({
        name: `${countText(cost.markets - cost.unknownMarkets)} of ${countText(cost.markets)} markets in ${cost.quote}`,
        ...{ cost, isTotal: true },
      })),
  ];

const marketPart = (market: LiquidityAnswer) => (
  <section class="market">
    <h2 class="name">{marketTitle(market)}</h2>
    <ul>
      {market.terms.map((term) => (
        <li>{term}.</li>
      ))}
    </ul>
    {offeredPart(market, market.symbol.split("/")[1] ?? "")}
    {daysPart(market, market.symbol.split("/")[1] ?? "")}
  </section>
);

const AGREEMENT_STYLE = `
.market{margin-top:40px;border-top:2px solid var(--line)}.name{font-size:1.25rem}
.agreed td:first-child{min-width:11em}.agreed small{display:block;color:var(--soft)}
.markets td:nth-child(2),.markets th:nth-child(2){text-align:right}.head+.verdict{margin-top:16px}
.kept{color:var(--gain)}.missed{color:var(--loss)}.unknown{color:var(--warn)}
@media print{.market{break-before:page;border-top:0;margin-top:0}}
`;
