import * as z from "zod";
import { csv } from "../../kernel/csv.ts";
import { nearestNumber } from "../../kernel/decimal.ts";
import { AppError } from "../../kernel/errors.ts";
import { dayOf, type Millis } from "../../kernel/time.ts";
import { dateOf } from "../../model/limits.ts";
import { NO_SUMS } from "../../model/samples/sums.ts";
import { type Call, type Operation, operation } from "../../operation.ts";
import {
  type AgreedMarket,
  agreementPage,
  dayNumber,
  type LiquidityReport,
  LiquidityReportShape,
  type NamedAgreement,
  nameField,
  type ReportedRule,
} from "../agreement-page.tsx";
import { writtenMarket } from "../market-text.ts";
import { type LiquiditySpan, overallState } from "../obligations.ts";
import { liquidityPage } from "../page.tsx";
import { costToTradeShown, findingsOf, upRuleOf } from "../page-tables.tsx";
import { describeTotalRules, findingOut, totalFindings, totalRule } from "../report.ts";
import {
  costShown,
  formatCost,
  type HeadedAnswer,
  type LiquidityAnswer,
  liquidityInput,
  totalCosts,
} from "../schema.ts";
import type { LiquidityDeps } from "../store/store.ts";
import {
  type PairReport,
  type ReportDays,
  readDaysOf,
  reportOfPair,
  requestedDays,
  type SampledDeps,
} from "./pair-report.ts";
import {
  daysCsv,
  LIQUIDITY_COLUMNS,
  marketView,
  readAgreements,
  readCosts,
  readMarketReport,
} from "./report.ts";

interface Period {
  readonly agreement: NamedAgreement;
  readonly days: ReportDays;
  readonly now: Millis;
}

const RULE_COLUMNS = ["exchange", "symbol", "rule", "state", "unit", "value", "limit", "reason"] as const;

/** Lists the rules of all markets, each with its result before; both lists have the same order. */
const reportedRules = (
  markets: readonly MarketFindings[],
  before: readonly MarketFindings[],
): ReportedRule[] =>
  markets.flatMap(({ market: { exchange, symbol }, findings }, place) =>
    findings.map((finding, index) => {
      const { state, value } = before[place]?.findings[index] ?? {};
      return { exchange, symbol, ...finding, before: state ? { state, value: value ?? null } : null };
    }),
  );

/** Columns of the command line's tables, most important first. */
const REPORT_TABLE_COLUMNS = [
  "exchange",
  "symbol",
  "rule",
  "state",
  "value",
  "limit",
  "unit",
  "before",
  "reason",
  ...LIQUIDITY_COLUMNS,
  "bothSides",
  "ownSpreadPercent",
];

/** Fields that set the rules of a report of one market. */
const MARKET_FIELDS = [
  "exchange",
  "symbol",
  "preset",
  "spreadPercent",
  "depth",
  "band",
  "levels",
  "uptime",
] as const;

const reportInput = (ids: readonly string[]) => {
  const { exchange, symbol, ...others } = liquidityInput(ids).shape;
  return z
    .object({
      agreement: nameField()
        .optional()
        .describe("Name of an agreement; or name a market with exchange and symbol"),
      exchange: exchange.optional(),
      symbol: symbol.optional(),
      ...others,
    })
    .superRefine((request, { addIssue }) => {
      const message = (text: string) => addIssue({ code: "custom", message: `Invalid request: ${text}` });
      if (request.agreement === undefined) {
        if (request.exchange === undefined || request.symbol === undefined)
          message("name an agreement, or exchange and symbol");
        return;
      }
      const others = MARKET_FIELDS.filter((name) => request[name] !== undefined);
      if (others.length > 0)
        message(`an agreement has its own markets and rules; remove ${others.join(", ")}`);
    });
};

