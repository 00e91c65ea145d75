import { declaredKind } from "./declared/kind.ts";
import { gridKind } from "./grid/kind.ts";
import type { StrategyDefinitions } from "./ports/definition.ts";
import type { Kind } from "./ports/kind.ts";
import { quoteKind } from "./quote/kind.ts";

/** Returns every kind of strategy that this program can run, including the strategies that its user wrote. */
export const kindsWith = (definitions: StrategyDefinitions): readonly Kind[] => [
  gridKind,
  quoteKind,
  declaredKind(definitions),
];

export const KINDS: readonly Kind[] = kindsWith([]);
