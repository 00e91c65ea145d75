// Bundles the benchmarks and runs them on the built command: node test/bench/run.mjs [--write]
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { ALIASES } from "../../cli/aliases.mjs";
import { currentBundle } from "../../cli/build.mjs";

await currentBundle();
const outfile = fileURLToPath(new URL("../../dist/test/bench.mjs", import.meta.url));
await build({
  entryPoints: [fileURLToPath(new URL("main.ts", import.meta.url))],
  outfile,
  bundle: true,
  format: "esm",
  platform: "node",
  external: ["libsql", "vitest"],
  alias: ALIASES,
  logLevel: "error",
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
});
await import(outfile);
