import { pauseParts, stopParts } from "../../engine/operations/changes.ts";
import { type Operation, operation } from "../../operation.ts";
import type { StrategyDefinitions } from "../../ports/definition.ts";
import { OWN_STRATEGIES } from "./own-strategies.ts";
import { declaredReads } from "./running.ts";
import { declaredStarts } from "./start.ts";

/** Operations of users' own strategies: those of each loaded definition, and those for all running ones. */
export const declaredOperations = (
  ids: readonly string[],
  definitions: StrategyDefinitions,
): readonly Operation[] => [
  ...declaredStarts(ids, definitions),
  ...declaredReads(definitions),
  operation(stopParts(OWN_STRATEGIES)),
  operation(pauseParts(OWN_STRATEGIES, true)),
  operation(pauseParts(OWN_STRATEGIES, false)),
];
