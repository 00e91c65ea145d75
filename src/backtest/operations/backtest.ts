import * as z from "zod";
import type { Candles } from "../../candles/candles.ts";
import { endingConfig, splitEndings } from "../../engine/operations/ending-fields.ts";
import { GRID_FORMS } from "../../grid/forms.ts";
import { gridViewById } from "../../grid/operations/exposures.ts";
import { centeredConfig, RANGE_FLAGS, rangeConfig } from "../../grid/schema/input.ts";
import { requestedAs } from "../../grid/start/as-requested.ts";
import { centeredOf, requestedRangeOf } from "../../grid/start/check.ts";
import type { GridConfig } from "../../grid/state/config.ts";
import type { GridStrategy } from "../../grid/state/state.ts";
import { ofPercent } from "../../kernel/decimal.ts";
import { AppError, labelledError, messageOf } from "../../kernel/errors.ts";
import type { Pair } from "../../kernel/pair.ts";
import { type Millis, TIMEFRAMES } from "../../kernel/time.ts";
import { type AccountRef, parseAccountKey } from "../../model/account.ts";
import { type Call, type Operation, operation } from "../../operation.ts";
import { ownForm } from "../../own/operations/start.ts";
import { candleNeeds } from "../../own/pass/ask.ts";
import { checkedOptions, ownConfig } from "../../own/schema/shapes.ts";
import type { AnyStrategyDefinition, StrategyDefinitions } from "../../ports/definition.ts";
import type { Deps, HeavyDeps, ProcessDeps } from "../../ports/deps.ts";
import type { ConfiguredExchanges } from "../../ports/exchanges.ts";
import type { CandlesRequest } from "../../ports/venue.ts";
import { QUOTE_FORM } from "../../quote/operations/start.ts";
import { quoteConfig } from "../../quote/schema/input.ts";
import { backtestOwnStrategy, type OwnStrategyJob } from "../own-backtest.ts";
import { isOwnSource, type ReferencePast, type SourcePast, withoutPast } from "../position/requested-past.ts";
import type { QuotesRequest } from "../quote-backtest.ts";
import type { GridRequest } from "../run/begin.ts";
import { type BacktestAnswer, BacktestShape, describeTape, fillsCsv } from "../schema/answer.ts";
import { backtestView, describeBacktest } from "../schema/answer-view.ts";
import {
  type BacktestFields,
  backtestInput,
  type PastDefinition,
  type PastRequest,
} from "../schema/input.ts";
import { describeReplay, replayView } from "../schema/replay.ts";
import {
  calculate,
  inSlices,
  longestCalculation,
  marketOf,
  pastOf,
  READS_PAST,
  recordOf,
  tapeOf,
} from "./past.ts";

type GivenConfig = PastRequest["config"];

/** The pair and the exchange of a backtest. */
interface PastMarket {
  readonly exchange: string;
  readonly symbol: Pair;
}

/** Returns where a backtest runs; its input has both fields unless a stored strategy does. */
const whereOf = ({ exchange, symbol }: BacktestFields): PastMarket => ({ exchange, symbol }) as PastMarket;

const fillRules = ({
  fill = "cross",
  extremes,
  marketSpreadPercent,
  slippagePercent,
  tickInterval,
}: BacktestFields) => ({
  fill,
  extremes,
  spread: ofPercent(marketSpreadPercent),
  slippage: ofPercent(slippagePercent),
  tickInterval,
});

/** Returns the config as the schema reads it, or only the given fields beside a stored strategy. Throws AppError. */
function parsedConfig(schema: z.ZodObject, config: GivenConfig, isPart: boolean): GivenConfig {
  const known = Object.entries(schema.shape).filter(([name]) => Object.hasOwn(config, name));
  const { data, error } = (isPart ? z.strictObject(Object.fromEntries(known)) : schema).safeParse(config);
  if (error) throw labelledError(error.issues[0]?.message ?? "Invalid request: config");
  return data as GivenConfig;
}

