import type { Plugin } from "esbuild";

export const SLIM_CCXT: Plugin;
export function classesOf(texts: readonly string[]): string[];
export function writeSlimClasses(outdir: string): Promise<void>;
