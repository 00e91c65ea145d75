import { comparableText } from "../../../src/declared/pass/ask.ts";
import type { AnyStrategyDefinition, Declared, StrategyInput } from "../../../src/ports/definition.ts";

/** A definition that remembers the ids of its last call, and compares a restarted function with the one before it. */
export interface Observed {
  readonly definition: AnyStrategyDefinition;
  readonly declared: () => readonly string[];
  readonly differences: () => readonly string[];
  /** Uses another instance of the same strategy from now on. */
  readonly restart: (fresh: AnyStrategyDefinition) => void;
}

export function observedDefinition(first: AnyStrategyDefinition): Observed {
  let current = first;
  let ids: readonly string[] = [];
  const differences = new Set<string>();
  return {
    definition: {
      ...first,
      isCalledTwice: true,
      orders(input: StrategyInput) {
        const result = current.orders(input);
        ids = idsOf(result);
        if (current !== first && comparableText(result) !== comparableText(first.orders(input)))
          differences.add(
            "a restarted process returned other orders than one that kept running: store what changes in `state`, not in variables",
          );
        return result;
      },
    },
    declared: () => ids,
    differences: () => [...differences],
    restart: (fresh) => {
      current = fresh;
    },
  };
}

function idsOf(result: Declared): readonly string[] {
  const orders = Array.isArray(result) ? result : (result as { orders?: unknown } | undefined)?.orders;
  return Array.isArray(orders) ? orders.map((order: { id?: unknown } | undefined) => String(order?.id)) : [];
}