export const liquidityOperation = (ids: readonly string[]): Operation =>
  operation({
    name: "get_liquidity_report",
    summary: "Show which rules of an agreement, or of one market, were kept, missed or are unknown",
    effect: "read",
    access: "token",
    lane: "heavy",
    http: { route: "GET /liquidity/report", from: "query" },
    cli: {
      path: "liquidity report",
      positional: ["agreement"],
      words: {
        "agreement report": {
          summary: "Show which rules of an agreement were kept, missed or are unknown",
          input: {},
          fields: ["agreement", "from", "to", "maker", "cost", "details"],
        },
      },
      view: liquidityReportView,
      columns: REPORT_TABLE_COLUMNS,
      examples: [
        "edgemaker liquidity report --exchange mexc --symbol SNEK/USDT --from 2026-01-01 --to 2026-01-31",
        "edgemaker liquidity report --exchange mexc --symbol SNEK/USDT --preset agreement --spread-percent 2 --depth 500",
        "edgemaker liquidity report --exchange mexc --symbol SNEK/USDT --cost false --format html > report.html",
        "edgemaker agreement report snek --from 2026-01-01 --to 2026-01-31",
        "edgemaker agreement report snek --maker 'Snek Treasury' --cost false --format html > january.html",
      ],
    },
    mcp: { defaults: { details: false } },
    failure: "Internal error",
    input: () => reportInput(ids),
    output: LiquidityReportShape,
    html: (answer) => {
      const market = marketAlone(answer);
      return market ? liquidityPage(market) : agreementPage(answer);
    },
    csv: (answer) => {
      const market = marketAlone(answer);
      return market ? daysCsv(market) : rulesCsv(answer as LiquidityReport);
    },
    async run(deps: LiquidityDeps, { agreement, exchange, symbol, ...request }, call) {
      if (agreement !== undefined) return readAgreementReport(deps, { ...request, agreement }, call);
      if (exchange === undefined || symbol === undefined)
        throw new AppError("Invalid request", "name an agreement, or exchange and symbol");
      return marketReport(await readMarketReport(deps, { ...request, exchange, symbol }, call));
    },
  });

/** Returns the only market of a report without an agreement. */
const marketAlone = (answer: unknown): HeadedAnswer | undefined => {
  const {
    agreement,
    markets: [market],
    maker,
    madeAt,
    from,
    to,
  } = answer as LiquidityReport;
  if (agreement !== null || market === undefined) return undefined;
  const { exchange, symbol, ...others } = market;
  return { exchange, symbol, maker, madeAt, from, to, ...others };
};

/** Returns the report of one market in the form of an agreement's. */
function marketReport({ answer, costs }: Awaited<ReturnType<typeof readMarketReport>>): LiquidityReport {
  const { maker, madeAt, from, to, ...market } = answer;
  const { exchange, symbol, verdict, findings } = market;
  const rules = findings.map((finding) => ({ exchange, symbol, ...finding, before: null }));
  return {
    agreement: null,
    counterparty: null,
    maker,
    madeAt,
    from,
    to,
    version: null,
    changedAt: null,
    total: [],
    unknownMarkets: [],
    verdict,
    counts: countStates(rules),
    before: null,
    rules,
    ...(costs ? { costs: totalCosts(costs) } : {}),
    markets: [market],
  };
}

function countStates(rules: readonly ReportedRule[]): LiquidityReport["counts"] {
  const count = (state: ReportedRule["state"]) => rules.filter((rule) => rule.state === state).length;
  return { kept: count("kept"), missed: count("missed"), unknown: count("unknown") };
}

const rulesCsv = ({ rules }: LiquidityReport): string =>
  csv(
    [...RULE_COLUMNS, "stateBefore", "valueBefore"],
    rules.map(({ before, ...rule }) => [
      ...RULE_COLUMNS.map((name) => rule[name]),
      before?.state ?? null,
      before?.value ?? null,
    ]),
  );

interface AgreementRequest extends Pick<PairReport, "details"> {
  readonly agreement: string;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly maker?: string | undefined;
  readonly cost: boolean;
}

