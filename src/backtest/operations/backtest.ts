import type { Candles } from "../../candles/candles.ts";
import { type TapeFile, tapeCoverage } from "../../candles/tape.ts";
import { gridViewById } from "../../grid/operations/stop.ts";
import { CAUTIOUS, RANGE_FLAGS, TRAIL_PARTS } from "../../grid/schema/input.ts";
import { requestedAs } from "../../grid/start/as-requested.ts";
import { centeredOf, requestedRangeOf } from "../../grid/start/check.ts";
import type { Decimal } from "../../kernel/decimal.ts";
import { AppError, messageOf } from "../../kernel/errors.ts";
import type { Pair } from "../../kernel/pair.ts";
import { type Millis, TIMEFRAMES } from "../../kernel/time.ts";
import { parseAccountKey } from "../../model/account.ts";
import { type Call, type Operation, operation } from "../../operation.ts";
import { candleNeeds } from "../../own/pass/ask.ts";
import { ownStrategyRequest } from "../../own/schema/shapes.ts";
import type { AnyStrategyDefinition, StrategyDefinitions } from "../../ports/definition.ts";
import type { Deps } from "../../ports/deps.ts";
import type { CandlesRequest } from "../../ports/venue.ts";
import {
  backtestOwnStrategy,
  OwnStrategyBacktestShape,
  type OwnStrategyJob,
  ownStrategyBacktestInput,
  ownStrategyBacktestView,
} from "../position/declared.ts";
import { isOwnSource, type ReferencePast, type SourcePast, withoutPast } from "../position/requested-past.ts";
import { type PositionBacktestAnswer, tradesCsv } from "../position/schema.ts";
import type { QueueModel } from "../queue.ts";
import {
  describeQuoteBacktest,
  type QuoteBacktestAnswer,
  QuoteBacktestShape,
  quoteBacktestInput,
  quoteBacktestView,
} from "../quote-schema.ts";
import type { GridRequest } from "../run/begin.ts";
import { type BacktestAnswer, BacktestShape, fillsCsv } from "../schema/answer.ts";
import { backtestView, describeBacktest } from "../schema/answer-view.ts";
import {
  type BacktestFields,
  centeredBacktestInput,
  inputParts,
  rangeBacktestInput,
} from "../schema/input.ts";
import { calculate, inSlices, longestCalculation, marketOf, pastOf, READS_PAST, tapeOf } from "./past.ts";

interface BacktestRequest {
  readonly where: { readonly exchange: string; readonly symbol: Pair };
  readonly request: GridRequest;
  readonly balances: Readonly<Record<string, Decimal>> | undefined;
  readonly fields: BacktestFields;
  readonly call: Call;
}

async function answerBacktest(
  deps: Deps,
  { where, request, balances, fields, call }: BacktestRequest,
): Promise<BacktestAnswer> {
  const { exchange } = where;
  const { since, until, timeframe } = fields;
  const file = await tapeOf(deps, { ...where, timeframe, since, until });
  const span = TIMEFRAMES[timeframe === "trades" ? "1m" : timeframe];
  const past = file ? file.tape : await pastOf(deps, { ...where, span, since, until }, call);
  const market = await marketOf(deps, where, fields);
  const options = {
    market,
    balances: balances && Object.entries(balances).map(([asset, free]) => ({ asset, free, used: 0n })),
    rules: {
      fill: fields.fill,
      extremes: fields.extremes,
      spread: fields.spread,
      slippage: fields.slippage,
      tickInterval: fields.tickInterval,
    },
    queue: fields.queue,
    withBand: true,
  };
  const over = { exchange, fills: fields.fills, tape: file && describeTape(file, fields.queue) };
  return calculate(deps, ["grid", { request, past, options, over }], call);
}

/** Describes the tape behind a response. */
const describeTape = ({ tape, ...file }: TapeFile, queue: QueueModel) => ({
  ...tapeCoverage(tape, file),
  queue: tape.books ? queue : null,
});

interface BesideStored {
  readonly exchange?: string | undefined;
  readonly symbol?: Pair | undefined;
  readonly allowLoss?: boolean | undefined;
  readonly useOwnBase?: boolean | undefined;
  readonly dryBalance?: Readonly<Record<string, Decimal>> | undefined;
}

