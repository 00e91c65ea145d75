// Bundles a script of the tests and runs it in this process.
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { ALIASES } from "../../cli/build/aliases.mjs";
import { PACKAGE_ALIASES } from "./package-alias.ts";

/** `apart` are packages that are not bundled, because they would load before what they need. */
export async function runScript(entry, name, apart = []) {
  const outfile = fileURLToPath(new URL(`../../dist/test/${name}.mjs`, import.meta.url));
  await build({
    entryPoints: [fileURLToPath(entry)],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    external: ["libsql", "vite", "vitest", "esbuild", "miniflare", "wrangler", "playwright-core", ...apart],
    alias: { ...ALIASES, ...PACKAGE_ALIASES },
    logLevel: "error",
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  });
  await import(outfile);
}
