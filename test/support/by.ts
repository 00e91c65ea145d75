import type { By } from "../../src/records.ts";

/** Whoever a test is. */
export const BY: By = { actor: "test", request: null };