async function readAgreementReport(
  deps: LiquidityDeps,
  { agreement: name, maker, cost, details, ...request }: AgreementRequest,
  call: Call,
): Promise<LiquidityReport> {
  const { liquidity, store } = deps;
  const agreement = (await readAgreements(deps)).find((one) => one.name === name);
  if (!liquidity || !agreement)
    throw new AppError(
      "Not found",
      `there is no agreement ${name}; \`edgemaker agreement list\` shows all of them`,
    );
  const now = await store.now();
  const period = { agreement, days: agreedDays(agreement, request, now), now };
  const report = await reportOfAgreement({ ...deps, liquidity }, period, { maker: maker ?? null, details });
  if (!cost) return report;
  const costs = await readCosts(deps, agreement.markets, period.days, call);
  const withCost = (market: LiquidityAnswer, index: number) => {
    const ofMarket = costs[index];
    return { ...market, cost: ofMarket ? formatCost(ofMarket) : null };
  };
  return { ...report, costs: totalCosts(costs), markets: report.markets.map(withCost) };
}

async function reportOfAgreement(
  deps: SampledDeps,
  period: Period,
  { maker, details }: Pick<PairReport, "details"> & Pick<LiquidityReport, "maker">,
): Promise<LiquidityReport> {
  const { agreement, days, now } = period;
  const markets: {
    readonly market: AgreedMarket;
    readonly report: Awaited<ReturnType<typeof reportOfPair>>;
  }[] = [];
  for (const market of agreement.markets) {
    const report = await reportOfPair(deps, market, { days, now, promise: market.promise, details });
    markets.push({ market, report });
  }
  const spans = markets.map(({ report }) => report.span);
  const found = markets.map(({ market, report }) => ({ market, findings: report.answer.findings }));
  const before = await readBefore(deps, period);
  const rules = reportedRules([...found, ...(await totalsOf(deps, period, spans))], before?.rules ?? []);
  const unmeasured = agreement.unknownMarkets.map(() => ({ state: "unknown" as const }));
  return {
    agreement: agreement.name,
    counterparty: agreement.counterparty,
    maker,
    madeAt: now,
    from: dateOf(days.from),
    to: dateOf(days.to),
    version: agreement.version,
    changedAt: agreement.at === 0 ? null : agreement.at,
    total: agreement.total ? describeTotalRules(agreement.total) : [],
    unknownMarkets: [...agreement.unknownMarkets],
    verdict: overallState([...rules, ...unmeasured]),
    counts: countStates(rules),
    before: before && { from: dateOf(before.days.from), to: dateOf(before.days.to) },
    rules,
    markets: markets.map(({ report }) => report.answer),
  };
}

interface MarketFindings {
  /** A pair without an exchange means its markets together. */
  readonly market: { readonly exchange: string | null; readonly symbol: string };
  readonly findings: readonly ReturnType<typeof findingOut>[];
}

/**
 * Returns the total of each pair; `spans` are those of the markets, counted by their own rules. All minutes of a market
 * that these settings do not have are unknown.
 */
async function totalsOf(
  deps: SampledDeps,
  { agreement: { markets, unknownMarkets, total }, days, now }: Period,
  spans: readonly LiquiditySpan[],
): Promise<MarketFindings[]> {
  if (total === null) return [];
  const counted: { readonly symbol: string; readonly span: LiquiditySpan }[] = [];
  for (const [index, market] of markets.entries()) {
    const rule = totalRule(total, market.promise);
    const own = upRuleOf(market.promise)?.key === rule.key ? spans[index] : undefined;
    const span = own ?? (await readDaysOf(deps, market, { days, now, rule })).span;
    counted.push({ symbol: market.symbol, span });
  }
  return [...new Set(counted.map(({ symbol }) => symbol))].map((symbol) => {
    const ofPair = counted.filter((one) => one.symbol === symbol).map(({ span }) => span);
    const unmeasured = unknownMarkets
      .filter((market) => writtenMarket(market).symbol === symbol)
      .flatMap(() => ofPair.slice(0, 1).map((span) => ({ ...span, sums: NO_SUMS, up: 0 })));
    const findings = totalFindings([...ofPair, ...unmeasured], total).map(findingOut);
    return { market: { exchange: null, symbol }, findings };
  });
}

