import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { messageOf } from "../../src/kernel/errors.ts";
import type { Operation } from "../../src/operation.ts";
import { nameFault } from "../../src/own/define.ts";
import { versionOf } from "../../src/own/state.ts";
import type { AnyStrategyDefinition } from "../../src/ports/definition.ts";
import { packageFolder } from "../host/directories.ts";
import { loadStrategy, strategiesIn, strategyFiles } from "../host/own-strategies.ts";
import { readSettings, wholeFlag } from "../host/settings.ts";
import { type SimulationResult, simulateStrategy } from "../host/simulation.ts";
import { workerDocuments, workerStrategies } from "../host/worker-strategies.ts";
import { UsageError, type Values } from "../terminal/arguments.ts";
import { inputOf } from "../terminal/fields.ts";
import { print } from "../terminal/output.ts";
import { fail, misreadOf } from "../terminal/refused.ts";
import { migrateDatabase } from "./database.ts";

/** The program of a Worker, which the package has and a checkout lacks. */
const workerProgram = (): string => join(packageFolder(), "dist/worker-program");

/** Settings of TypeScript for the whole project. */
const TYPE_SETTINGS = "tsconfig.json";

/**
 * Writes a starter and its test into the folder of strategies, and the settings of TypeScript if there are none.
 * Throws UsageError rather than replace a file.
 */
export async function writeStrategy(values: Values): Promise<number> {
  const name = String(values.name ?? "");
  if (name === "") throw new UsageError("name the strategy, for example: edgemaker strategy new my-strategy");
  const fault = nameFault(name);
  if (fault !== undefined) throw new UsageError(`${name} is not a name for a strategy: ${fault}`);
  const folder = readSettings(values, process.env).config.strategies;
  const texts = { [`${name}.ts`]: starterText(name), [`${name}.test.ts`]: starterTest(name) };
  const files = Object.keys(texts).map((file) => join(folder, file));
  const existing = files.find((file) => existsSync(file));
  if (existing) throw new UsageError(`${existing} exists already; choose another name`);
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of Object.entries(texts)) writeFileSync(join(folder, file), text, { flag: "wx" });
  const isNew = !existsSync(TYPE_SETTINGS);
  if (isNew) writeFileSync(TYPE_SETTINGS, settingsText);
  const isFirst = !existsSync(FOR_AGENTS);
  if (isFirst) writeFileSync(FOR_AGENTS, agentsText);
  const market = "--exchange kraken --symbol BTC/USDT --spread-percent 1 --size 100";
  return print(values, {
    strategy: files[0],
    test: files[1],
    ...(isNew ? { settings: TYPE_SETTINGS } : {}),
    ...(isFirst ? { "for agents": FOR_AGENTS } : {}),
    "to check": "edgemaker strategy check",
    // A checkout's own settings find no test in this folder.
    ...(existsSync(workerProgram())
      ? { "to run its test": "npm install --save-dev vitest typescript, then npx tsc and npx vitest run" }
      : {}),
    "to test": `edgemaker strategy test ${name} --spread-percent 1 --size 100`,
    "to start": `edgemaker strategy start ${name} ${market} --sandbox`,
  });
}

const COMPILER_OPTIONS = {
  target: "ES2022",
  module: "ESNext",
  moduleResolution: "Bundler",
  strict: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
};

const settingsText = `${JSON.stringify({ compilerOptions: { ...COMPILER_OPTIONS, noEmit: true } }, null, 2)}\n`;

/** What a coding agent reads first in a project. */
const FOR_AGENTS = "AGENTS.md";

const agentsText = `# Strategies for edgemaker

Each file in this folder's strategies exports one \`defineStrategy({ … })\` of the package \`edgemaker\`. Its function \`orders\` returns
the orders that should be open; edgemaker places and cancels the rest.

- The function is pure: no network, no clock, no randomness, no \`await\`. Prices, time, position and state are its argument.
- Money is \`Money\`, never a number with a fraction: \`price.times(1.01)\`.
- Give each order an id that stays the same from call to call.
- Import only \`edgemaker\` and files beside it. Tests import \`edgemaker/testing\`: \`backtest\` and \`simulate\`.
- After each change: \`npx edgemaker strategy check\`, then \`npx edgemaker strategy test <name>\`, which adds crashes and lost responses.
- Try it with \`--sandbox\` or \`--dry-run\`. Never start it on a live exchange unless the user asks for that.

The guide: \`node_modules/edgemaker/docs/strategies.md\`. Examples: \`node_modules/edgemaker/examples\`.
`;

