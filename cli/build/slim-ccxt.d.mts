import type { Plugin } from "esbuild";

/** Methods that stay behind what we never give, or that ours stand for: called, they are a mistake. */
export const NEVER_ASKED: ReadonlySet<string>;
export const SLIM_CCXT: Plugin;
export function writeSlimClasses(outdir: string): Promise<void>;
