import type { Operation } from "../../operation.ts";
import type { StrategyDefinitions } from "../../ports/definition.ts";
import { declaredReads } from "./running.ts";
import { declaredStarts } from "./start.ts";
import { declaredStops } from "./stops.ts";

/** Operations of users' own strategies: those of each loaded definition, and those for all running ones. */
export const declaredOperations = (
  ids: readonly string[],
  definitions: StrategyDefinitions,
): readonly Operation[] => [
  ...declaredStarts(ids, definitions),
  ...declaredReads(definitions),
  ...declaredStops,
];
