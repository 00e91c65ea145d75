import { declaredKind } from "./declared/kind.ts";
import { gridKind } from "./grid/kind.ts";
import type { StrategyDefinitions } from "./ports/definition.ts";
import type { Kind } from "./ports/kind.ts";
import { quoteKind } from "./quote/kind.ts";

/** Every kind of strategy that this program can run, with the strategies that its user has written. */
export const kindsWith = (definitions: StrategyDefinitions): readonly Kind[] => [
  gridKind,
  quoteKind,
  declaredKind(definitions),
];

export const KINDS: readonly Kind[] = kindsWith([]);
