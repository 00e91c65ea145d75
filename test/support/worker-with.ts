import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll } from "vitest";
import { wrangler } from "../../cli/build/worker-bundle.mjs";
import { workerStrategies } from "../../cli/host/worker-strategies.ts";
import { root } from "./bundle.ts";
import { workerBundle } from "./worker.ts";

const built = join(root, `dist/strategies-${process.pid}`);
afterAll(() => rmSync(built, { recursive: true, force: true }));

/** The Worker with a folder's strategies, built as `wrangler deploy` builds it, beside the one of this checkout. */
export async function workerWith(folder: string): Promise<string> {
  // Makes the files that wrangler.toml names.
  await workerBundle();
  mkdirSync(built, { recursive: true });
  writeFileSync(join(built, "strategies.mjs"), workerStrategies(folder).source);
  const config = readFileSync(join(root, "wrangler.toml"), "utf8")
    .replace("./dist/strategies.mjs", "./strategies.mjs")
    .replace(/^command = .*$/m, "")
    .replaceAll('"./cli/', '"../../cli/')
    .replaceAll('"./src/', '"../../src/')
    .replaceAll('"src/', '"../../src/')
    .replaceAll('"dist/', '"../../dist/');
  writeFileSync(join(built, "wrangler.toml"), config);
  await wrangler(
    "deploy",
    "--dry-run",
    "--config",
    join(built, "wrangler.toml"),
    "--outdir",
    join(built, "out"),
  );
  return join(built, "out/worker.js");
}