/** Returns a stored grid's options with replacements. Throws AppError. */
async function requestedFrom(
  deps: Deps,
  from: string,
  given: BesideStored,
): Promise<Pick<BacktestRequest, "where" | "request" | "balances">> {
  const { strategy } = await gridViewById(deps, from);
  const { exchange, symbol, dryBalance, allowLoss, useOwnBase, ...changes } = given;
  const own = strategy.config;
  return {
    where: {
      exchange: exchange ?? parseAccountKey(strategy.account).exchange,
      symbol: symbol ?? strategy.symbol,
    },
    request: requestedAs(strategy.config, {
      ...Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)),
      allowLoss: allowLoss ?? own.allowLoss,
      useOwnBase: useOwnBase ?? own.useOwnBase,
    }),
    balances: dryBalance,
  };
}

const READS = {
  ...READS_PAST,
  mcp: { defaults: { ...CAUTIOUS.defaults, fills: 0 }, summarize: describeBacktest },
  output: BacktestShape,
  csv: (answer: unknown) => fillsCsv(answer as BacktestAnswer),
} as const;

/** Operations of backtests: they take the input of a start, and the past data. */
export const backtestOperations = (ids: readonly string[]): readonly Operation[] => [
  operation({
    ...READS,
    name: "backtest_grid",
    summary: "Test a grid on historical prices",
    http: { route: "POST /backtest", from: "body" },
    cli: {
      path: "backtest",
      flags: RANGE_FLAGS,
      parts: TRAIL_PARTS,
      ...CAUTIOUS,
      view: backtestView,
      examples: [
        "edgemaker backtest --exchange kraken --symbol BTC/USDT --lower 57000 --upper 63000 --levels 12 --size 100",
        "edgemaker backtest --from grid-kraken-BTC-USDT-1767225600000 --levels 20",
        "edgemaker backtest --exchange kraken --symbol BTC/USDT --lower 36000 --upper 48000 --levels 40 --size 500 --data btc-usd.csv.gz --report report.html",
      ],
    },
    stored: Object.keys(CAUTIOUS.defaults),
    input: () => rangeBacktestInput(ids),
    run: async (deps, input, call) => {
      const { fields, grid } = inputParts(input);
      const { planHash: _, from, ...given } = grid;
      if (from !== undefined)
        return answerBacktest(deps, { ...(await requestedFrom(deps, from, given)), fields, call });
      const where = given as Parameters<typeof requestedRangeOf>[0];
      return answerBacktest(deps, {
        where,
        request: requestedRangeOf(where),
        balances: given.dryBalance,
        fields,
        call,
      });
    },
  }),
  operation({
    ...READS,
    name: "backtest_centered_grid",
    summary: "Test a centered grid on historical prices",
    http: { route: "POST /backtest/centered", from: "body" },
    cli: {
      path: "backtest centered",
      ...CAUTIOUS,
      view: backtestView,
      examples: [
        "edgemaker backtest centered --exchange kraken --symbol BTC/USDT --levels 5 --spacing 0.004 --size 100",
        "edgemaker backtest centered --exchange mexc --symbol ADA/USDT --grid-profile calm.json --data ada-usdt.csv.gz",
      ],
    },
    input: () => centeredBacktestInput(ids),
    run: (deps, input, call) => {
      const { fields, grid } = inputParts(input);
      const { planHash: _, ...request } = grid;
      return answerBacktest(deps, {
        where: grid,
        request: centeredOf(request),
        balances: grid.dryBalance,
        fields,
        call,
      });
    },
  }),
];

