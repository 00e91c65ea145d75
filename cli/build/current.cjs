const { existsSync, readFileSync, statSync } = require("node:fs");
const { dirname, join } = require("node:path");

const root = join(__dirname, "../..");
const dist = join(root, "dist");
/** Names the folder of the newest bundle; replaced by renaming, so that it is always one or the other. */
const pointer = join(dist, "current");
/** Beside a bundle, what of this folder's own it was made of, a line each. */
const SOURCES = "sources.txt";

/** The bundle's file, built when there is none or a source is newer. */
async function currentBundle() {
  if (existsSync(join(root, "src")) && isStale()) await (await import("./build.mjs")).build();
  const bundle = keptBundle();
  if (!bundle) throw new Error("this edgemaker has no program in its folder dist: install it again");
  return bundle;
}

/** The file of the newest bundle that there is, whatever its sources are by now; undefined when there is none. */
const keptBundle = () =>
  existsSync(pointer) ? join(dist, readFileSync(pointer, "utf8"), "main.cjs") : undefined;

/** The help of the whole command line, from beside the bundle: to load all of that would take as long as a command. */
function builtHelp(bundle) {
  const folder = dirname(bundle);
  return require(join(folder, "help.cjs")).rootHelp(require(join(folder, "help.json")));
}

/** A new file is part of it only once one that is changes. */
function isStale() {
  if (!existsSync(pointer)) return true;
  const name = readFileSync(pointer, "utf8");
  const begun = begunAt(name);
  const sources = join(dist, name, SOURCES);
  if (!existsSync(sources)) return true;
  return readFileSync(sources, "utf8")
    .split("\n")
    .some((name) => !(statSync(`${root}/${name}`, { throwIfNoEntry: false })?.mtimeMs <= begun));
}

/** When the build of a folder of this name began. */
const begunAt = (name) => Number(/^cli-(\d+)-/.exec(name)?.[1]);

module.exports = { currentBundle, keptBundle, builtHelp, begunAt, root, dist, pointer, SOURCES };
