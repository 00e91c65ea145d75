import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { ALIASES } from "../../cli/build/aliases.mjs";

export const root = fileURLToPath(new URL("../../", import.meta.url));

/** Bundles a script of test/support, so that it runs in a process of its own; in the package, where its imports are found. */
export async function bundleScript(name: string): Promise<string> {
  const outfile = join(root, `dist/test/${name}-${process.pid}.mjs`);
  await build({
    entryPoints: [join(root, "test/support", `${name}.ts`)],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    external: ["libsql"],
    alias: ALIASES,
    logLevel: "error",
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  });
  return outfile;
}

export const runNode = promisify(execFile);
