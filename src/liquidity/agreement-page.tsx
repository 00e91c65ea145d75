import * as z from "zod";
import { convertedField, dayField, textField } from "../kernel/fields.ts";
import { DataTable, Fact, htmlPage } from "../kernel/html.tsx";
import { lazy } from "../kernel/lazy.ts";
import { plainTexts } from "../kernel/plain-text.ts";
import { parseTime } from "../kernel/read-time.ts";
import { DAY, minuteText } from "../kernel/time.ts";
import {
  type AgreementVersion,
  type LiquidityPromise,
  PRESETS,
  type PromisedPair,
  type PromiseRequest,
} from "../model/samples/promise.ts";
import { parseMarket, parseTerms } from "./market-text.ts";
import { daysPart, LIQUIDITY_STYLE, legendPart, offeredPart, verdictText } from "./page.tsx";
import {
  costPart,
  countText,
  findingRow,
  quote,
  RULE_HEADS,
  shownPercent,
  tradeCostPart,
} from "./page-tables.tsx";
import { findingShape, type LiquidityAnswer, LiquidityShape, totalCostShape } from "./schema.ts";

/** Renders the report of an agreement for people who receive it: the results on the first page, then each market. */
export function agreementPage(answer: unknown): string {
  const report = plainTexts(answer) as LiquidityReport;
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
          hash,
          known,
        })),
        report.costs !== undefined,
      )}
    </>
  );
  const title = `Agreement ${report.agreement}: liquidity report`;
  return htmlPage({ title, style: LIQUIDITY_STYLE + AGREEMENT_STYLE, body });
}

const partiesPart = ({ maker, counterparty, from, to, madeAt, version, changedAt }: LiquidityReport) => (
  <dl class="head">
    <Fact name="Market maker">{maker ?? "not named"}</Fact>
    <Fact name="Made with">{counterparty ?? "not named"}</Fact>
    <Fact name="Period">{`${from} to ${to}, days in UTC`}</Fact>
    <Fact name="Report made">{`${minuteText(madeAt)} UTC, by edgemaker`}</Fact>
    {changedAt !== null && version !== null && (
      <Fact name="Terms">{`${version === 1 ? "unchanged since" : `changed ${countText(version - 1)} times, last on`} ${minuteText(changedAt)} UTC`}</Fact>
    )}
  </dl>
);

const unknownPart = ({ unknownMarkets }: LiquidityReport) =>
  unknownMarkets.length > 0 && (
    <p class="verdict unknown">{`Not measured, because the settings do not list the exchange: ${unknownMarkets.join(", ")}.`}</p>
  );

const marketTitle = ({ exchange, symbol }: Pick<ReportedRule, "exchange" | "symbol">): string =>
  exchange === null ? `${symbol}, all markets` : `${symbol} on ${exchange}`;

