import * as z from "zod";
import { csv } from "../../kernel/csv.ts";
import { ofPercent, withNumbers } from "../../kernel/decimal.ts";
import { AppError } from "../../kernel/errors.ts";
import { lazy } from "../../kernel/lazy.ts";
import { dayOf, MINUTE, type Millis } from "../../kernel/time.ts";
import { accountKey } from "../../model/account.ts";
import { dateOf } from "../../model/limits.ts";
import type { StrategyDay } from "../../model/news.ts";
import {
  type AgreementVersion,
  type LiquidityPromise,
  PRESETS,
  type Preset,
  type PromisedPair,
  type PromiseRequest,
  type WatchedPair,
} from "../../model/samples/promise.ts";
import { type Call, operation } from "../../operation.ts";
import { betweenParts } from "../../ports/heavy.ts";
import { profitOfDays } from "../../quality/answer.ts";
import { type QualityDeps, readSpreads } from "../../quality/operations/quality.ts";
import { agreementOf, isSampled, type NamedAgreement, settingsAgreement } from "../agreement-page.tsx";
import { costToTradeShown, ORDER_COST_COLUMNS } from "../page-tables.tsx";
import {
  COST_COLUMNS,
  costShown,
  formatCost,
  type HeadedAnswer,
  type LiquidityAnswer,
  LiquidityShape,
  type liquidityInput,
  type MarketCost,
} from "../schema.ts";
import type { AgreementStore, LiquidityDeps } from "../store/store.ts";
import { type ReportDays, reportOfPair, requestedDays } from "./pair-report.ts";

const nobodyWatches = ({ exchange, symbol }: WatchedPair): AppError =>
  new AppError(
    "Not found",
    `${symbol} on ${exchange} is not sampled; add it to EDGEMAKER_LIQUIDITY, as ${exchange}:${symbol}, or create an agreement for it`,
  );

/** Rounds to four decimals, more than any agreement uses. */
const toFourDigits = (value: number | string): number => Number(Number(value).toFixed(4));

const DEPTHS_OF_DAY = ["ownBidsWithin2", "ownAsksWithin2", "bidsWithin2", "asksWithin2"] as const;

/** Requests reserved for the rest of a response. */
const REQUESTS_FOR_RESPONSE = 3;

class NoRequestsLeft extends Error {}

const strategyPlace = (account: string, symbol: string): string => `${account} ${symbol}`;

const configuredIds = ({ exchanges }: AgreementDeps): string[] => exchanges.map(({ id }) => id);

/** Returns the sampled pairs of the settings and of agreements; a pair of several agreements appears several times. */
export const promisedPairs = async (deps: AgreementDeps, today: number): Promise<readonly PromisedPair[]> =>
  withAgreed(deps, (await deps.liquidity?.agreements?.agreements()) ?? [], today);

export const LIQUIDITY_COLUMNS = [
  "day",
  "known",
  "upPercent",
  "ownTwoSidedPercent",
  "ownSpreadPercent",
  "spreadPercent",
  "ownBidsWithin2",
  "ownAsksWithin2",
  "bidsWithin2",
  "asksWithin2",
  "whose",
  "depthOf",
  "within05",
  "within1",
  "within2",
  ...COST_COLUMNS,
  ...ORDER_COST_COLUMNS,
  "rule",
  "state",
  "value",
  "limit",
  "unit",
  "from",
  "minutes",
  "what",
  "cause",
  "reason",
];

/** Formats the days of a market's report as a table. */
export function daysCsv({ days }: LiquidityAnswer): string {
  const columns = Object.keys(LiquidityShape().shape.days.element.shape) as (keyof (typeof days)[number])[];
  return csv(
    columns,
    days.map((row) => columns.map((name) => row[name])),
  );
}

type WatchedRequest = z.output<ReturnType<typeof liquidityInput>>;

