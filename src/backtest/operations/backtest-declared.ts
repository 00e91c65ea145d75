import { declaredRequest } from "../../declared/schema/input.ts";
import { AppError } from "../../kernel/errors.ts";
import { TIMEFRAMES } from "../../kernel/time.ts";
import { type Operation, operation } from "../../operation.ts";
import type { AnyStrategyDefinition, StrategyDefinitions } from "../../ports/definition.ts";
import type { Deps } from "../../ports/deps.ts";
import {
  backtestingDeclared,
  DeclaredBacktestShape,
  declaredBacktestInput,
  declaredBacktestOut,
  declaredBacktestView,
} from "../position/declared.ts";
import type { ReferencePast } from "../position/requested-past.ts";
import { type PositionBacktestAnswer, tradesCsv } from "../position/schema.ts";
import { longestCalculation, READS_PAST } from "./calculate.ts";
import { marketOf, pastOf } from "./past.ts";
import { inSlices } from "./slices.ts";

const backtestOperation = (definition: AnyStrategyDefinition, ids: readonly string[]): Operation =>
  operation({
    name: `backtest_strategy_${definition.name.replaceAll("-", "_")}`,
    summary: `Test the strategy ${definition.name} on historical prices`,
    ...READS_PAST,
    http: { route: `POST /strategy/declared/${definition.name}/backtest`, from: "body" },
    cli: {
      path: `strategy backtest ${definition.name}`,
      view: declaredBacktestView,
      examples: [
        `edgemaker strategy backtest ${definition.name} --exchange kraken --symbol BTC/USD --base-budget 0.1 --quote-budget 5000 --data btc-usd.csv.gz`,
      ],
    },
    mcp: { defaults: { fills: 0 } },
    csv: (answer: unknown) => tradesCsv(answer as PositionBacktestAnswer),
    input: () => declaredBacktestInput(definition, ids),
    output: DeclaredBacktestShape,
    async run(deps, given, call) {
      const input = given as DeclaredBacktestFields & Readonly<Record<string, unknown>>;
      const { exchange, symbol, timeframe, since, until, fills } = input;
      const request = declaredRequest(definition, input);
      const past = { exchange, symbol, span: TIMEFRAMES[timeframe], since, until };
      const candles = await pastOf(deps, past, call);
      const market = await marketOf(deps, { exchange, symbol }, input);
      const { fill, extremes, marketSpread: spread, tickInterval } = input;
      const end = deps.local.monotonic() + longestCalculation(call);
      const reference = definition.reference ? await referencePastOf(deps, past) : [];
      const work = backtestingDeclared(definition, request, candles, {
        reference,
        ...{ market, balances: request.dryBalance, rules: { fill, extremes, spread, tickInterval } },
        isOver: () => deps.local.monotonic() > end || call.waiting?.isEnough() === true,
      });
      const result = await inTimeLimit(definition, () => inSlices(work, deps.local, call.waiting));
      const { walkedTime } = await import("./calculations.ts");
      return declaredBacktestOut({ exchange, fills }, result, walkedTime(candles, result.run.bars));
    },
  });

type DeclaredBacktestFields = ReturnType<ReturnType<typeof declaredBacktestInput>["parse"]> &
  Parameters<typeof pastOf>[1] & { readonly timeframe: keyof typeof TIMEFRAMES };

/** Returns stored candles of the pair on other exchanges. */
async function referencePastOf(
  { kept, exchanges }: Deps,
  past: Parameters<typeof pastOf>[1],
): Promise<ReferencePast[]> {
  // A named file has no exchange.
  if (!kept || kept.isFile) return [];
  const found: ReferencePast[] = [];
  for (const { id } of exchanges.filter((exchangeInfo) => exchangeInfo.id !== past.exchange)) {
    const candles = await kept.candles({ ...past, exchange: id });
    if (candles) found.push({ source: id, candles });
  }
  return found;
}

/** Runs a call with a time limit; a function that never ends becomes a fault. */
async function inTimeLimit<T>({ source }: AnyStrategyDefinition, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError || source === undefined) throw error;
    throw new AppError("Fetch failed", `${source}: ${(error as Error).message}`);
  }
}

export const declaredBacktests = (
  ids: readonly string[],
  definitions: StrategyDefinitions,
): readonly Operation[] => definitions.map((definition) => backtestOperation(definition, ids));
