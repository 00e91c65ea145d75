const { createHash } = require("node:crypto");
const { existsSync, readFileSync, renameSync, rmSync, writeFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const { dirname, join } = require("node:path");
const { Script } = require("node:vm");
const { pathToFileURL } = require("node:url");

/** Seconds. What ran longer has in the end other functions at hand than those of its start. */
const LONGEST_START = 10;

/**
 * Runs the bundle with what V8 has compiled of it before: that is a third of what most commands take. It is kept
 * beside the bundle, for each version of Node and its options, as V8 refuses what it compiled under others, and for each
 * first word of a command, as a start reads all that is kept. Where nothing can be written there, each start compiles
 * anew.
 *
 * A file of the bundle is an object of functions, each of which makes a part (parts.mjs); what the first one does not
 * have is a file of its own.
 */
function loadBundle(file, word = "") {
  const startedAt = process.uptime();
  const folder = dirname(file);
  const store = /^[a-z-]*$/.test(word) ? `${file}-${machine()}-${word}.compiled` : undefined;
  const compiled = (store && readCompiled(store)) ?? new Map();
  const scripts = new Map();
  let isKept = true;
  let isOver = false;

  function read(name) {
    const path = join(folder, `${name}.cjs`);
    const source = readFileSync(path);
    const sourceHash = sha256(source);
    const known = compiled.get(name);
    const cachedData = known?.sourceHash === sourceHash ? known.bytes : undefined;
    const script = new Script(source.toString("latin1"), { filename: path, cachedData });
    if (cachedData === undefined || script.cachedDataRejected) isKept = false;
    scripts.set(name, { script, sourceHash });
    return script.runInThisContext();
  }

  const first = read("main");
  const made = new Map();
  const requireHere = createRequire(file);
  const url = pathToFileURL(file).href;
  function load(name) {
    const known = made.get(name);
    if (known) return known;
    const make = first[name] ?? read(name)[name];
    const part = make(load, later, requireHere, file, folder, url);
    made.set(name, part);
    return part;
  }
  const later = async (name) => load(name);
  return {
    ...load("main"),
    keepCompiled() {
      if (store !== undefined && !isKept && !isOver && process.uptime() - startedAt < LONGEST_START) {
        for (const [name, { script, sourceHash }] of scripts)
          compiled.set(name, { sourceHash, bytes: script.createCachedData() });
        writeCompiled(store, compiled);
      }
      isOver = true;
      // A server runs for months.
      compiled.clear();
      scripts.clear();
    },
  };
}

/** V8's own tag of its flags would cost a start two milliseconds. */
function machine() {
  const options = [...process.execArgv, process.env.NODE_OPTIONS ?? ""].join(" ").trim();
  const names = [process.version, process.platform, process.arch];
  return (options === "" ? names : [...names, sha256(options).slice(0, 8)]).join("-");
}

/** By files of the bundle. A line that tells them and a hash, then what was compiled. What is not as written is not there. */
function readCompiled(store) {
  if (!existsSync(store)) return undefined;
  try {
    const bytes = readFileSync(store);
    const end = bytes.indexOf("\n");
    const [hash, files] = JSON.parse(bytes.toString("latin1", 0, end));
    if (hash !== sha256(JSON.stringify(files), bytes.subarray(end + 1))) return undefined;
    let from = end + 1;
    return new Map(
      files.map(([name, sourceHash, length]) => {
        const part = bytes.subarray(from, from + length);
        from += length;
        return [name, { sourceHash, bytes: part }];
      }),
    );
  } catch {
    return undefined;
  }
}

function writeCompiled(store, compiled) {
  const own = `${store}-${process.pid}`;
  try {
    const files = [...compiled].map(([name, { sourceHash, bytes }]) => [name, sourceHash, bytes.length]);
    const parts = [...compiled.values()].map(({ bytes }) => bytes);
    const hash = sha256(JSON.stringify(files), ...parts);
    writeFileSync(own, Buffer.concat([Buffer.from(`${JSON.stringify([hash, files])}\n`), ...parts]));
    renameSync(own, store);
  } catch {
    // A folder of somebody else's: nothing is lost but time.
    rmSync(own, { force: true });
  }
}

const sha256 = (...parts) =>
  parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest("hex");

module.exports = { loadBundle };
