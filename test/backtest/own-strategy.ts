import { defineStrategy, z } from "../../src/own/package.ts";
import type { AnyStrategyDefinition, StrategyInput } from "../../src/ports/definition.ts";

interface Config {
  readonly amount: number;
}

/**
 * A strategy that buys an amount at 99 once, then has the orders of `afterwards`. It records the reference price of
 * each call.
 */
export function ownStrategy(over: object = {}, afterwards: (config: Config) => readonly object[] = () => []) {
  const references: (string | null)[] = [];
  const definition = defineStrategy({
    name: "my-own",
    config: z.object({ amount: z.number() }),
    reference: true,
    orders({ reference, config, position }: StrategyInput<Config>) {
      references.push(reference.price && String(reference.price));
      return String(position.base) === "0"
        ? [{ id: "bid", side: "buy", price: "99", size: config.amount }]
        : afterwards(config);
    },
    ...over,
  } as never) as unknown as AnyStrategyDefinition;
  return { definition, references };
}