function rulesPart({ rules, before }: LiquidityReport) {
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
  "Market",
  "Sampled",
  "Own orders on both sides",
  "Own spread",
  "Market spread",
  "Own bids within 2\u00a0%",
  "Own asks within 2\u00a0%",
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
const costRows = ({ costs, markets }: LiquidityReport) =>
  costs && [
    ...markets.map(({ cost = null, ...of }) => ({ name: marketTitle(of), cost })),
    ...costs
      .filter(({ markets: count }) => count > 1)
      .map((cost) => ({
        name: `${countText(cost.markets - cost.unknownMarkets)} of ${countText(cost.markets)} markets in ${cost.quote}`,
        cost,
        isTotal: true,
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

const ruleShape = () =>
  findingShape().extend({
    exchange: z.string().nullable().describe("Exchange id; null for all markets of the pair together"),
    symbol: z.string().describe("Trading pair, BASE/QUOTE"),
    before: z
      .object({
        state: z.enum(["kept", "missed", "unknown", "shown"]).describe("Result in the period before"),
        value: z.number().nullable().describe("Measured value; null if unknown"),
      })
      .nullable()
      .describe("The same rule in the period before; null without samples of it"),
  });

export const LiquidityReportShape = lazy(() =>
  z.object({
    agreement: z.string().nullable().describe("Name of the agreement; null for a report of one market"),
    counterparty: z.string().nullable().describe("Who it was made with"),
    maker: z.string().nullable().describe("Name of the market maker, from the request"),
    madeAt: z.number().describe("Time of the report, in milliseconds since 1970"),
    from: z.string().describe("First day of the period that the agreement covers, in UTC"),
    to: z.string().describe("Last day of the period that the agreement covers, in UTC"),
    version: z.number().nullable().describe("Number of edits, with the creation; null without an agreement"),
    changedAt: z
      .number()
      .nullable()
      .describe("Time of the last edit; null for the settings and without an agreement"),
    total: z.array(z.string()).describe("Rules of all markets of a pair together, as sentences"),
    unknownMarkets: z.array(z.string()).describe("Markets of exchanges that the settings do not list"),
    verdict: z.enum(["kept", "missed", "unknown"]).nullable().describe("All rules together"),
    counts: z
      .object({
        kept: z.number().describe("Rules that are met"),
        missed: z.number().describe("Rules that are not met"),
        unknown: z.number().describe("Rules that unknown minutes could change"),
      })
      .describe("Number of rules by result"),
    before: z
      .object({ from: z.string(), to: z.string() })
      .nullable()
      .describe(
        "The period before: last month for a part of a month, otherwise as many days; null without samples",
      ),
    rules: z.array(ruleShape()).describe("Each rule of each market, then those of the total"),
    costs: z
      .array(totalCostShape())
      .optional()
      .describe("P&L of the strategies on all markets by cause, for each quote asset"),
    markets: z.array(LiquidityShape()).describe("The report of each market"),
  }),
);
export type LiquidityReport = z.output<ReturnType<typeof LiquidityReportShape>>;
export type ReportedRule = LiquidityReport["rules"][number];

/** Name of the agreement that the settings define. No stored agreement has it. */
export const SETTINGS_NAME = "settings";

const AGREEMENT_NAME = `agreement is a name of 1 to 40 letters, digits, - _ . that begins with a letter; ${SETTINGS_NAME} names the settings`;

/** The name of any agreement. */
export const nameField = () =>
  textField("Invalid request", /^[A-Za-z][\w.-]{0,39}$/, AGREEMENT_NAME).describe("Name of the agreement");

const marketShape = () =>
  z.object({
    exchange: z.string().describe("Exchange id"),
    symbol: z.string().describe("Trading pair, BASE/QUOTE"),
    preset: z.enum(PRESETS).describe("Preset of the rules"),
    terms: z.array(z.string()).describe("The rules of this market, as sentences"),
  });

const versionShape = () =>
  z.object({
    version: z.number().describe("1 for the creation"),
    at: z.number().describe("Milliseconds since 1970"),
    actor: z.string().describe("Token, agent or person that made the change"),
    changes: z.string().describe("What changed"),
  });

const AgreementShape = lazy(() =>
  z.object({
    agreement: z.string().describe("Name of the agreement"),
    source: z.enum(["stored", "settings"]).describe("settings: from EDGEMAKER_LIQUIDITY"),
    state: z.enum(["planned", "active", "ended"]).describe("planned: before its first day"),
    counterparty: z.string().nullable().describe("Who it was made with"),
    from: z.string().nullable().describe("First day, in UTC; null for the settings"),
    until: z.string().nullable().describe("Last day, in UTC; null without an end"),
    markets: z.array(marketShape()).describe("Its markets with their rules"),
    unknownMarkets: z.array(z.string()).describe("Markets of exchanges that the settings do not list"),
    total: z.array(z.string()).describe("Rules of all markets of a pair together, as sentences"),
    text: z
      .object({
        markets: z.string().describe("Markets as in the input"),
        total: z.string().nullable().describe("Rules of the total as in the input"),
      })
      .describe("The same as in the input, to change it"),
    version: z.number().describe("Number of edits, with the creation"),
    changedAt: z.number().nullable().describe("Time of the last edit; null for the settings"),
    history: z
      .array(versionShape())
      .optional()
      .describe("All edits, oldest first, if one agreement is requested"),
  }),
);
export type AgreementAnswer = z.output<ReturnType<typeof AgreementShape>>;

export const AgreementListShape = lazy(() =>
  z.object({
    agreements: z.array(AgreementShape()).describe("The one of the settings first, then by name"),
    count: z.number(),
  }),
);

export const AgreementChangeShape = lazy(() =>
  AgreementShape()
    .pick({ agreement: true, state: true, from: true, until: true, version: true })
    .extend({ changes: z.string().describe("What changed; empty if nothing did") }),
);

/** The name of a stored agreement. */
export const storedNameField = () =>
  nameField().refine((name) => name !== SETTINGS_NAME, `Invalid request: ${AGREEMENT_NAME}`);

const NONE = "none";
export const TODAY = "today";

/** Text that a function turns into its stored form. `none` stands for null, if that is allowed. */
const parsedText = (sentence: string, read: (text: string) => string | undefined) => {
  const error = `Invalid request: ${sentence}`;
  return convertedField(z.string({ error }).max(4000, { error }), error, (text) => read(text.trim()));
};

const orWord =
  (words: readonly string[], read: (text: string) => string | undefined) =>
  (text: string): string | undefined =>
    words.includes(text) ? text : read(text);

/** Returns null for `none`. */
export const nullIfNone = (text: string): string | null => (text === NONE ? null : text);

const TERMS = "spread, depth, band, levels and uptime";

const entriesOf = (text: string): string[] => text.split(",").map((entry) => entry.trim());

/** Fields that a creation and an edit share. */
export const termsFields = (ids: readonly string[]) => ({
  markets: parsedText(
    `markets must be different exchange:BASE/QUOTE, separated by commas, of ${ids.join(", ")}, each optionally followed by a preset (${PRESETS.join(", ")}) and by values of ${TERMS}`,
    (text) => marketsText(text, ids),
  ).describe("Markets with their rules, as in EDGEMAKER_LIQUIDITY: mexc:SNEK/USDT spread=2 depth=500"),
  counterparty: textField(
    "Invalid request",
    /^[^<>]{1,80}$/,
    "counterparty is a name of at most 80 characters",
  )
    .optional()
    .describe("Who the agreement was made with; none for nobody"),
  from: dayField("from").optional().describe("First day, in UTC; default: today"),
  until: parsedText(
    "until must be a day, for example 2026-12-31, today or none",
    orWord([TODAY, NONE], (text) => dayField("until").safeParse(text).data),
  )
    .optional()
    .describe("Last day, in UTC; none for no end, today to end it now unless it has ended"),
  total: parsedText(
    `total must have uptime, depth or both, such as uptime=95 depth=5000 band=2, or be none; spread and levels limit the minutes that count as up`,
    orWord([NONE], totalText),
  )
    .optional()
    .describe("Rules of all markets of a pair together: uptime=95 depth=5000"),
});

/** Returns a day, counted from 1970. */
export const dayNumber = (day: string): number => (parseTime(day) ?? 0) / DAY;

/** A market of an agreement. */
export interface AgreedMarket extends PromisedPair {
  readonly promise: LiquidityPromise;
}

/** An agreement as it is evaluated: a stored one, or the entries of EDGEMAKER_LIQUIDITY as one without an end. */
export interface NamedAgreement extends Omit<AgreementVersion, "markets" | "total"> {
  readonly markets: readonly AgreedMarket[];
  /** Markets that these settings do not have, as text. */
  readonly unknownMarkets: readonly string[];
  readonly total: PromiseRequest | null;
}

/** Returns a stored agreement; `ids` are the configured exchanges. */
export function agreementOf(stored: AgreementVersion, ids: readonly string[]): NamedAgreement {
  const parsed = entriesOf(stored.markets).map((entry) => ({ entry, market: parseAgreed(entry, ids) }));
  return {
    ...stored,
    markets: parsed.flatMap(({ market }) => market ?? []),
    unknownMarkets: parsed.flatMap(({ entry, market }) => (market ? [] : [entry])),
    total: stored.total === null ? null : (parseTerms(stored.total.split(" ")) ?? null),
  };
}

/** Returns the agreement of the settings; undefined if they only name pairs to sample. */
export function settingsAgreement(pairs: readonly PromisedPair[]): NamedAgreement | undefined {
  const markets = pairs.flatMap(({ promise, ...pair }) => (promise ? [{ ...pair, promise }] : []));
  if (markets.length === 0) return undefined;
  const terms = { counterparty: null, from: 0, until: null, markets, unknownMarkets: [], total: null };
  return { name: SETTINGS_NAME, version: 1, at: 0, actor: SETTINGS_NAME, ...terms };
}

/** Parses a market of an agreement; without a preset, its values are those of the preset `agreement`. */
function parseAgreed(entry: string, ids: readonly string[]): AgreedMarket | undefined {
  const [place = "", ...words] = entry.split(/\s+/);
  const isBare = words.length === 0 || (words[0] ?? "").includes("=");
  const market = parseMarket(isBare ? [place, "agreement", ...words].join(" ") : entry, ids);
  return market?.promise && { ...market, promise: market.promise };
}

/** Returns the text of markets in its stored form; undefined if an entry is wrong or a market is repeated. */
export function marketsText(text: string, ids: readonly string[]): string | undefined {
  const entries = entriesOf(text);
  const markets = entries.map((entry) => parseAgreed(entry, ids));
  const places = new Set(markets.map((market) => market && `${market.exchange}:${market.symbol}`));
  if (places.has(undefined) || places.size < entries.length) return undefined;
  return entries.map((entry) => entry.split(/\s+/).join(" ")).join(", ");
}

/** Returns the text of a total's rules in its stored form; undefined if it is wrong, or limits nothing. */
export function totalText(text: string): string | undefined {
  const words = text.trim().split(/\s+/);
  const { uptime, depth, spread, levels, band } = parseTerms(words) ?? {};
  const isUseless =
    (uptime === undefined && (spread !== undefined || levels !== undefined)) ||
    (depth === undefined && (band !== undefined || uptime === undefined));
  return isUseless ? undefined : words.join(" ");
}

/** Returns whether the markets of an agreement are sampled. They are until a day after its end, which signs its last day. */
export const isSampled = ({ from, until }: NamedAgreement, today: number): boolean =>
  from <= today && (until === null || until >= today - 1);

type AgreementState = "planned" | "active" | "ended";

export const stateOf = (
  { from, until }: Pick<NamedAgreement, "from" | "until">,
  today: number,
): AgreementState => (today < from ? "planned" : until !== null && until < today ? "ended" : "active");
