// The bundle in parts: what every command loads is one file, and what few do are others, read when they are first asked for.
import { transform } from "esbuild";

/** A part of which less than this is in no file of its own: to open one takes longer than to read over it. */
const SMALL = 24_000;
const FROM_PART = /^import(?:\{([^}]*)\}from)?"\.\/([^"]+)\.js";/;
const EXPORTS = /export\{([^}]*)\};\s*$/;

/**
 * Texts of files by their names, of what esbuild has split; the first has what the entry and the usual sources need. A file
 * is an object of functions, each of which makes one part and returns what others take of it (`load` of code-cache.cjs).
 * What it is given has names that none of ours has.
 * Names are taken once, when a part is made: they cost what names of the part itself do, and may not change later.
 */
export async function partFiles({ outputFiles, metafile }, entry, usual) {
  const chunks = new Map(outputFiles.map(({ path, text }) => [nameOf(path), text]));
  const made = Object.entries(metafile.outputs).map(([path, one]) => ({ ...one, name: nameOf(path) }));
  const links = new Map(made.map(({ name, imports }) => [name, imports]));
  const needed = made.filter(({ entryPoint }) => usual.includes(entryPoint)).map(({ name }) => name);
  const first = closureOf([entry, ...needed], links);
  const files = { [entry]: "" };
  for (const [name, text] of chunks) {
    const isFirst = first.has(name) || text.length < SMALL;
    const file = isFirst ? entry : name;
    files[file] = `${files[file] ?? ""}${JSON.stringify(name)}:${await asFunction(text, links.get(name))},\n`;
  }
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [name, `({${text}})`]));
}

const nameOf = (path) => /([^/\\]+)\.js$/.exec(path)[1];

function closureOf(entries, links) {
  const found = new Set(entries);
  for (const name of found)
    for (const { path, kind, external } of links.get(name))
      if (kind === "import-statement" && !external) found.add(nameOf(path));
  return found;
}

/** esbuild writes what a chunk takes of others before, and what it gives them after, all of its own. */
async function asFunction(text, imports) {
  const taken = [];
  let rest = text;
  for (let found = FROM_PART.exec(rest); found; found = FROM_PART.exec(rest)) {
    taken.push(`${found[1] ? `var{${pairs(found[1], ":")}}=` : ""}__load("${found[2]}");`);
    rest = rest.slice(found[0].length);
  }
  const given = EXPORTS.exec(rest)?.[1] ?? "";
  rest = rest.replace(EXPORTS, "");
  for (const { path, kind, external } of imports)
    if (kind === "dynamic-import" && !external)
      rest = rest.replaceAll(`import("./${nameOf(path)}.js")`, `__later("${nameOf(path)}")`);
  const { code } = await transform(rest, {
    format: "cjs",
    platform: "node",
    target: "node20",
    supported: { "dynamic-import": false },
    minifyWhitespace: true,
    legalComments: "none",
  });
  const names = given.split(",").map((one) => one.split(" as "));
  const gives = names.map(([own, name = own]) => (name === own ? own : `${name}:${own}`)).join(",");
  return `function(__load,__later,require,__filename,__dirname,__bundleUrl){"use strict";${taken.join("")}${whenUsed(code)}\nreturn{${gives}}}`;
}

/** What Node has built in is loaded by its first use: all of it together takes as long as a command. */
function whenUsed(code) {
  return [...code.matchAll(/var (import_\w+)=((?:__toESM\()?require\("[\w:/]+"\)\)?);/g)].reduce(
    (changed, [declared, name, load]) => {
      const uses = changed.split(new RegExp(`\\b${name}\\b(?=\\.)`));
      const isOnlyAsked = changed.split(new RegExp(`\\b${name}\\b`)).length === uses.length + 1;
      return isOnlyAsked ? uses.join(`(${name}??=${load})`).replace(declared, `var ${name};`) : changed;
    },
    code,
  );
}

const pairs = (list, sign) =>
  list
    .split(",")
    .map((one) => one.split(" as ").join(sign))
    .join(",");
