// What is deployed to Workers: the bundle, and the files that the platform serves itself.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { writeDocuments } from "./documents.mjs";
import { buildPage } from "./page.mjs";
import { copySwaggerUi } from "./swagger-ui.mjs";
import { workerCode } from "./worker-code.mjs";

const root = packageFolder();
/** The file that wrangler uploads. */
export const bundle = join(root, "dist/worker/worker.js");

/** The folder of wrangler.toml, from this file or from a bundle that holds it. */
function packageFolder() {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "wrangler.toml"))) {
    if (dirname(folder) === folder) throw new Error("wrangler.toml is not found");
    folder = dirname(folder);
  }
  return folder;
}

/** Nothing is told to anybody, and no newer version is asked for. */
export const quiet = { WRANGLER_SEND_METRICS: "false", WRANGLER_HIDE_BANNER: "true" };

/** Runs wrangler in the package's folder; what it prints is the answer. */
export const wrangler = (...args) =>
  promisify(execFile)(process.execPath, [join(root, "node_modules/wrangler/bin/wrangler.js"), ...args], {
    cwd: root,
    env: { ...process.env, ...quiet },
    maxBuffer: 1 << 26,
  });

/** Writes what wrangler.toml names: the bundle, made beside and renamed, so that it is never half there, and the platform's files. */
export async function buildWorker() {
  const [code] = await Promise.all([
    workerCode(root, join(root, `dist/worker-parts-${process.pid}`)),
    layOutAssets(),
  ]);
  mkdirSync(dirname(bundle), { recursive: true });
  writeFileSync(`${bundle}-${process.pid}`, code);
  renameSync(`${bundle}-${process.pid}`, bundle);
  return bundle;
}

async function layOutAssets() {
  mkdirSync(join(root, "dist/assets"), { recursive: true });
  copySwaggerUi(join(root, "dist/assets/static/swagger-ui-dist"));
  await buildPage(root, join(root, "dist/assets/static/page"));
  await writeDocuments(root, join(root, "dist/assets"), "edge");
  const rules = [
    "/static/*\n  X-Content-Type-Options: nosniff",
    "/static/swagger-ui-dist/*\n  Cache-Control: public, max-age=86400",
    "/static/page/*\n  Cache-Control: no-cache",
  ];
  writeFileSync(join(root, "dist/assets/_headers"), `${rules.join("\n")}\n`);
}

/** KiB of what is uploaded, compressed as the platform counts it. */
export const bundleKibibytes = () => gzipSync(readFileSync(bundle)).length / 1024;
