import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Loader, type Metafile, type Plugin } from "esbuild";
import { STARTS_PROGRAMS } from "../support/starts-programs.ts";
import { GUARDS, isOfSchema } from "./guards/guards.ts";
import { instrument, type Mutant } from "./instrument.ts";

const root = process.cwd();
/** Two runs at a time have a folder each. */
export const OUT = `dist/test/mutation/${process.pid}`;

/** What is changed: the engine, its strategies with their ledgers, the stores, and what people and agents use. */
const CHANGED = new RegExp(
  `^(cli/(actions|commands|host|terminal|command-line)|src/(${[
    "engine",
    "grid/(kind|booking|ladder|plan|state|start|operations)",
    "adapters/(ccxt|streams|libsql/(?!adapter-store|dry-books|sandbox-books))",
    "storage/(client|metrics)",
    "quote|limits|orders|controls|liquidity|notify|report|history|backtest|own",
    "candles|plans|ports|quality|web",
    "transport/mcp",
  ].join("|")}))`,
);
/** Whose tests are asked: those that run in one process, and quickly, and those of the page. */
const REQUEST =
  /^test\/(engine|grid|kinds|quote|limits|orders|controls|control|audit|quality|storage|adapters\/(libsql|vault|ccxt|sandbox|streams)|candles|cli|model|notify|metrics|ports|report|liquidity|week|history|backtest|suggest|own|transport|venues\/stream|web)\/.*\.test\.ts$/;
const OF_PAGE = /^test\/web\//;

const filesOf = (folder: string, expected: RegExp): string[] =>
  (readdirSync(join(root, folder), { recursive: true }) as string[])
    .map((path) => join(folder, path))
    .filter((path) => /(?<!\.d)\.tsx?$/.test(path) && expected.test(path))
    .sort();

export const changedFiles = (): string[] => ["cli", "src"].flatMap((folder) => filesOf(folder, CHANGED));
/** The changes are not in programs that a test starts, except for the page in a browser. */
export const testFiles = (): string[] =>
  filesOf("test", REQUEST).filter(
    (file) => OF_PAGE.test(file) || !STARTS_PROGRAMS.test(readFileSync(join(root, file), "utf8")),
  );

