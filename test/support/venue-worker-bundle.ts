import { join } from "node:path";
import { build } from "esbuild";
import { ALIASES } from "../../cli/build/aliases.mjs";
import { root } from "./bundle.ts";

/** The adapter as a worker of its own, bundled as the product's worker is. */
export async function bundleWorkerScript(): Promise<string> {
  const outfile = join(root, `dist/test/venue-worker-${process.pid}.mjs`);
  await build({
    entryPoints: [join(root, "test/support/venue-worker.ts")],
    outfile,
    bundle: true,
    format: "esm",
    platform: "neutral",
    // As wrangler sets them.
    mainFields: ["browser", "module", "main"],
    conditions: ["workerd", "worker", "browser"],
    external: ["node:*"],
    alias: ALIASES,
    logLevel: "error",
  });
  return outfile;
}
