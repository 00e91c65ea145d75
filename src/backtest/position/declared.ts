/** Backtests a user's own strategy over candles. */
import type { Candles } from "../../candles/candles.ts";
import { kindsOf } from "../../engine/accounts.ts";
import { ownStrategyKind } from "../../own/kind.ts";
import { NO_LOG } from "../../own/pass/log.ts";
import { type OwnStart, ownStrategyConfigOf } from "../../own/planned-start.ts";
import { newOwnStrategyState, type OwnStrategy } from "../../own/state.ts";
import type { AnyStrategyDefinition, StrategyLog } from "../../ports/definition.ts";
import {
  backtestingPosition,
  type PositionBacktest,
  type PositionBacktestOptions,
  pastBudget,
  pastStrategy,
} from "./backtest.ts";
import { type OtherPast, requestedPast } from "./requested-past.ts";

interface OwnStrategyBacktest extends PositionBacktest<OwnStrategy> {
  readonly log: StrategyLog;
}

/** Last lines of a backtest that its answer has. */
const MAX_LOG_LINES_SHOWN = 50;

/** Yields the completed share. Calls the function twice each time: different results are a fault. */
export function* backtestingDeclared(
  definition: AnyStrategyDefinition,
  request: Pick<OwnStart, "baseBudget" | "quoteBudget" | "options" | "endings">,
  candles: Candles,
  { reference = [], elsewhere, stored, ...options }: OwnStrategyBacktestOptions,
): Generator<number, OwnStrategyBacktest> {
  const { market } = options;
  const loaded = ownStrategyConfigOf(definition, request, pastBudget(request));
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
      ...pastStrategy(id, market.symbol, candles.from, config),
      kind: kind.name,
      version: kind.version,
      config,
      state: { ...newOwnStrategyState(startPrice), memory },
    }),
    candles,
    { ...options, kinds: kindsOf([{ ...kind, run }]), requested },
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

export interface OwnStrategyBacktestOptions
  extends Omit<PositionBacktestOptions, "kinds" | "requested">,
    OtherPast {
  /** State that an older version of the strategy left. */
  readonly stored?: { readonly version: number; readonly state: unknown } | undefined;
}

const NO_REFERENCE_PAST = {
  code: "no_reference",
  message:
    "there are no past prices of other exchanges, so the reference price was null; download candles of another exchange first",
};