/** What is made with `createRequire` is the head of another program. */
const HERE = /(?<!createRequire\()import\.meta\.url/g;

/** A path that the type checker must not follow. */
const UNTYPED = /const PATH = ("[^"]+");/;

function sourceOf(file: string): string {
  const text = readFileSync(join(root, file), "utf8");
  const [, path] = UNTYPED.exec(text) ?? [];
  return (path ? text.replace("import(PATH)", `import(${path})`) : text).replaceAll(
    HERE,
    JSON.stringify(pathToFileURL(join(root, file)).href),
  );
}

/** Lets each file know where it stood, and puts those in that hold changes. */
const placing = (changed: ReadonlyMap<string, string>): Plugin => ({
  name: "mutants",
  setup({ onLoad }) {
    onLoad({ filter: /\.m?[jt]sx?$/ }, ({ path }) => {
      if (path.includes("node_modules")) return undefined;
      const file = relative(root, path);
      return { contents: changed.get(file) ?? sourceOf(file), loader: loaderOf(path) };
    });
  },
});

const loaderOf = (path: string): Loader => (/x$/.test(path) ? "tsx" : path.endsWith("ts") ? "ts" : "js");

export interface Bundled {
  readonly worker: string;
  /** Loaded before anything that asks which change is on. */
  readonly first: string;
  readonly mutants: readonly Mutant[];
  /** Where each file of tests lies. */
  readonly tests: Readonly<Record<string, string>>;
  /** Of a file of tests, or of the worker: everything that what it finds rests on, as a short text. */
  readonly digestOf: (entry: string) => string;
  /** Whether a file of tests asks parts and operations, and not the whole service. */
  readonly isOfParts: (entry: string) => boolean;
  /** Whether a file of tests, or the worker, rests on one of these files. */
  readonly restsOn: (entry: string, files: ReadonlySet<string>) => boolean;
  /** The page's script, which holds every change. */
  readonly page: string;
}

export const WORKER = "test/mutation/worker.ts";
const PAGE = "src/web/main.tsx";
const BROWSER = "test/mutation/browser.ts";

/** All that an entry imports, and that imports. */
function reachedFrom({ inputs }: Metafile, entry: string): ReadonlySet<string> {
  const reached = new Set([entry]);
  for (const path of reached)
    for (const { path: next, external } of inputs[path]?.imports ?? []) if (!external) reached.add(next);
  return reached;
}

/** A browser's tests rest on the page, too. */
const restOf = (metafile: Metafile, page: Metafile, entry: string): ReadonlySet<string> => {
  const own = reachedFrom(metafile, entry);
  return own.has(BROWSER) ? new Set([...own, ...reachedFrom(page, PAGE)]) : own;
};

/** What each entry rests on, as it is now. */
function digesting(
  rest: (entry: string) => ReadonlySet<string>,
  migrations: string,
): (entry: string) => string {
  const own = new Map<string, string>();
  const digest = (path: string): string => {
    const known = own.get(path) ?? shortHash(readFileSync(join(root, path), "utf8"));
    own.set(path, known);
    return known;
  };
  return (entry) => {
    const all = [...rest(entry)].sort().map((path) => `${path} ${digest(path)}`);
    return shortHash([migrations, ...all].join("\n"));
  };
}

export const shortHash = (text: string): string =>
  createHash("sha256").update(text).digest("hex").slice(0, 12);

const migrationsDigest = (): string =>
  shortHash(
    (readdirSync(join(root, "drizzle")) as string[])
      .filter((name) => name.endsWith(".sql"))
      .map((name) => readFileSync(join(root, "drizzle", name), "utf8"))
      .join("\n"),
  );

/** Every change that is made, each file's own, and the files as they hold them. */
export function changes(): { readonly mutants: readonly Mutant[]; readonly changed: Map<string, string> } {
  const mutants: Mutant[] = [];
  const guards = GUARDS.filter((guard) => !isOfSchema(guard));
  const whole = new Set(changedFiles());
  // In the order of their names: a change has the same number in every build of the same files.
  const files = [...new Set([...whole, ...guards.map(({ file }) => file)])].sort();
  const changed = new Map(
    files.map((file) => {
      const wanted = {
        planted: guards.filter((guard) => guard.file === file),
        hasOperators: whole.has(file),
      };
      return [file, instrument(file, sourceOf(file), mutants, wanted)];
    }),
  );
  return { mutants, changed };
}

/** What all programs that hold changes have in common. */
const OPTIONS = {
  absWorkingDir: root,
  outdir: OUT,
  bundle: true,
  metafile: true,
  format: "esm",
  outExtension: { ".js": ".mjs" },
  platform: "node",
  packages: "external",
  logLevel: "error",
} as const;

const at = (name: string): string => join(root, OUT, `${name}.mjs`);

/** The deeds that guards decide, in a file that can be loaded again and again: each time its statements are new. */
export async function bundleDeeds(): Promise<{ script: string; mutants: readonly Mutant[] }> {
  const { mutants, changed } = changes();
  const entryPoints = { deeds: join(root, "test/mutation/guards/guards.ts") };
  await build({ ...OPTIONS, entryPoints, plugins: [placing(changed)] });
  return { script: at("deeds"), mutants };
}

/** All tests and the simulation in one program, which holds every change. */
export async function bundle(): Promise<Bundled> {
  const { mutants, changed } = changes();
  const page = await build({
    ...OPTIONS,
    plugins: [placing(changed)],
    entryPoints: { page: join(root, PAGE) },
    platform: "browser",
    packages: "bundle",
    loader: { ".css": "empty" },
  });
  const tests = Object.fromEntries(testFiles().map((file, i) => [file, `test-${i}`]));
  const entries = Object.entries(tests).map(([file, name]) => [name, join(root, file)]);
  const { metafile } = await build({
    ...OPTIONS,
    plugins: [placing(changed)],
    entryPoints: {
      ...Object.fromEntries(entries),
      switch: join(root, "test/mutation/switch.ts"),
      worker: join(root, WORKER),
    },
    splitting: true,
    alias: {
      vitest: join(root, "test/mutation/tests.ts"),
      "playwright-core": join(root, BROWSER),
    },
  });
  const rest = (entry: string) => restOf(metafile, page.metafile, entry);
  return {
    worker: at("worker"),
    first: at("switch"),
    mutants,
    tests: Object.fromEntries(Object.entries(tests).map(([file, name]) => [file, at(name)])),
    digestOf: digesting(rest, migrationsDigest()),
    isOfParts: (entry) => !rest(entry).has("src/app.ts") && !rest(entry).has(BROWSER),
    restsOn: (entry, files) => [...rest(entry)].some((path) => files.has(path)),
    page: at("page"),
  };
}
