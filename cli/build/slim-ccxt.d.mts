import type { Plugin } from "esbuild";

export const SLIM_CCXT: Plugin;
export function writeSlimClasses(outdir: string): Promise<void>;
