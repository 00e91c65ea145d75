import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { packageFolder } from "../../host/locations.ts";
import { readSettings } from "../../host/settings.ts";
import { workerDocuments, workerStrategies } from "../../host/worker-documents.ts";
import type { Values } from "../../terminal/arguments.ts";
import { print } from "../../terminal/output.ts";
import { UsageError } from "../../terminal/usage-error.ts";
import { migrateDatabase } from "../database/migrate.ts";

/** What is uploaded; written anew for each deployment. */
const TARGET = ".edgemaker";
const WORKER_SETTINGS = "wrangler.toml";
/** Lines of a new .gitignore: `.dev.vars` has secrets, the others are written anew. */
const IGNORED = [".dev.vars", `${TARGET}/`, ".wrangler/", "node_modules/", ""];

/** Builds a Worker with the strategies of this folder, migrates its database, and deploys it with wrangler. */
export async function deployWorker(values: Values): Promise<number> {
  const program = join(packageFolder(), "dist/worker-program");
  if (!existsSync(program))
    throw new UsageError("this is edgemaker's own checkout; deploy from it with `npm run deploy`");
  const wrangler = wranglerHere();
  const { strategies } = readSettings({}, process.env).config;
  const names = await writeWorker(program, strategies);
  const isNew = !existsSync(WORKER_SETTINGS);
  if (isNew) cpSync(join(program, WORKER_SETTINGS), WORKER_SETTINGS);
  if (!existsSync(".gitignore")) writeFileSync(".gitignore", IGNORED.join("\n"));
  const out = join(TARGET, "out");
  runWrangler(wrangler, "deploy", "--dry-run", "--outdir", out);
  const kibibytes = Math.ceil(gzipSync(readFileSync(join(out, "worker.js"))).length / 1024);
  const built = {
    ...{ strategies: names, settings: isNew ? `${WORKER_SETTINGS} (new: check it)` : WORKER_SETTINGS },
    size: `${kibibytes} KiB compressed`,
  };
  if (values.dry) return print(values, { ...built, deployed: false });
  const url = process.env.EDGEMAKER_DATABASE_URL;
  if (!url)
    throw new UsageError("EDGEMAKER_DATABASE_URL is not set; a deployment migrates that database first");
  const code = await migrateDatabase({ ...values, url });
  if (code !== 0) return code;
  runWrangler(wrangler, "deploy");
  return print(values, { ...built, deployed: true });
}

/** Writes program, strategies and served files. Returns the names of the strategies. */
async function writeWorker(program: string, folder: string): Promise<readonly string[]> {
  const { definitions, source } = workerStrategies(folder);
  rmSync(TARGET, { recursive: true, force: true });
  const assets = join(TARGET, "assets");
  for (const [name, text] of Object.entries(await workerDocuments(definitions))) {
    mkdirSync(dirname(join(assets, name)), { recursive: true });
    writeFileSync(join(assets, name), text);
  }
  writeFileSync(join(TARGET, "strategies.mjs"), source);
  cpSync(join(program, "worker.js"), join(TARGET, "worker.js"));
  cpSync(join(program, "_headers"), join(assets, "_headers"));
  const built = dirname(fileURLToPath(import.meta.url));
  cpSync(join(built, "page"), join(assets, "static/page"), { recursive: true });
  cpSync(join(built, "swagger-ui"), join(assets, "static/swagger-ui-dist"), { recursive: true });
  return definitions.map(({ name }) => name);
}

function wranglerHere(): string {
  try {
    const manifest = createRequire(resolve("package.json")).resolve("wrangler/package.json");
    return join(dirname(manifest), "bin/wrangler.js");
  } catch {
    throw new UsageError("wrangler is not installed here; run `npm install --save-dev wrangler`");
  }
}

function runWrangler(wrangler: string, ...args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, [wrangler, ...args], {
    encoding: "utf8",
    env: { ...process.env, WRANGLER_SEND_METRICS: "false", WRANGLER_HIDE_BANNER: "true" },
  });
  if (status !== 0) throw new Error(`wrangler ${args[0]} failed:\n${stdout}${stderr}`);
}
