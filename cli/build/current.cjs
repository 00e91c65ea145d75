const { existsSync, readFileSync, statSync } = require("node:fs");
const { join } = require("node:path");

const root = join(__dirname, "../..");
const dist = join(root, "dist");
/** Name of the newest bundle's folder. Replaced by renaming, so readers always find a complete name. */
const pointer = join(dist, "current");
/** Lists the sources of a bundle, one per line, in the bundle's folder. */
const SOURCES = "sources.txt";

/** Returns the file of the bundle. Builds it first if there is none or a source is newer. */
async function currentBundle() {
  if (existsSync(join(root, "src")) && isStale()) await (await import("./build.mjs")).build();
  if (!existsSync(pointer)) throw new Error("the folder dist is missing; reinstall edgemaker");
  return join(dist, readFileSync(pointer, "utf8"), "main.js");
}

/** Returns whether a source is newer; a new file matters only when a source imports it. */
function isStale() {
  if (!existsSync(pointer)) return true;
  const name = readFileSync(pointer, "utf8");
  const sources = join(dist, name, SOURCES);
  if (!existsSync(sources)) return true;
  const begun = begunAt(name);
  // Not `join`, because each command does this for every source.
  const isOlder = (file) => statSync(`${root}/${file}`, { throwIfNoEntry: false })?.mtimeMs <= begun;
  return !readFileSync(sources, "utf8").split("\n").every(isOlder);
}

/** Time in milliseconds at which the build of a folder began. */
const begunAt = (name) => Number(/^cli-(\d+)-/.exec(name)?.[1]);

module.exports = { currentBundle, begunAt, root, dist, pointer, SOURCES };
