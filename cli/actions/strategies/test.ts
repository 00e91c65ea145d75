import { readFileSync } from "node:fs";
import { messageOf } from "../../../src/kernel/errors.ts";
import type { Operation } from "../../../src/operation.ts";
import type { AnyStrategyDefinition } from "../../../src/ports/definition.ts";
import { readSettings, wholeFlag } from "../../host/settings.ts";
import { type SimulationResult, simulateStrategy } from "../../host/simulation/simulate.ts";
import { strategyFiles } from "../../host/strategies/bundle.ts";
import { loadStrategy } from "../../host/strategies/load.ts";
import type { Values } from "../../terminal/arguments.ts";
import { inputOf } from "../../terminal/fields.ts";
import { print } from "../../terminal/output.ts";
import { fail, misreadOf } from "../../terminal/refused.ts";
import { UsageError } from "../../terminal/usage-error.ts";

/** Runs a strategy through the sandbox with crashes and lost responses. Returns exit code 1 if something broke. */
export async function testStrategy(
  operation: Operation,
  definition: AnyStrategyDefinition,
  values: Values,
): Promise<number> {
  const given = inputOf(operation, values);
  const misread = misreadOf(operation, given);
  if (misread) return fail(misread, { operation, values });
  const { exchange, symbol, baseBudget, quoteBudget, ...config } = given as SimulatedFields;
  const { data } = values;
  const result = await simulateStrategy(
    definition,
    {
      ...{ exchange, symbol, config, base: baseBudget, quote: quoteBudget },
      passes: wholeFlag(values, "passes", { usual: undefined, least: 1, most: 100_000 }),
      seed: wholeFlag(values, "seed", { usual: undefined, most: 2 ** 32 - 1 }),
      ...(data === undefined ? {} : { prices: readPriceFile(String(data)) }),
    } as Parameters<typeof simulateStrategy>[1],
    reloadOf(definition),
  );
  print(values, values.json ? { strategy: definition.name, ...result } : resultView(definition.name, result));
  return result.problems.length > 0 ? 1 : 0;
}

interface SimulatedFields extends Readonly<Record<string, unknown>> {
  readonly exchange?: string;
  readonly symbol?: string;
  readonly baseBudget?: string;
  readonly quoteBudget?: string;
}

function readPriceFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`--data ${file} cannot be read: ${messageOf(error)}`);
  }
}

/** Returns how a restarted process loads the same file: with new variables. */
function reloadOf({ name }: AnyStrategyDefinition): () => AnyStrategyDefinition {
  const { strategies } = readSettings({}, process.env).config;
  const file = strategyFiles(strategies).find((path) => loadStrategy(path).name === name);
  if (file === undefined) throw new Error(`the file of ${name} is gone`);
  return () => loadStrategy(file);
}

function resultView(strategy: string, result: SimulationResult) {
  const { passes, restarts, lostResponses, failedReads, orders, fills, refused, problems } = result;
  return {
    ...{ strategy, passes, restarts, "lost responses": lostResponses, "failed reads": failedReads },
    ...{ orders, fills },
    ...(refused.length > 0 ? { "refused at the end": refused.join("; ") } : {}),
    ...(problems.length > 0 ? { error: problems.join(". ") } : { result: verdict(result) }),
  };
}

const verdict = ({ orders }: SimulationResult): string =>
  orders === 0
    ? "it placed no orders, so this tested little"
    : "nothing broke: each order was placed once, and its books equal the account";
