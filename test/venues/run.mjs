// Bundles the grids on emulated exchanges and runs them: node test/venues/run.mjs [--ticks N] [--seed N] [exchange …]
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { ALIASES } from "../../cli/build/aliases.mjs";

const outfile = fileURLToPath(new URL("../../dist/test/soak.mjs", import.meta.url));
await build({
  entryPoints: [fileURLToPath(new URL("soak.ts", import.meta.url))],
  outfile,
  bundle: true,
  format: "esm",
  platform: "node",
  external: ["libsql", "vitest", "esbuild"],
  alias: ALIASES,
  logLevel: "error",
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
});
await import(outfile);