/** Reads the report of one market, with its P&L if requested. */
export async function readMarketReport(
  deps: LiquidityDeps,
  { exchange, symbol, maker, preset, band, cost, details, spreadPercent, uptime, ...request }: WatchedRequest,
  call: Call,
): Promise<{ readonly answer: HeadedAnswer; readonly costs?: readonly MarketCost[] }> {
  const { liquidity, store } = deps;
  const pair = { exchange, symbol };
  if (!liquidity) throw nobodyWatches(pair);
  const now = await store.now();
  const days = requestedDays(request, now);
  const ofPair = (await promisedPairs(deps, dayOf(now))).filter(
    (promisedPair) => promisedPair.exchange === exchange && promisedPair.symbol === symbol,
  );
  const watched = ofPair.find(({ promise: rules }) => rules) ?? ofPair[0];
  const bands = { "0.5": 0, "1": 1, "2": 2 } as const;
  const limits = {
    ...request,
    band: band === undefined ? undefined : bands[band],
    spread: spreadPercent && ofPercent(spreadPercent),
    uptime: uptime && ofPercent(uptime),
  };
  const promise = promiseOf(watched?.promise, preset, limits);
  const options = { days, now, promise, details };
  const report = await reportOfPair({ ...deps, liquidity }, pair, options);
  const head = { maker: maker ?? null, madeAt: now, from: dateOf(days.from), to: dateOf(days.to) };
  const answer = { ...head, ...report.answer };
  if (answer.known === 0 && !watched) throw nobodyWatches(pair);
  if (!cost) return { answer };
  const costs = await readCosts(deps, [pair], days, call);
  const [ofMarket] = costs;
  return { answer: { ...answer, cost: ofMarket ? formatCost(ofMarket) : null }, costs };
}

/** Returns the requested terms, with the settings' agreement as default. */
function promiseOf(
  promised: LiquidityPromise | undefined,
  preset: Preset | undefined,
  given: PromiseRequest,
): LiquidityPromise | undefined {
  const name = preset ?? promised?.preset;
  if (name === undefined) return undefined;
  const { spread, depth, band, levels, uptime } = promised?.preset === name ? promised.request : {};
  const request = {
    spread: given.spread ?? spread,
    depth: given.depth ?? depth,
    band: given.band ?? band,
    levels: given.levels ?? levels,
    uptime: given.uptime ?? uptime,
  };
  return { preset: name, request };
}

/** Formats a market's report for people: depths as a table, without missing rules and days without data. */
export function marketView(answer: HeadedAnswer) {
  const {
    own,
    market,
    preset,
    findings,
    terms,
    verdict,
    cost,
    hours: _hours,
    costToTrade,
    samples: _samples,
    ...named
  } = answer;
  const { maker: _maker, madeAt: _madeAt, ...result } = named;
  const { gaps, days, hash, ...counts } = result;
  const line = ({ spreadPercent, twoSidedPercent }: typeof own) =>
    twoSidedPercent === null
      ? "unknown: no minute of the period has a sample"
      : `both sides ${toFourDigits(twoSidedPercent)} % of the known time, ${spreadPercent === null ? "no spread" : `${toFourDigits(spreadPercent)} % apart on average`}`;
  const depths = Object.entries({ own, market }).flatMap(([whose, { depth }]) =>
    (["bids", "asks"] as const).flatMap((side) =>
      depth
        ? [
            {
              whose,
              depthOf: side,
              within05: toFourDigits(depth[side]["0.5"]),
              within1: toFourDigits(depth[side]["1"]),
              within2: toFourDigits(depth[side]["2"]),
            },
          ]
        : [],
    ),
  );
  return {
    ...counts,
    own: line(own),
    market: line(market),
    hash,
    ...(preset === null ? {} : { preset, terms: terms.join("; "), verdict, findings }),
    ...(depths.length === 0 ? {} : { depths }),
    ...(cost === undefined
      ? {}
      : { cost: cost ? [costShown(cost)] : "unknown: no strategy has a daily figure" }),
    ...(gaps.length === 0 ? {} : { gaps }),
    costToTrade: costToTradeShown(costToTrade),
    days: days
      .filter(({ known }) => known > 0)
      .map(({ signedHash: _hash, ...day }) => withNumbers(day, DEPTHS_OF_DAY)),
  };
}

/**
 * Returns what the strategies of each market earned and cost. Reads the fills of these days only. Where the platform's
 * requests are used up, the P&L is unknown.
 */