/** Returns the grid to test: that of the config, or a stored one with the changes that the config names. Throws AppError. */
async function gridOf(deps: Deps, config: GivenConfig, fields: BacktestFields) {
  const { from } = fields;
  const { geometry, ...given } = config;
  if (from === undefined) {
    const isCentered = geometry === "centered";
    const { geometry: _, ...settings } = parsedConfig(
      isCentered ? centeredConfig() : rangeConfig(),
      config,
      false,
    );
    const request: GridRequest = isCentered
      ? centeredOf(settings as Parameters<typeof centeredOf>[0])
      : requestedRangeOf(settings as Parameters<typeof requestedRangeOf>[0]);
    return { where: whereOf(fields), request };
  }
  const { strategy } = await gridViewById(deps, from);
  const own = strategy.config;
  const { allowLoss = own.allowLoss, useOwnBase = own.useOwnBase, ...changes } = otherSettingsOf(own, given);
  return {
    where: {
      exchange: fields.exchange ?? parseAccountKey(strategy.account).exchange,
      symbol: fields.symbol ?? strategy.symbol,
    },
    request: requestedAs(own, { ...changes, allowLoss, useOwnBase }),
  };
}

const [RANGE_FORM, CENTERED_FORM] = GRID_FORMS;
const FROM_GRID = { takesStored: true, walksTrades: true } as const;

const GRID_PAST: PastDefinition = {
  name: "grid",
  forms: [
    {
      ...RANGE_FORM,
      ...FROM_GRID,
      examples: [
        "edgemaker backtest grid --exchange kraken --symbol BTC/USDT --lower 57000 --upper 63000 --levels 12 --size 100",
        "edgemaker backtest grid --from grid-kraken-BTC-USDT-1767225600000 --levels 20",
        "edgemaker backtest grid --exchange kraken --symbol BTC/USDT --lower 36000 --upper 48000 --levels 40 --size 500 --data btc-usd.csv.gz --report report.html",
      ],
    },
    {
      ...CENTERED_FORM,
      ...FROM_GRID,
      examples: [
        "edgemaker backtest centered --exchange kraken --symbol BTC/USDT --levels 5 --spacing 0.004 --size 100",
        "edgemaker backtest centered --exchange mexc --symbol ADA/USDT --grid-profile calm.json --data ada-usdt.csv.gz",
      ],
    },
  ],
  async run(deps, { config, fields }, call) {
    const { where, request } = await gridOf(deps, config, fields);
    const { exchange } = where;
    const { since, until, timeframe, queue, baseBudget, quoteBudget } = fields;
    const file = await tapeOf(deps, { ...where, timeframe, since, until });
    const span = TIMEFRAMES[timeframe === "trades" ? "1m" : timeframe];
    const past = file ? file.tape : await pastOf(deps, { ...where, span, since, until }, call);
    const market = await marketOf(deps, where, fields);
    const funds = [
      { asset: market.base, free: baseBudget ?? 0n, used: 0n },
      { asset: market.quote, free: quoteBudget ?? 0n, used: 0n },
    ];
    const options = {
      market,
      balances: baseBudget === undefined && quoteBudget === undefined ? undefined : funds,
      rules: fillRules(fields),
      queue,
      withBand: !fields.single,
    };
    const tape = file && describeTape(file, queue);
    const over = { definition: "grid", config, exchange, fills: fields.fills, tape };
    return calculate(deps, ["grid", { request, past, options, over }], call);
  },
};

/**
 * Returns when an account's orders fill: a simulated account's when the price reaches them; on an exchange, they wait
 * in a queue.
 */
const fillsOn = ({ kind }: AccountRef) => (kind === "sandbox" ? "touch" : "cross");

/** Returns the span from the bar of its start to its end, or to the end of the last complete bar, if any. */
function lifeOf({ startedAt, stoppedAt }: GridStrategy, now: Millis, span: Millis) {
  const [since, whole] = [startedAt, now].map((at) => Math.floor(at / span) * span) as [Millis, Millis];
  return { since, until: stoppedAt ?? (whole > since ? whole : now) };
}

const SHORT_NAMES = new Map<string, string>(
  Object.entries(RANGE_FLAGS).map(([field, flag]) => [flag, field]),
);

/** Returns other settings of a stored grid, also by their flags' names; `requestedAs` refuses unknown ones. Throws AppError. */
export function otherSettingsOf(own: GridConfig, config: GivenConfig): GivenConfig {
  const schema: z.ZodObject = own.centered ? centeredConfig() : rangeConfig();
  const nameOf = (name: string) => (own.centered ? name : (SHORT_NAMES.get(name) ?? name));
  const named = Object.fromEntries(Object.entries(config).map(([name, value]) => [nameOf(name), value]));
  const isKnown = Object.keys(named).every((name) => Object.hasOwn(schema.shape, name));
  return isKnown ? parsedConfig(schema, named, true) : named;
}

