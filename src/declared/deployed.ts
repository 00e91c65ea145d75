import type { StrategyDefinitions } from "../ports/definition.ts";

/** Strategies that a Worker contains. The build of the Worker replaces this file by one that imports the user's files. */
export const definitions: StrategyDefinitions = [];
