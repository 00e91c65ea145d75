import type { Guard } from "./guard.ts";
import { LIMIT_GUARDS } from "./limit-guards.ts";
import { ROW_GUARDS } from "./row-guards.ts";
import { SCHEMA_GUARDS } from "./schema-guards.ts";
import { STEP_GUARDS } from "./step-guards.ts";

/** Every condition on which a statement of the store, or its schema, refuses or leaves something alone. */
export const GUARDS: readonly Guard[] = [...STEP_GUARDS, ...LIMIT_GUARDS, ...ROW_GUARDS, ...SCHEMA_GUARDS];
