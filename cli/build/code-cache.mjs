import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { Script } from "node:vm";

/** What ran longer has in the end other functions at hand than those of its start. */
const LONGEST_START = 10_000;

/**
 * Runs the bundle with what V8 has compiled of it before: that is a third of what most commands take. It is kept
 * beside the bundle, for each version of Node, and grows by each command that runs for the first time; where
 * nothing can be written there, each start compiles anew.
 */
export function loadBundle(file) {
  const startedAt = performance.now();
  const store = `${file}-${process.version}-${process.platform}-${process.arch}.compiled`;
  const source = readFileSync(file);
  // Nothing that is kept until the end holds on to the bytes: a server runs for months.
  const sourceHash = sha256(source);
  const { words = [], compiled } = readCompiled(store, sourceHash) ?? {};
  const parameters = "exports, require, module, __filename, __dirname";
  const script = new Script(`(function (${parameters}) {${source.toString("latin1")}\n})`, {
    filename: file,
    cachedData: compiled,
  });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file));
  const isRefused = script.cachedDataRejected === true;
  return {
    ...module.exports,
    /** After the command that so begins has done what it was asked for. */
    keepCompiled(word = "") {
      if (isRefused || words.includes(word) || performance.now() - startedAt > LONGEST_START) return;
      writeCompiled(store, { words: [...words, word], sourceHash, bytes: script.createCachedData() });
    },
  };
}

/** A line that tells commands and a hash, then what was compiled. What is not as written, or of other source, is not there. */
function readCompiled(store, sourceHash) {
  if (!existsSync(store)) return undefined;
  try {
    const bytes = readFileSync(store);
    const end = bytes.indexOf("\n");
    const { words, hash } = JSON.parse(bytes.toString("latin1", 0, end));
    const compiled = bytes.subarray(end + 1);
    return hash === sha256(sourceHash, compiled) ? { words, compiled } : undefined;
  } catch {
    return undefined;
  }
}

function writeCompiled(store, { words, sourceHash, bytes }) {
  const own = `${store}-${process.pid}`;
  try {
    const head = Buffer.from(`${JSON.stringify({ words, hash: sha256(sourceHash, bytes) })}\n`);
    writeFileSync(own, Buffer.concat([head, bytes]));
    renameSync(own, store);
  } catch {
    // A folder of somebody else's: nothing is lost but time.
    rmSync(own, { force: true });
  }
}

const sha256 = (...parts) =>
  parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest("hex");
