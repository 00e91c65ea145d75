import type { Operation } from "../../operation.ts";
import { quoteChanges } from "./changes.ts";
import { quoteStarts } from "./start.ts";

/** Operations of quotes. */
export const quoteOperations = (ids: readonly string[]): Operation[] => [
  ...quoteStarts(ids),
  ...quoteChanges,
];