const backtestOperation = (definition: AnyStrategyDefinition, ids: readonly string[]): Operation =>
  operation({
    name: `backtest_strategy_${definition.name.replaceAll("-", "_")}`,
    summary: `Test the strategy ${definition.name} on historical prices`,
    ...READS_PAST,
    http: { route: `POST /strategy/declared/${definition.name}/backtest`, from: "body" },
    cli: {
      path: `strategy backtest ${definition.name}`,
      view: ownStrategyBacktestView,
      examples: [
        `edgemaker strategy backtest ${definition.name} --exchange kraken --symbol BTC/USD --base-budget 0.1 --quote-budget 5000 --data btc-usd.csv.gz`,
      ],
    },
    mcp: { defaults: { fills: 0 } },
    csv: (answer: unknown) => tradesCsv(answer as PositionBacktestAnswer),
    input: () => ownStrategyBacktestInput(definition, ids),
    output: OwnStrategyBacktestShape,
    async run(deps, given, call) {
      const input = given as OwnStrategyBacktestFields & Readonly<Record<string, unknown>>;
      const { exchange, symbol, timeframe, since, until, fills } = input;
      const request = await ownStrategyRequest(definition, input);
      const past = { exchange, symbol, span: TIMEFRAMES[timeframe], since, until };
      const candles = await pastOf(deps, past, call);
      const market = await marketOf(deps, { exchange, symbol }, input);
      const { fill, extremes, marketSpread: spread, tickInterval } = input;
      const over = { exchange, symbol, span: candles.spanMillis, since: candles.from, until };
      const reference = definition.reference ? await referencePastOf(deps, over) : [];
      const elsewhere = await elsewherePastOf(deps, definition, over, call);
      const rules = { fill, extremes, spread, tickInterval };
      const options = {
        reference,
        elsewhere,
        market,
        balances: request.dryBalance,
        rules,
        withBand: input.single !== true,
      };
      const maxMillis = longestCalculation(call);
      const job = { request, candles, options, over: { exchange, fills }, maxMillis };
      return backtestWhereItsCodeIs(deps, definition, job, call);
    },
  });

async function backtestWhereItsCodeIs(
  { local }: Deps,
  definition: AnyStrategyDefinition,
  job: OwnStrategyJob,
  { signal, waiting }: Call,
) {
  try {
    if (definition.ask) {
      const caller = { account: "", id: "", resumes: 0, signal, hear: waiting?.hear };
      return OwnStrategyBacktestShape().parse(await definition.ask("backtest", job, caller));
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

type OwnStrategyBacktestFields = ReturnType<ReturnType<typeof ownStrategyBacktestInput>["parse"]> &
  Parameters<typeof pastOf>[1] & { readonly timeframe: keyof typeof TIMEFRAMES };

/** Returns stored candles of the pair on other exchanges. */
async function referencePastOf(
  { kept, exchanges }: Deps,
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

export const ownStrategyBacktests = (
  ids: readonly string[],
  definitions: StrategyDefinitions,
): readonly Operation[] => definitions.map((definition) => backtestOperation(definition, ids));

/** Operation that backtests quotes: it takes the input of their start, and the past data. */
export const quoteBacktestOperation = (ids: readonly string[]): Operation =>
  operation({
    name: "backtest_quote",
    summary: "Test quotes on historical prices",
    ...READS_PAST,
    http: { route: "POST /strategy/quote/backtest", from: "body" },
    cli: {
      path: "quote backtest",
      view: quoteBacktestView,
      examples: [
        "edgemaker quote backtest --exchange mexc --symbol SNEK/USDT --spread 0.02 --size 50 --levels 3 --base-budget 400000 --quote-budget 1000",
        "edgemaker quote backtest --exchange kraken --symbol BTC/USD --spread 0.004 --size 500 --base-budget 0.1 --quote-budget 5000 --data btc-usd.csv.gz",
      ],
    },
    mcp: { defaults: { fills: 0 }, summarize: describeQuoteBacktest },
    csv: (answer: unknown) => tradesCsv(answer as QuoteBacktestAnswer),
    input: () => quoteBacktestInput(ids),
    output: QuoteBacktestShape,
    async run(deps, input, call) {
      const { exchange, symbol, timeframe, since, until, fills, dryBalance } = input;
      const candles = await pastOf(
        deps,
        { exchange, symbol, span: TIMEFRAMES[timeframe], since, until },
        call,
      );
      const market = await marketOf(deps, { exchange, symbol }, input);
      const { fill, extremes, marketSpread: spread, tickInterval } = input;
      const rules = { fill, extremes, spread, tickInterval };
      const options = { market, balances: dryBalance, rules, withBand: input.single !== true };
      const job = { request: input, candles, options, over: { exchange, fills } };
      return calculate(deps, ["quotes", job], call);
    },
  });
