// Bundles the run of changed fields and starts it: node test/drift/run.mjs [--edition kraken] [--only balance] [--part 1/2]
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { ALIASES } from "../../cli/build/aliases.mjs";

const outfile = fileURLToPath(new URL("../../dist/test/drift.mjs", import.meta.url));
await build({
  entryPoints: [fileURLToPath(new URL("main.ts", import.meta.url))],
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
if (!process.argv.includes("--bundle")) await import(outfile);