/** Compares a stored grid's fills with a backtest over its own time. Throws AppError. */
async function replayStored(
  deps: Deps,
  id: string,
  { config, fields }: PastRequest,
  call: Call,
): Promise<BacktestAnswer> {
  const { timeframe, fill, extremes, fills, ...rest } = fields;
  for (const field of ["exchange", "symbol", "from", "since", "until"] as const)
    if (rest[field] !== undefined)
      throw new AppError("Invalid request", `${field} is not used with strategy, which has its own`);
  if (timeframe === "trades")
    throw new AppError("Invalid request", "a replay needs candles; choose their length");
  const { strategy, now } = await gridViewById(deps, id);
  const { symbol, config: own } = strategy;
  const account = parseAccountKey(strategy.account);
  const { exchange } = account;
  const span = TIMEFRAMES[timeframe];
  const time = lifeOf(strategy, deps.marketTime(account, now), span);
  const changes = Object.keys(config).length === 0 ? undefined : otherSettingsOf(own, config);
  const lists = await recordOf(deps, strategy, call);
  const candles = await pastOf(deps, { exchange, symbol, span, ...time }, call);
  const market = await marketOf(deps, { exchange, symbol }, {});
  const rules = { fill: fill ?? fillsOn(account), extremes };
  const options = { market, rules, until: time.until, changes };
  const over = { definition: "grid", config, exchange, fills };
  return calculate(deps, ["replay", { strategy, lists, candles, options, over }], call);
}

/** Returns the candles and the market for a strategy with one position. Throws AppError. */
async function positionPast(deps: Deps, fields: BacktestFields, call: Call) {
  const { timeframe, since, until, from, single } = fields;
  if (from !== undefined)
    throw new AppError(
      "Invalid request",
      "only a stored grid can be tested with from; for another strategy, set its config instead",
    );
  if (timeframe === "trades")
    throw new AppError("Invalid request", "only a grid can replay trades; choose a candle length");
  const where = whereOf(fields);
  const candles = await pastOf(deps, { ...where, span: TIMEFRAMES[timeframe], since, until }, call);
  const market = await marketOf(deps, where, fields);
  return { candles, options: { market, rules: fillRules(fields), withBand: !single } };
}

const QUOTE_PAST: PastDefinition = {
  name: "quote",
  forms: [
    {
      ...QUOTE_FORM,
      examples: [
        "edgemaker backtest quote --exchange mexc --symbol SNEK/USDT --spread-percent 2 --size 50 --levels 3 --base-budget 400000 --quote-budget 1000",
        "edgemaker backtest quote --exchange kraken --symbol BTC/USD --spread-percent 0.4 --size 500 --base-budget 0.1 --quote-budget 5000 --data btc-usd.csv.gz",
      ],
    },
  ],
  async run(deps, { config, fields }, call) {
    const past = await positionPast(deps, fields, call);
    const { baseBudget, quoteBudget, fills } = fields;
    const settings = parsedConfig(quoteConfig(), config, false) as unknown as QuotesRequest;
    const { exchange } = whereOf(fields);
    const over = { definition: "quote", config, exchange, fills };
    return calculate(
      deps,
      ["quotes", { ...past, request: { ...settings, baseBudget, quoteBudget }, over }],
      call,
    );
  },
};

const ownPast = (definition: AnyStrategyDefinition): PastDefinition => ({
  name: definition.name,
  forms: [
    {
      ...ownForm(definition),
      examples: [
        `edgemaker backtest ${definition.name} --exchange kraken --symbol BTC/USD --base-budget 0.1 --quote-budget 5000 --data btc-usd.csv.gz`,
      ],
    },
  ],
  async run(deps, { config, fields }, call) {
    const { exchange, symbol } = whereOf(fields);
    const { baseBudget, quoteBudget, until, fills } = fields;
    const { endings, own } = splitEndings(parsedConfig(ownConfig(definition), config, false));
    const settings = await checkedOptions(definition, own);
    const { candles, options } = await positionPast(deps, fields, call);
    const over = { exchange, symbol, span: candles.spanMillis, since: candles.from, until };
    const reference = definition.reference ? await referencePastOf(deps, over) : [];
    const elsewhere = await elsewherePastOf(deps, definition, over, call);
    const job = {
      request: { baseBudget, quoteBudget, options: settings, endings: endingConfig(endings) },
      candles,
      options: { ...options, reference, elsewhere },
      over: { definition: definition.name, exchange, fills },
      maxMillis: longestCalculation(call),
    };
    return backtestWhereItsCodeIs(deps, definition, job, call);
  },
});

