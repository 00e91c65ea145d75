import type { Plugin } from "esbuild";

export const LATE_FETCH: Plugin;
