import type { Operation } from "../../operation.ts";
import type { StrategyDefinitions } from "../../ports/definition.ts";
import { declaredReads } from "./running.ts";
import { declaredStarts } from "./start.ts";
import { declaredStops } from "./stops.ts";

/** Strategies that users have written: what can be done with each that is loaded, and with all that run. */
export const declaredOperations = (
  ids: readonly string[],
  definitions: StrategyDefinitions,
): readonly Operation[] => [
  ...declaredStarts(ids, definitions),
  ...declaredReads(definitions),
  ...declaredStops,
];
