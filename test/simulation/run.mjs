// Bundles the simulation and runs it: node test/simulation/run.mjs …
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const outfile = fileURLToPath(new URL("../../dist/test/simulation.mjs", import.meta.url));
await build({
  entryPoints: [fileURLToPath(new URL("main.ts", import.meta.url))],
  outfile,
  bundle: true,
  format: "esm",
  platform: "node",
  external: ["libsql", "esbuild"],
  logLevel: "error",
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
});
await import(outfile);
