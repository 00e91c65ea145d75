/** Backtests a user's own strategy over candles. */
import * as z from "zod";
import type { Candles } from "../../candles/candles.ts";
import { declaredKind } from "../../declared/kind.ts";
import { type DeclaredRequest, declaredPreviewInput } from "../../declared/schema/shapes.ts";
import { declaredConfigOf } from "../../declared/start/planned.ts";
import { type DeclaredStrategy, newDeclaredState } from "../../declared/state.ts";
import { kindsOf } from "../../engine/kinds.ts";
import { lazy } from "../../kernel/lazy.ts";
import type { Millis } from "../../kernel/time.ts";
import type { AnyStrategyDefinition } from "../../ports/definition.ts";
import type { Kind } from "../../ports/kind.ts";
import {
  backtestingPosition,
  type PositionBacktest,
  type PositionBacktestOptions,
  pastBudget,
  pastStrategy,
} from "./backtest.ts";
import { type ReferencePast, requestedPast } from "./requested-past.ts";
import { pastFields, positionBacktestFields, positionBacktestOut, positionBacktestView } from "./schema.ts";

export const declaredBacktestInput = (definition: AnyStrategyDefinition, ids: readonly string[]) =>
  declaredPreviewInput(definition, ids).extend(pastFields());

export const DeclaredBacktestShape = lazy(() =>
  z.object({
    ...positionBacktestFields(),
    strategy: z.string(),
    config: z.record(z.string(), z.unknown()),
    lastError: z.string().nullable().describe("Why its function failed, which ended its orders; else null"),
  }),
);

type DeclaredBacktestAnswer = z.input<ReturnType<typeof DeclaredBacktestShape>>;

type DeclaredBacktest = PositionBacktest<DeclaredStrategy>;

/** Yields the completed share. Calls the function twice each time: different results are a fault. */
export function* backtestingDeclared(
  definition: AnyStrategyDefinition,
  request: Pick<DeclaredRequest, "baseBudget" | "quoteBudget" | "options">,
  candles: Candles,
  { reference = [], ...options }: DeclaredBacktestOptions,
): Generator<number, DeclaredBacktest> {
  const { market, balances } = options;
  const config = declaredConfigOf(definition, request.options, pastBudget(request, market, balances));
  const kind = declaredKind([{ ...definition, isCalledTwice: true }]);
  const id = `${definition.name}-backtest`;
  const requested = () => requestedPast(definition, candles, reference);
  const result = yield* backtestingPosition(
    (startPrice): DeclaredStrategy => ({
      ...pastStrategy(id, market.symbol, candles.from),
      kind: kind.name,
      version: kind.version,
      config,
      state: newDeclaredState(startPrice),
    }),
    candles,
    { ...options, kinds: kindsOf([kind as unknown as Kind]), guard: definition.guard, requested },
  );
  const lacksReference = definition.reference === true && reference.length === 0;
  return { ...result, warnings: [...result.warnings, ...(lacksReference ? [NO_REFERENCE_PAST] : [])] };
}

interface DeclaredBacktestOptions extends Omit<PositionBacktestOptions, "kinds" | "guard" | "requested"> {
  /** Prices of other sources. */
  readonly reference?: readonly ReferencePast[] | undefined;
}

const NO_REFERENCE_PAST = {
  code: "no_reference",
  message:
    "there are no past prices of other exchanges, so the reference price was null; download candles of another exchange first",
};

export function declaredBacktestOut(
  over: { readonly exchange: string; readonly fills: number },
  backtest: DeclaredBacktest,
  walked: { readonly from: Millis; readonly until: Millis },
): DeclaredBacktestAnswer {
  const { config, lastError } = backtest.run.account.strategy;
  return {
    ...positionBacktestOut(over, backtest, walked),
    strategy: config.definition,
    config: { ...config.options },
    lastError,
  };
}

export function declaredBacktestView(answer: unknown): unknown {
  const { strategy, config, lastError, ...position } = answer as DeclaredBacktestAnswer;
  const lines = positionBacktestView(position, strategy);
  return { ...(lastError === null ? {} : { error: lastError }), ...lines, config };
}