const starterText = (name: string): string => `import { defineStrategy, z } from "edgemaker";

/** Quotes both sides of the middle of the market. */
export default defineStrategy({
  name: "${name}",
  summary: "Quote both sides of a market",
  config: z.object({
    spreadPercent: z.number().gt(0).lt(100).describe("Spread between bid and ask, in percent"),
    size: z.number().gt(0).describe("Quote per order"),
  }),
  orders({ config, quote }) {
    const half = config.spreadPercent / 200;
    return [
      { id: "bid", side: "buy", price: quote.mid.times(1 - half), quoteSize: config.size },
      { id: "ask", side: "sell", price: quote.mid.times(1 + half), quoteSize: config.size },
    ];
  },
});
`;

const starterTest = (name: string): string => `import { backtest, simulate } from "edgemaker/testing";
import { expect, it } from "vitest";
import strategy from "./${name}.ts";

it("buys below the market and sells above it", () => {
  const { fills, error } = backtest(strategy, {
    config: { spreadPercent: 1, size: 100 },
    prices: [60_000, 60_000, 59_600, 60_000, 60_400, 60_400],
    base: 1,
    quote: 10_000,
    tickInterval: 60_000,
  });
  expect(error).toBeNull();
  expect(fills.map(({ side, price }) => \`\${side} \${price}\`)).toEqual(["buy 59700", "sell 60300"]);
});

it("survives crashes, lost responses and failed reads", { timeout: 60_000 }, async () => {
  const { problems, fills } = await simulate(strategy, { config: { spreadPercent: 0.4, size: 100 } });
  expect(problems).toEqual([]);
  expect(fills).toBeGreaterThan(0);
});
`;

/** Loads every strategy, and runs the type checker of the current folder if there is one. */
export async function checkStrategies(values: Values): Promise<number> {
  const folder = readSettings(values, process.env).config.strategies;
  const { definitions, failures } = strategiesIn(folder);
  const types = checkTypes(folder);
  const mistakes = [...failures.map(({ message }) => message), ...(types ?? [])];
  print(values, {
    strategies: definitions.map((definition) => ({
      name: definition.name,
      version: versionOf(definition),
      source: definition.source ?? null,
    })),
    count: definitions.length,
    types:
      types === undefined ? "not checked; to check them, run `npm install --save-dev typescript`" : "checked",
    ...(mistakes.length > 0 ? { mistakes } : {}),
  });
  return mistakes.length > 0 ? 1 : 0;
}

