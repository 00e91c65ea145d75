// ccxt's classes without the methods and endpoints that nothing of ours reaches: a third of their weight remains.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { ALIASES, CODERS, HASHES, UNREACHED } from "./aliases.mjs";
import {
  withNamedHelpers,
  withoutAssigned,
  withoutAssignments,
  withoutEntries,
  wordsIn,
} from "./ccxt-parts.mjs";

/** Where our exchanges say which of ccxt's classes they are. */
const EXCHANGES = "src/adapters/ccxt/exchanges";
/** What ccxt has written, and a source of it in its folder of them. */
const CCXT = /[\\/]ccxt[\\/]js[\\/]/;
const FILE = /ccxt[\\/]js[\\/]src[\\/]((?:base[\\/])?\w+\.js)$/;

/** First and last line of a method: a compiler has written these files, each method at the same depth. */
const METHOD = /^ {4}(?:static )?(?:async )?([\w$]+)\(.*\) \{$/;
const METHOD_END = "    }";
/** What a class tells of itself: the beginning and the end of a part, of one within it, and an entry. */
const PART = /^ {12}'(api|has|exceptions)': \{$/;
const PART_END = /^ {12}\},?$/;
const WITHIN = /^\s+'([^']+)': \{$/;
const WITHIN_END = /^\s+\},?$/;
const ENTRY = /^\s+'((?:[^'\\]|\\.)+)': (?:\{.*\}|[^{[]*),(?:\s*\/\/.*)?$/;

/**
 * Parts of that, and of its options, for what we never do: moving money, and telling others what a class can do. What a tier pays is
 * asked of the exchange. */
const DROPPED = /^( {12}'features'| {16}'(?:networks|depositMethods|withdrawMethods)'| {16,20}'tiers'): \{$/;

/** Behind parameters and options that we never give: pages read by ccxt itself, markets that are not spot, other exchanges' transports. */
export const NEVER_ASKED = new Set([
  ...["fetchPaginatedCallDynamic", "fetchPaginatedCallDeterministic", "fetchPaginatedCallCursor"],
  ...["fetchPaginatedCallIncremental", "fetchCurrencies", "fetchTickers", "fetchTradingFees"],
  ...["fetchSwapMarkets", "fetchFutureMarkets", "fetchOptionMarkets", "fetchUtaMarkets", "fetchOptionOHLCV"],
  ...["createExpiredOptionMarket", "createSwapOrder", "fetchUtaCanceledAndClosedOrders"],
  ...["undiciRequest", "setFetchProxyOptions", "featuresMapper", "convertTradingViewToOHLCV"],
  // Ours stand for them: client/asking.ts, client/light.ts.
  ...["request", "fetch2", "fetch", "throttle", "afterConstruct"],
]);

/** Signatures and messages of other exchanges, and of other kinds of markets, as the classes import them. */
const ELSEWHERE =
  /^@scure\/starknet$|^@noble\/curves\/(secp256k1|nist)\.js$|\/functions\/(starknet|ethabi)\.js$|^\.\/msgpack\.js$|\/(zklink|dydx-v4-client|protobuf\/mexc)\//;

/** What a platform has built in, as the classes import it. */
const BUILT_IN = [
  { filter: /^@noble\/(hashes\/(sha2|hmac|utils)|curves\/utils)\.js$/, path: HASHES },
  { filter: /^@scure\/base$/, path: CODERS },
];

/** The package's folder, from this file or from a bundle that holds it. */
function sourceFolder() {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!readdirSync(folder).includes("wrangler.toml")) {
    if (dirname(folder) === folder) throw new Error("the sources are not found");
    folder = dirname(folder);
  }
  return folder;
}

function read() {
  const root = sourceFolder();
  const names = ["base/Exchange.js", ...classesIn(root).map((name) => `${name}.js`)];
  const files = new Map(
    names.map((name) => [name, parted(readFileSync(join(root, "node_modules/ccxt/js/src", name), "utf8"))]),
  );
  const ours = textsIn(join(root, "src/adapters/ccxt"));
  const reached = reachedIn([...files.values()], ours);
  return { files, reached, words: wordsOf([...files.values()], reached, ours) };
}

/** Of what is reached: a name that is none of them is asked by nobody. */
function wordsOf(files, reached, ours) {
  const methods = files.flatMap((file) => file.methods).filter(({ name }) => reached.has(name));
  const codeOf = { describe: (text) => ownIn(text).join("\n"), constructor: withoutAssignments };
  const code = methods.map(({ name, text }) => (Object.hasOwn(codeOf, name) ? codeOf[name](text) : text));
  return wordsIn([...ours, ...code].flatMap((text) => text.split("\n")));
}