export async function readCosts(
  deps: QualityDeps,
  markets: readonly WatchedPair[],
  days: ReportDays,
  call: Call,
): Promise<MarketCost[]> {
  const { reports, requests, local, venue } = deps;
  const unknown = markets.map((market) => ({ market, profit: null }));
  const isSpent = () => requests !== undefined && requests() < REQUESTS_FOR_RESPONSE;
  if (!reports || isSpent()) return unknown;
  const places = markets.map(({ exchange, symbol }) =>
    strategyPlace(accountKey(venue(exchange).account), symbol),
  );
  const dayPlace = ({ account, latest }: StrategyDay) => strategyPlace(account, latest.symbol);
  const between = async () => {
    if (isSpent()) throw new NoRequestsLeft();
    await betweenParts(local, call);
  };
  const request = { ...days, isOf: (day: StrategyDay) => places.includes(dayPlace(day)), between };
  try {
    const measured = await readSpreads({ ...deps, reports }, request);
    return markets.map((market, index) => {
      const ofMarket = measured.filter(({ row }) => dayPlace(row) === places[index]);
      return { market, profit: ofMarket.length === 0 ? null : profitOfDays(ofMarket) };
    });
  } catch (error) {
    if (error instanceof NoRequestsLeft) return unknown;
    throw error;
  }
}

type AgreementDeps = Pick<LiquidityDeps, "liquidity" | "exchanges">;

/** Returns all agreements: the settings' first, then the stored ones by name. */
export async function readAgreements(deps: AgreementDeps): Promise<NamedAgreement[]> {
  const { agreements, pairs = [] } = deps.liquidity ?? {};
  const stored = (await agreements?.agreements()) ?? [];
  const ofSettings = settingsAgreement(pairs);
  return [
    ...(ofSettings ? [ofSettings] : []),
    ...stored.map((version) => agreementOf(version, configuredIds(deps))),
  ];
}

function withAgreed(
  deps: AgreementDeps,
  stored: readonly AgreementVersion[],
  today: number,
): readonly PromisedPair[] {
  const agreed = stored
    .map((version) => agreementOf(version, configuredIds(deps)))
    .filter((agreement) => isSampled(agreement, today))
    .flatMap(({ name, until, markets }) => markets.map((market) => ({ ...market, agreement: name, until })));
  return [...(deps.liquidity?.pairs ?? []), ...agreed];
}

/** The stored agreements as this process read them last. */
const recent = new WeakMap<
  AgreementStore,
  { readonly at: Millis; readonly stored: readonly AgreementVersion[] }
>();

/** Lets this process read the agreements again. */
export const forgetAgreements = (store: AgreementStore): boolean => recent.delete(store);

/** Does the same for sampling, and reads stored agreements once a minute; `at` is monotonic time. */
export async function recentPairs(
  deps: AgreementDeps,
  at: Millis,
  today: () => Promise<number>,
): Promise<readonly PromisedPair[]> {
  const { agreements, pairs = [] } = deps.liquidity ?? {};
  if (!agreements) return pairs;
  const known = recent.get(agreements);
  const read = async () => ({ at, stored: await agreements.agreements() });
  const { stored, ...found } = known && at - known.at < MINUTE ? known : await read();
  recent.set(agreements, { stored, ...found });
  return stored.length === 0 ? pairs : withAgreed(deps, stored, await today());
}

export const WatchedShape = lazy(() =>
  z.object({
    day: z.string().describe("Today in UTC"),
    pairs: z
      .array(
        z.object({
          exchange: z.string().describe("Exchange id"),
          symbol: z.string().describe("Trading pair, BASE/QUOTE"),
          preset: z.enum(PRESETS).nullable().describe("The agreement for this pair; null without one"),
          agreement: z.string().nullable().describe("Name of its stored agreement; null for the settings"),
        }),
      )
      .describe("One row per sampled pair"),
    count: z.number().describe("Number of pairs"),
  }),
);

/** Operation that lists the sampled pairs; the report shows their results. */
export const watchedPairs = operation({
  name: "list_watched_pairs",
  summary: "List sampled pairs with their agreements",
  effect: "read",
  access: "token",
  http: { route: "GET /liquidity/pairs", from: "query" },
  cli: { path: "liquidity list" },
  mcp: { isSelfContained: true },
  failure: "Internal error",
  input: () => z.object({}),
  output: WatchedShape,
  async run(deps: LiquidityDeps) {
    const today = dayOf(await deps.store.now());
    const pairs = (await promisedPairs(deps, today)).map(
      ({ exchange, symbol, promise, agreement = null }) => ({
        exchange,
        symbol,
        preset: promise?.preset ?? null,
        agreement,
      }),
    );
    return { day: dateOf(today), pairs, count: pairs.length };
  },
});
