import { gridKind } from "./grid/kind.ts";
import { ownStrategyKind } from "./own/kind.ts";
import type { StrategyDefinitions } from "./ports/definition.ts";
import type { Kind } from "./ports/kind.ts";
import { quoteKind } from "./quote/kind.ts";

/**
 * Returns every kind of strategy; all surfaces list what stands here. `definitions` are the strategies that the user
 * wrote; undefined leaves their orders open. `leavesUnknown` leaves running those that are not among them.
 */
export const kindsWith = (
  definitions: StrategyDefinitions | undefined,
  leavesUnknown = false,
): readonly Kind[] => [gridKind, quoteKind, ownStrategyKind(definitions, leavesUnknown)];

/** Every kind, without strategies that a user wrote. */
export const KINDS: readonly Kind[] = kindsWith([]);
