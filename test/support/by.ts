import type { By } from "../../src/model/events.ts";

/** Whoever a test is. */
export const BY: By = { actor: "test", request: null };
