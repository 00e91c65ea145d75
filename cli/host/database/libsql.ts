import { createRequire as requireFrom } from "node:module";
import type Libsql from "libsql";
import { lazy } from "../../../src/kernel/lazy.ts";

/** libSQL's database class for files. Its native part is loaded on first use. */
export const libsql: () => typeof Libsql = lazy((): typeof Libsql => requireFrom(import.meta.url)("libsql"));
