// What an instance of ccxt's classes is made of, without what no code that is reached names.

/** A compiler has written these files: what lies deeper stands four spaces further in. */
const ENTRY = /^( *)'?([\w$]+)'?: (.*)$/;
const ASSIGNED = /^( {8})this\.(\w+) = (?:.*;|\{$)/;
const COMMENT = /^\s*(?:\/\/|\/?\*)/;
/** Parts of what a class tells of itself whose entries are asked by name; others are gone through whole. */
const BY_NAME = new Set(["has", "urls", "options"]);
/** What ccxt's code takes of its own helpers. */
const HELPERS = /^const \{ isNode,[^}]*\} = functions;$/m;
const ALL_HELPERS = /^import \* as functions from '\.\/functions\.js';$/m;
const ALL_ASSIGNED = /^ {8}Object\.assign\(this, functions\);$/m;

/** Words of code, without those of its comments. */
export const wordsIn = (lines) =>
  new Set(lines.flatMap((line) => (COMMENT.test(line) ? [] : (line.match(/[\w$]+/g) ?? []))));

/** What a constructor does beside keeping something under a name. */
export const withoutAssignments = (text) =>
  text
    .split("\n")
    .filter((line) => !ASSIGNED.test(line))
    .join("\n");

/** Takes from `lines` the entries of `describe` between two of them that no word names. */
export function withoutEntries(lines, { from, to }, words) {
  let part;
  for (let at = from; at <= to; at++) {
    const [, spaces, name, rest] = ENTRY.exec(lines[at]) ?? [];
    if (spaces?.length === 12) part = name;
    if (spaces?.length !== 16 || !BY_NAME.has(part) || isNamed(name, words)) continue;
    const end = /[[{(]$/.test(rest) ? endOf(lines, at, spaces) : at;
    lines.fill("", at, end + 1);
  }
}

/** ccxt puts `default` before a name itself. */
const isNamed = (name, words) => words.has(name) || name.startsWith("default");

/** The line that closes what one begins. */
const endOf = (lines, at, spaces) =>
  at +
  1 +
  lines
    .slice(at + 1)
    .findIndex((line) => line.startsWith(spaces) && /^[\]})]/.test(line.slice(spaces.length)));

/** Takes from a constructor what it only keeps for others: what is never named, and names for undefined. */
export function withoutAssigned(lines, { from, to }, words) {
  for (let at = from; at <= to; at++) {
    const [, spaces, name] = ASSIGNED.exec(lines[at]) ?? [];
    if (name === undefined || (words.has(name) && !/ = undefined;/.test(lines[at]))) continue;
    const end = lines[at].endsWith("{") ? endOf(lines, at, spaces) : at;
    lines.fill("", at, end + 1);
  }
}

/** Takes ccxt's helpers one by one, in place of all: those that nothing names are no part of a bundle. */
export function withNamedHelpers(text) {
  for (const one of [HELPERS, ALL_HELPERS, ALL_ASSIGNED])
    if (!one.test(text)) throw new Error(`ccxt's base class is not as it was: ${one}`);
  return text
    .replace(HELPERS, (all) =>
      all
        .replace(/^\s*\/\/.*$/gm, "")
        .replace("const", "import")
        .replace("= functions", "from './functions.js'"),
    )
    .replace(ALL_HELPERS, "")
    .replace(ALL_ASSIGNED, "");
}