function parted(text) {
  const lines = text.split("\n");
  const methods = lines.flatMap((line, from) => {
    const name = METHOD.exec(line)?.[1];
    if (name === undefined) return [];
    const to = lines.indexOf(METHOD_END, from);
    return [{ name, from, to, text: lines.slice(from, to + 1).join("\n") }];
  });
  return { lines, methods };
}

const textsIn = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath ?? entry.path, entry.name), "utf8"));

/** ccxt's classes that these sources load, by name. */
const classesOf = (texts) =>
  [...new Set(texts.flatMap((text) => asked(text, /ccxt\/js\/src\/(\w+)\.js/g)))].sort();

const classesIn = (root) => classesOf(textsIn(join(root, EXCHANGES)));

const asked = (text, form) => [...text.matchAll(form)].map(([, name]) => name);
const callsIn = (text) => asked(text, /\.([\w$]+)(?:\?\.)?\(/g);
const ownIn = (text) => asked(text, /(?:this|super)\.([\w$]+)/g);
/** A method that reads page after page is told by name what reads one. */
const pagesIn = (text) => asked(text, /fetchPaginatedCall\w+\('(\w+)'/g);

/** What our adapter's code calls, what the methods of those names mention of their own, and so on. */
function reachedIn(files, ours) {
  const reached = new Set(["constructor", ...ours.flatMap(callsIn).filter((name) => !NEVER_ASKED.has(name))]);
  const methods = files.flatMap((file) => file.methods);
  for (const name of reached) {
    // There an exchange tells which methods it has.
    if (name === "describe") continue;
    for (const { text } of methods.filter((one) => one.name === name))
      for (const other of [...ownIn(text), ...pagesIn(text)]) if (!NEVER_ASKED.has(other)) reached.add(other);
  }
  return reached;
}

function slimmed({ lines, methods }, { reached, words }) {
  const kept = [...lines];
  for (const { name, from, to } of methods) if (!reached.has(name)) kept.fill("", from, to + 1);
  for (const [from, line] of lines.entries())
    if (DROPPED.test(line)) {
      const ends = ["}", "},"].map((end) => /^ */.exec(line)[0] + end);
      kept.fill("", from, from + lines.slice(from).findIndex((one) => ends.includes(one)) + 1);
    }
  const isKept = {
    api: (path, within) => reached.has(endpointOf([...within, ...path.split(/[^a-zA-Z0-9]/)])),
    has: (name) =>
      reached.has(name) ||
      !/^(add|borrow|cancel|close|create|edit|fetch|repay|set|watch|withdraw)/.test(name),
    // Refusals are ours to read, before ccxt sees them.
    exceptions: () => false,
  };
  let part;
  let within = [];
  for (const [at, line] of lines.entries()) {
    const entry = ENTRY.exec(line)?.[1];
    if (part === undefined) part = PART.exec(line)?.[1];
    else if (PART_END.test(line)) part = undefined;
    else if (WITHIN.test(line)) within.push(WITHIN.exec(line)[1]);
    else if (WITHIN_END.test(line)) within = within.slice(0, -1);
    else if (entry !== undefined && !isKept[part](entry, within)) kept[at] = "";
  }
  for (const method of methods) {
    if (method.name === "describe") withoutEntries(kept, method, words);
    if (method.name === "constructor") withoutAssigned(kept, method, words);
  }
  const text = kept.join("\n");
  return text.includes("class BaseExchange") ? withNamedHelpers(text) : text;
}

/** ccxt's name of an endpoint, from the words of its place and its path. */
const endpointOf = ([first, ...others]) =>
  first + others.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");

/** For esbuild. */
export const SLIM_CCXT = {
  name: "slim-ccxt",
  setup({ onLoad, onResolve }) {
    let made;
    onResolve({ filter: ELSEWHERE }, () => ({ path: UNREACHED, sideEffects: false }));
    for (const { filter, path } of BUILT_IN)
      onResolve({ filter }, ({ importer }) =>
        CCXT.test(importer) ? { path, sideEffects: false } : undefined,
      );
    onLoad({ filter: FILE }, ({ path }) => {
      made ??= read();
      const file = made.files.get(FILE.exec(path)[1].replaceAll("\\", "/"));
      return file && { contents: slimmed(file, made), loader: "js" };
    });
  },
};

/** Writes each class as a module into a folder. */
export async function writeSlimClasses(outdir) {
  const root = sourceFolder();
  await build({
    absWorkingDir: root,
    entryPoints: classesIn(root).map((name) => `node_modules/ccxt/js/src/${name}.js`),
    outdir,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    target: "es2022",
    minifySyntax: true,
    legalComments: "none",
    logLevel: "error",
    external: ["node:*"],
    alias: ALIASES,
    plugins: [SLIM_CCXT],
  });
}