/** Reads the results of the period before; undefined if the agreement did not cover it, or it has no sample. */
async function readBefore(deps: SampledDeps, period: Period) {
  const { agreement, now } = period;
  const { from, to } = daysBefore(period.days);
  const days = { from: Math.max(from, agreement.from), to };
  if (days.from > to) return null;
  const spans: LiquiditySpan[] = [];
  const rules: MarketFindings[] = [];
  for (const market of agreement.markets) {
    const { span } = await readDaysOf(deps, market, { days, now, rule: upRuleOf(market.promise) });
    spans.push(span);
    rules.push({ market, findings: findingsOf(market.promise, span).map(findingOut) });
  }
  if (spans.every(({ sums }) => sums.known === 0)) return null;
  return { days, rules: [...rules, ...(await totalsOf(deps, { ...period, days }, spans))] };
}

/** Formats the report for people: of an agreement, the rules first, then one row per market. */
function liquidityReportView(answer: unknown) {
  const market = marketAlone(answer);
  if (market) return marketView(market);
  const {
    rules,
    markets,
    madeAt: _madeAt,
    maker: _maker,
    before,
    total,
    unknownMarkets,
    costs,
    ...rest
  } = answer as LiquidityReport;
  return {
    ...rest,
    ...(total.length === 0 ? {} : { total: total.join("; ") }),
    ...(unknownMarkets.length === 0 ? {} : { unknownMarkets: unknownMarkets.join(", ") }),
    ...(before ? { comparedWith: `${before.from} to ${before.to}` } : {}),
    rules: rules.map(({ before: earlier, ...rule }) => ({
      ...rule,
      exchange: rule.exchange ?? "all",
      before:
        earlier && `${earlier.state}${earlier.value === null ? "" : ` ${Number(earlier.value.toFixed(4))}`}`,
    })),
    ...(costs === undefined ? {} : { costs: costs.map(costShown) }),
    costToTrade: markets.flatMap(({ exchange, symbol, costToTrade }) =>
      costToTradeShown(costToTrade.filter(({ day }) => day === null)).map((row) => ({
        exchange,
        symbol,
        ...row,
      })),
    ),
    markets: markets.map(({ exchange, symbol, known, minutes, own, cost }) => ({
      exchange,
      symbol,
      known,
      minutes,
      bothSides: own.twoSidedPercent,
      ownSpreadPercent: own.spreadPercent,
      ownBidsWithin2: own.depth ? nearestNumber(own.depth.bids["2"]) : null,
      ownAsksWithin2: own.depth ? nearestNumber(own.depth.asks["2"]) : null,
      ...(cost ? costShown(cost) : {}),
    })),
  };
}

/** Returns the requested days that the agreement covers. Throws AppError if there are none. */
function agreedDays(
  { from, until, name }: NamedAgreement,
  request: { readonly from?: string | undefined; readonly to?: string | undefined },
  now: Millis,
): ReportDays {
  const last = Math.min(until ?? dayOf(now), dayOf(now));
  const to = request.to ?? dateOf(Math.max(last, request.from ? dayNumber(request.from) : last));
  const days = requestedDays({ ...request, to }, now);
  const agreed = { from: Math.max(days.from, from), to: Math.min(days.to, last) };
  if (agreed.from <= agreed.to) return agreed;
  throw new AppError(
    "Invalid request",
    `the agreement ${name} is from ${dateOf(from)} until ${until === null ? "no end" : dateOf(until)}, and has no past day in this period`,
  );
}

/** Returns the period before: last month for a part of a month, otherwise as many days. */
export function daysBefore({ from, to }: ReportDays): ReportDays {
  const [first, last] = [dateOf(from), dateOf(to)];
  if (!first.endsWith("-01") || first.slice(0, 7) !== last.slice(0, 7))
    return { from: 2 * from - to - 1, to: from - 1 };
  return { from: dayNumber(`${dateOf(from - 1).slice(0, 8)}01`), to: from - 1 };
}
