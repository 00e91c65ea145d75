// Builds the Worker as `wrangler deploy` uploads it.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";

/** The package, from this folder or from the folder of built tests. */
export const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = join(root, "dist/worker");
export const bundle = join(folder, "worker.js");

/** Runs wrangler in the package without telemetry; resolves to its output. */
export const wrangler = (...args) =>
  promisify(execFile)(process.execPath, [join(root, "node_modules/wrangler/bin/wrangler.js"), ...args], {
    cwd: root,
    env: { ...process.env, WRANGLER_SEND_METRICS: "false", WRANGLER_HIDE_BANNER: "true" },
    maxBuffer: 1 << 26,
  });

export const buildWorker = () => wrangler("deploy", "--dry-run", "--outdir", folder);

/** Size of the gzipped bundle in KiB, as Cloudflare counts it. */
export const bundleKibibytes = () => gzipSync(readFileSync(bundle)).length / 1024;
