import type { Candles } from "../candles/candles.ts";
import type { Millis } from "../kernel/time.ts";
import type { OwnStart } from "../own/planned-start.ts";
import type { AnyStrategyDefinition } from "../ports/definition.ts";
import { backtestingDeclared, type OwnStrategyBacktestOptions } from "./position/declared.ts";
import { type AnsweredOver, type BacktestAnswer, positionAnswer } from "./schema/answer.ts";
import { walkedTime } from "./ticks.ts";

/** A backtest as plain data, which can be sent to the process that has the strategy's code. */
export interface OwnStrategyJob {
  readonly request: Pick<OwnStart, "baseBudget" | "quoteBudget" | "options" | "endings">;
  readonly candles: Candles;
  readonly options: Omit<OwnStrategyBacktestOptions, "isOver">;
  readonly over: Omit<AnsweredOver, "config">;
  readonly maxMillis: Millis;
}

/** Runs it where the code is. Yields the completed share. */
export function* backtestOwnStrategy(
  definition: AnyStrategyDefinition,
  { request, candles, options, over }: OwnStrategyJob,
  isOver: () => boolean,
): Generator<number, BacktestAnswer> {
  const result = yield* backtestingDeclared(definition, request, candles, { ...options, isOver });
  const { config, state } = result.run.account.strategy;
  const { lines, dropped } = result.log;
  const { memory, notes = {}, ids } = state;
  return positionAnswer(
    { ...over, config: config.options },
    result,
    walkedTime(candles, result.run.bars),
    {
      state: memory === null ? null : (JSON.parse(memory.json) as unknown),
      notes,
      logLines: lines.length + dropped,
      log: [...lines],
    },
    (slot) => ids[slot] ?? "",
  );
}
