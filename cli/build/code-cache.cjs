const { createHash } = require("node:crypto");
const { existsSync, readFileSync, renameSync, rmSync, writeFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const { dirname } = require("node:path");
const { Script } = require("node:vm");

/** Seconds. What ran longer has in the end other functions at hand than those of its start. */
const LONGEST_START = 10;

/** A bundle's text as `loadBundle` takes it: to wrap it there would copy all of it at each start. */
const asFunction = (text) => `(function (exports, require, module, __filename, __dirname) {${text}\n})`;

/**
 * Runs the bundle with what V8 has compiled of it before: that is a third of what most commands take. It is kept
 * beside the bundle, for each version of Node and for each first word of a command, as a start reads all that is kept.
 * Where nothing can be written there, each start compiles anew.
 */
function loadBundle(file, word = "") {
  const startedAt = process.uptime();
  const store = /^[a-z-]*$/.test(word)
    ? `${file}-${process.version}-${process.platform}-${process.arch}-${word}.compiled`
    : undefined;
  const source = readFileSync(file);
  // Nothing that is kept until the end holds on to the bytes: a server runs for months.
  const sourceHash = sha256(source);
  const compiled = store && readCompiled(store, sourceHash);
  const script = new Script(source.toString("latin1"), { filename: file, cachedData: compiled });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file));
  let isKept = compiled !== undefined;
  return {
    ...module.exports,
    keepCompiled() {
      if (store === undefined || isKept || process.uptime() - startedAt > LONGEST_START) return;
      isKept = true;
      writeCompiled(store, { sourceHash, bytes: script.createCachedData() });
    },
  };
}

/** A line that tells a hash, then what was compiled. What is not as written, or of other source, is not there. */
function readCompiled(store, sourceHash) {
  if (!existsSync(store)) return undefined;
  try {
    const bytes = readFileSync(store);
    const end = bytes.indexOf("\n");
    const compiled = bytes.subarray(end + 1);
    return bytes.toString("latin1", 0, end) === sha256(sourceHash, compiled) ? compiled : undefined;
  } catch {
    return undefined;
  }
}

function writeCompiled(store, { sourceHash, bytes }) {
  const own = `${store}-${process.pid}`;
  try {
    writeFileSync(own, Buffer.concat([Buffer.from(`${sha256(sourceHash, bytes)}\n`), bytes]));
    renameSync(own, store);
  } catch {
    // A folder of somebody else's: nothing is lost but time.
    rmSync(own, { force: true });
  }
}

const sha256 = (...parts) =>
  parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest("hex");

module.exports = { asFunction, loadBundle };