async function backtestWhereItsCodeIs(
  { local }: ProcessDeps,
  definition: AnyStrategyDefinition,
  job: OwnStrategyJob,
  { signal, waiting }: Call,
) {
  try {
    if (definition.ask) {
      const caller = { account: "", id: "", resumes: 0, signal, hear: waiting?.hear };
      return BacktestShape().parse(await definition.ask("backtest", job, caller));
    }
    const end = local.monotonic() + job.maxMillis;
    const isOver = () => local.monotonic() > end || waiting?.isEnough() === true;
    return await inSlices(backtestOwnStrategy(definition, job, isOver), local, waiting);
  } catch (error) {
    if (error instanceof AppError || definition.source === undefined) throw error;
    const message = messageOf(error);
    throw new AppError("Fetch failed", definition.ask ? message : `${definition.source}: ${message}`);
  }
}

/** Returns stored candles of the pair on other exchanges. */
async function referencePastOf(
  { kept, exchanges }: HeavyDeps & ConfiguredExchanges,
  past: Parameters<typeof pastOf>[1],
): Promise<ReferencePast[]> {
  if (!kept) return [];
  const found: ReferencePast[] = [];
  for (const { id } of exchanges.filter((exchangeInfo) => exchangeInfo.id !== past.exchange)) {
    const candles = await kept.candles({ ...past, exchange: id });
    if (candles) found.push({ source: id, candles });
  }
  return found;
}

/**
 * Returns candles of the other pairs and exchanges that a definition requests: stored ones of either length, or the
 * exchange's. Throws AppError if there are none.
 */
async function elsewherePastOf(
  deps: Deps,
  definition: AnyStrategyDefinition,
  { exchange, symbol, span, since, until }: CandlesRequest & { readonly since: Millis },
  call: Call,
): Promise<SourcePast[]> {
  const found: SourcePast[] = [];
  for (const need of candleNeeds(definition).filter((one) => !isOwnSource(one))) {
    const source = { exchange: need.exchange ?? exchange, symbol: need.symbol ?? symbol };
    const request = { ...source, span: need.span, since: since - need.count * need.span, until };
    const stored = [
      () => deps.kept?.candles({ ...source, span, since, until }),
      () => deps.kept?.candles({ ...request, since }),
    ];
    let candles: Candles | undefined;
    for (const read of stored) candles ??= await read();
    // With a file and all rules there is no exchange.
    const hasExchange = (deps as Partial<Deps>).venue !== undefined;
    if (!candles && !hasExchange) throw withoutPast(definition, need);
    found.push({ ...need, candles: candles ?? (await pastOf(deps, request, call)) });
  }
  return found;
}

/** Returns what a backtest can run: the definitions of the program, and the user's own. */
export const pastDefinitions = (own: StrategyDefinitions = []): readonly PastDefinition[] => [
  GRID_PAST,
  QUOTE_PAST,
  ...own.map(ownPast),
];

/** Operation that tests any definition on historical prices. */
export const backtestOperation = (ids: readonly string[], own: StrategyDefinitions = []): Operation => {
  const definitions = pastDefinitions(own);
  return operation({
    ...READS_PAST,
    name: "backtest",
    summary: "Test a strategy on historical prices",
    http: { route: "POST /backtest", from: "body" },
    cli: { path: "backtest", view: (answer) => replayView(answer) ?? backtestView(answer) },
    mcp: {
      defaults: { fills: 0 },
      summarize: (answer) => describeReplay(answer) ?? describeBacktest(answer),
    },
    forms: definitions.flatMap(({ forms }) => forms),
    csv: (answer: unknown) => fillsCsv(answer as BacktestAnswer),
    input: () => backtestInput(ids, definitions),
    output: BacktestShape,
    run: (deps, { definition, config, strategy, ...fields }, call) =>
      strategy === undefined
        ? (definitions.find(({ name }) => name === definition) ?? GRID_PAST).run(
            deps,
            { config, fields },
            call,
          )
        : replayStored(deps, strategy, { config, fields }, call),
  });
};
