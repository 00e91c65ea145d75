import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { ALIASES } from "../../cli/build/aliases.mjs";
import { SLIM_CCXT } from "../../cli/build/slim-ccxt.mjs";
import type { Figure } from "./figure.ts";

const NAMES = ["mexc", "gate", "bitget", "kraken"];

/** What the four exchanges add to an upload: what we reach of ccxt's classes for them, minified and zipped. */
export async function bundleFigures(): Promise<Figure[]> {
  const lines = NAMES.map(
    (name) => `export { default as ${name} } from "./node_modules/ccxt/js/src/${name}.js";`,
  );
  const { outputFiles } = await build({
    stdin: { contents: lines.join("\n"), resolveDir: process.cwd() },
    alias: { ...ALIASES },
    plugins: [SLIM_CCXT],
    bundle: true,
    minify: true,
    legalComments: "none",
    format: "esm",
    platform: "node",
    write: false,
    logLevel: "error",
  });
  const kib = gzipSync(outputFiles[0]?.contents ?? "").length / 1024;
  return [{ name: "bundle of the four exchanges, gzip", unit: "KiB", runs: [kib], goal: "≤ 100" }];
}
