/** Backtests a user's own strategy over candles. */
import * as z from "zod";
import type { Candles } from "../../candles/candles.ts";
import { kindsOf } from "../../engine/accounts.ts";
import { lazy } from "../../kernel/lazy.ts";
import { pluralize } from "../../kernel/plain-text.ts";
import type { Millis } from "../../kernel/time.ts";
import { ownStrategyKind } from "../../own/kind.ts";
import { NO_LOG } from "../../own/pass/log.ts";
import { ownStrategyConfigOf } from "../../own/planned-start.ts";
import { type OwnStrategyRequest, ownStrategyPreviewInput } from "../../own/schema/shapes.ts";
import { newOwnStrategyState, type OwnStrategy } from "../../own/state.ts";
import type { AnyStrategyDefinition, StrategyLog } from "../../ports/definition.ts";
import type { Kind } from "../../ports/kind.ts";
import {
  backtestingPosition,
  type PositionBacktest,
  type PositionBacktestOptions,
  pastBudget,
  pastStrategy,
} from "./backtest.ts";
import { type OtherPast, requestedPast } from "./requested-past.ts";
import { pastFields, positionBacktestFields, positionBacktestOut, positionBacktestView } from "./schema.ts";

export const ownStrategyBacktestInput = (definition: AnyStrategyDefinition, ids: readonly string[]) =>
  ownStrategyPreviewInput(definition, ids).extend(pastFields());

export const OwnStrategyBacktestShape = lazy(() =>
  z.object({
    ...positionBacktestFields(),
    strategy: z.string(),
    config: z.record(z.string(), z.unknown()),
    notes: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
      .describe("Values by name that its function returned with its last orders"),
    logLines: z.number().describe("Number of lines that its code wrote"),
    log: z.array(z.string()).describe(`The last ${MAX_LOG_LINES_SHOWN} of them`),
    lastError: z.string().nullable().describe("Why its function failed, which ended its orders; else null"),
  }),
);

type OwnStrategyBacktestAnswer = z.input<ReturnType<typeof OwnStrategyBacktestShape>>;

interface OwnStrategyBacktest extends PositionBacktest<OwnStrategy> {
  readonly log: StrategyLog;
}

/** Last lines of a backtest that its answer has. */
const MAX_LOG_LINES_SHOWN = 50;

/** Yields the completed share. Calls the function twice each time: different results are a fault. */
export function* backtestingDeclared(
  definition: AnyStrategyDefinition,
  request: Pick<OwnStrategyRequest, "baseBudget" | "quoteBudget" | "options">,
  candles: Candles,
  { reference = [], elsewhere, stored, ...options }: OwnStrategyBacktestOptions,
): Generator<number, OwnStrategyBacktest> {
  const { market, balances } = options;
  const loaded = ownStrategyConfigOf(definition, request.options, pastBudget(request, market, balances));
  const config = { ...loaded, version: stored?.version ?? loaded.version };
  const memory = stored ? { json: JSON.stringify(stored.state), version: stored.version } : null;
  const kind = ownStrategyKind([{ ...definition, isCalledTwice: true }]);
  const id = `${definition.name}-backtest`;
  const logs: StrategyLog[] = [];
  const requested = () => {
    logs.push(NO_LOG);
    return requestedPast(definition, candles, { reference, elsewhere });
  };
  const run: typeof kind.run = (...given) => {
    const stepped = kind.run(...given);
    if (!(stepped instanceof Promise) && stepped.log) logs.push(lastLines(logs.pop() ?? NO_LOG, stepped.log));
    return stepped;
  };
  const result = yield* backtestingPosition(
    (startPrice): OwnStrategy => ({
      ...pastStrategy(id, market.symbol, candles.from),
      kind: kind.name,
      version: kind.version,
      config,
      state: { ...newOwnStrategyState(startPrice), memory },
    }),
    candles,
    { ...options, kinds: kindsOf([{ ...kind, run } as unknown as Kind]), requested },
  );
  const lacksReference = Boolean(definition.reference) && reference.length === 0;
  return {
    ...result,
    // The first path is the one that is shown.
    log: logs[0] ?? NO_LOG,
    warnings: [...result.warnings, ...(lacksReference ? [NO_REFERENCE_PAST] : [])],
  };
}

function lastLines(before: StrategyLog, { lines, dropped }: StrategyLog): StrategyLog {
  const all = [...before.lines, ...lines];
  const shown = all.slice(-MAX_LOG_LINES_SHOWN);
  return { lines: shown, dropped: before.dropped + dropped + all.length - shown.length };
}

/** A backtest as plain data, which can be sent to the process that has the strategy's code. */
export interface OwnStrategyJob {
  readonly request: Pick<OwnStrategyRequest, "baseBudget" | "quoteBudget" | "options">;
  readonly candles: Candles;
  readonly options: Omit<OwnStrategyBacktestOptions, "isOver">;
  readonly over: { readonly exchange: string; readonly fills: number };
  readonly maxMillis: Millis;
}

/** Runs it where the code is. Yields the completed share. */
export function* backtestOwnStrategy(
  definition: AnyStrategyDefinition,
  { request, candles, options, over }: OwnStrategyJob,
  isOver: () => boolean,
): Generator<number, OwnStrategyBacktestAnswer> {
  const result = yield* backtestingDeclared(definition, request, candles, { ...options, isOver });
  const { times, from, spanMillis } = candles;
  const until = (times[Math.max(0, result.run.bars - 1)] as Millis) + spanMillis;
  return ownStrategyBacktestOut(over, result, { from, until });
}

interface OwnStrategyBacktestOptions extends Omit<PositionBacktestOptions, "kinds" | "requested">, OtherPast {
  /** State that an older version of the strategy left. */
  readonly stored?: { readonly version: number; readonly state: unknown } | undefined;
}

const NO_REFERENCE_PAST = {
  code: "no_reference",
  message:
    "there are no past prices of other exchanges, so the reference price was null; download candles of another exchange first",
};

function ownStrategyBacktestOut(
  over: { readonly exchange: string; readonly fills: number },
  backtest: OwnStrategyBacktest,
  walked: { readonly from: Millis; readonly until: Millis },
): OwnStrategyBacktestAnswer {
  const { config, lastError, state } = backtest.run.account.strategy;
  const { lines, dropped } = backtest.log;
  return {
    ...positionBacktestOut(over, backtest, walked),
    strategy: config.definition,
    config: { ...config.options },
    notes: state.notes ?? {},
    logLines: lines.length + dropped,
    log: [...lines],
    lastError,
  };
}

export function ownStrategyBacktestView(answer: unknown): unknown {
  const { strategy, config, notes, logLines, log, lastError, ...position } =
    answer as OwnStrategyBacktestAnswer;
  const lines = positionBacktestView(position, strategy);
  return {
    ...(lastError === null ? {} : { error: lastError }),
    ...lines,
    config,
    ...(Object.keys(notes).length > 0 ? { notes } : {}),
    ...(logLines > 0 ? { log: `${pluralize(logLines, "line")}; --json shows the last ${log.length}` } : {}),
  };
}
