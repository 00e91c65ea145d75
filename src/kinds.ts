import { gridKind } from "./grid/kind.ts";
import { gridOperations } from "./grid/operations/grids.ts";
import { gridLife } from "./grid/operations/start.ts";
import { gridReading } from "./grid/reading.ts";
import { prepareStart } from "./lifecycle/operations/start.ts";
import type { Operation } from "./operation.ts";
import { ownStrategyKind } from "./own/kind.ts";
import { ownStrategyLife } from "./own/operations/start.ts";
import { ownReading } from "./own/reading.ts";
import type { StrategyDefinitions } from "./ports/definition.ts";
import type { Kind } from "./ports/kind.ts";
import type { KindReading } from "./ports/kind-reading.ts";
import type { StrategyLife } from "./ports/plan.ts";
import { quoteKind } from "./quote/kind.ts";
import { quoteLife } from "./quote/operations/start.ts";
import { quoteReading } from "./quote/reading.ts";

/** A kind of strategy: what the engine runs, and what each surface shows of it. */
export interface StrategyKind {
  readonly name: string;
  /** Name of its commands. */
  readonly group: string;
  /** Returns what the engine runs, with the strategies that the user wrote, and whether others are left as they are. */
  readonly kindWith: (definitions: StrategyDefinitions | undefined, leavesUnknown: boolean) => Kind;
  /** What it adds to the list and the status of its strategies. */
  readonly reading?: KindReading;
  /** What the verbs ask of it. */
  readonly life: StrategyLife;
  /** Describes its commands in help. */
  readonly summary: string;
  /** Group of its operations in the OpenAPI document, if it has a separate one. */
  readonly tag?: { readonly name: string; readonly description: string };
  /** Returns its operations besides those that every strategy has. */
  readonly operations: (ids: readonly string[], definitions: StrategyDefinitions) => readonly Operation[];
}

/** Every kind of strategy. All surfaces list what stands here. */
export const STRATEGY_KINDS: readonly StrategyKind[] = [
  {
    kindWith: () => gridKind,
    name: "grid",
    group: "grid",
    reading: gridReading,
    life: gridLife,
    summary: "Start, watch, change and stop grids",
    operations: (ids) => gridOperations(ids, prepareStart),
  },
  {
    kindWith: () => quoteKind,
    name: "quote",
    group: "quote",
    reading: quoteReading,
    life: quoteLife,
    summary: "Quote both sides of a market",
    tag: { name: "Quotes", description: "Quotes on both sides of a market" },
    operations: () => [],
  },
  {
    kindWith: ownStrategyKind,
    name: "declared",
    group: "strategy",
    reading: ownReading,
    life: ownStrategyLife,
    summary: "Write, test, start and watch strategies of your own",
    operations: () => [],
  },
];

/** Returns what the engine runs, including the strategies that the user wrote; undefined leaves their orders open. */
export const kindsWith = (
  definitions: StrategyDefinitions | undefined,
  kinds: readonly StrategyKind[] = STRATEGY_KINDS,
  leavesUnknown = false,
): readonly Kind[] => kinds.map(({ kindWith }) => kindWith(definitions, leavesUnknown));

export const KINDS: readonly Kind[] = kindsWith([]);