/** Returns type errors of the files, with file and line; undefined if no type checker is installed. */
function checkTypes(folder: string): readonly string[] | undefined {
  const files = strategyFiles(folder);
  const compiler = compilerHere();
  if (files.length === 0 || compiler === undefined) return undefined;
  const work = mkdtempSync(join(tmpdir(), "edgemaker-check-"));
  try {
    const mistakes = typeErrors(compiler, work, files);
    return [...mistakes, ...comparedMoney(compiler, { work, folder, files })];
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function typeErrors(
  compiler: string,
  work: string,
  files: readonly string[],
  options: Readonly<Record<string, unknown>> = {},
): readonly string[] {
  const own = resolve("tsconfig.json");
  const settings = {
    ...(existsSync(own) ? { extends: own } : {}),
    compilerOptions: { ...(existsSync(own) ? {} : COMPILER_OPTIONS), noEmit: true, types: [], ...options },
    files: files.map((file) => resolve(file)),
    include: [],
    exclude: [],
  };
  const config = join(work, "tsconfig.json");
  writeFileSync(config, JSON.stringify(settings));
  const { stdout, status } = spawnSync(process.execPath, [compiler, "--pretty", "false", "-p", config], {
    encoding: "utf8",
  });
  return status === 0
    ? []
    : stdout
        .trim()
        .split(/\n(?=\S)/)
        .map(briefly);
}

interface CheckedFolder {
  readonly work: string;
  readonly folder: string;
  readonly files: readonly string[];
}

/** A comparison between spaces, which no type has. */
const COMPARISON = /(?<=\s)[<>]=?(?=\s)/g;
const SUM_OF_MONEY = /^(?:.*\/)?copy\/(.+\(\d+,\d+\)): error TS2365: Operator '\+' .*\bMoney\b/;

/**
 * Returns where amounts of money are compared with operators. TypeScript lets two objects be compared, but not added: it
 * checks a copy that adds instead.
 */
function comparedMoney(compiler: string, { work, folder, files }: CheckedFolder): readonly string[] {
  const original = resolve(folder, "..");
  const copyOf = (file: string) => join(work, "copy", relative(original, file));
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const file = join(folder, name);
    if (!name.endsWith(".ts") || name.includes("node_modules")) continue;
    mkdirSync(dirname(copyOf(file)), { recursive: true });
    const text = readFileSync(file, "utf8");
    writeFileSync(
      copyOf(file),
      text.replace(COMPARISON, (operator) => "+".padEnd(operator.length)),
    );
  }
  symlinkSync(dirname(dirname(dirname(compiler))), join(work, "node_modules"), "junction");
  const rootDirs = [join(work, "copy"), original];
  return typeErrors(compiler, work, files.map(copyOf), { rootDirs }).flatMap((mistake) => {
    const [, place = ""] = SUM_OF_MONEY.exec(mistake) ?? [];
    if (place === "") return [];
    return `${relative(process.cwd(), join(original, place))}: error: operators do not work on Money: compare with isLess and isMore`;
  });
}

/** The first line, which names the place, and the last one, which names the cause. */
function briefly(mistake: string): string {
  const [first = "", ...more] = mistake.split("\n").map((line) => line.trim());
  return [first, ...more.slice(-1)].join(" ");
}

function compilerHere(): string | undefined {
  try {
    const manifest = createRequire(resolve("package.json")).resolve("typescript/package.json");
    return join(manifest, "../bin/tsc");
  } catch {
    return undefined;
  }
}

/** What is uploaded; written anew for each deployment. */
const TARGET = ".edgemaker";
const WORKER_SETTINGS = "wrangler.toml";
/** Lines of a new .gitignore: `.dev.vars` has secrets, the others are written anew. */
const IGNORED = [".dev.vars", `${TARGET}/`, ".wrangler/", "node_modules/", ""];

/** Builds a Worker with the strategies of this folder, migrates its database, and deploys it with wrangler. */
export async function deployWorker(values: Values): Promise<number> {
  const program = workerProgram();
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
    strategies: names,
    settings: isNew ? `${WORKER_SETTINGS} (new: check it)` : WORKER_SETTINGS,
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

/** Runs a strategy through the sandbox with crashes and lost responses. Returns exit code 1 if something broke. */
export async function testStrategy(
  operation: Operation,
  definition: AnyStrategyDefinition,
  values: Values,
): Promise<number> {
  const given = inputOf(operation, values);
  const misread = misreadOf(operation, given);
  if (misread) return fail(misread, { operation, values });
  const { exchange, symbol, baseBudget, quoteBudget, ...config } = given as SimulatedFields;
  const { data } = values;
  // A simulation restarts its code, and calls it at once.
  const { ask: _, ...here } = definition;
  const result = await simulateStrategy(
    here,
    {
      exchange,
      symbol,
      config,
      base: baseBudget,
      quote: quoteBudget,
      passes: wholeFlag(values, "passes", { default: undefined, min: 1, max: 100_000 }),
      seed: wholeFlag(values, "seed", { default: undefined, max: 2 ** 32 - 1 }),
      ...(data === undefined ? {} : { prices: readPriceFile(String(data)) }),
    } as Parameters<typeof simulateStrategy>[1],
    reloadOf(definition),
  );
  print(values, values.json ? { strategy: definition.name, ...result } : resultView(definition.name, result));
  return result.problems.length > 0 ? 1 : 0;
}

interface SimulatedFields extends Readonly<Record<string, unknown>> {
  readonly exchange?: string;
  readonly symbol?: string;
  readonly baseBudget?: string;
  readonly quoteBudget?: string;
}

function readPriceFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`--data ${file} cannot be read: ${messageOf(error)}`);
  }
}

/** Returns how a restarted process loads the same file: with new variables. */
function reloadOf({ name }: AnyStrategyDefinition): () => AnyStrategyDefinition {
  const { strategies } = readSettings({}, process.env).config;
  const file = strategyFiles(strategies).find((path) => loadStrategy(path).name === name);
  if (file === undefined) throw new Error(`the file of ${name} is gone`);
  return () => loadStrategy(file);
}

function resultView(strategy: string, result: SimulationResult) {
  const { passes, restarts, lostResponses, failedReads, orders, fills, refused, problems } = result;
  return {
    strategy,
    passes,
    restarts,
    "lost responses": lostResponses,
    "failed reads": failedReads,
    orders,
    fills,
    ...(refused.length > 0 ? { "refused at the end": refused.join("; ") } : {}),
    ...(problems.length > 0 ? { error: problems.join(". ") } : { result: verdict(result) }),
  };
}

const verdict = ({ orders }: SimulationResult): string =>
  orders === 0
    ? "it placed no orders, so this tested little"
    : "nothing broke: each order was placed once, and its books equal the account";
