// What a release consists of: a size, a hash and two sums for each file, so that one changed byte can be named.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";

export const MANIFEST = "manifest.json";
export const SIGNATURE = "manifest.sig";
/** Folders that appear after the install: packages that npm puts there, and Node's cache of compiled code. */
const MADE_LATER = /^(?:node_modules|dist\/[^/]+\/compiled)$/;

/**
 * Returns what the manifest stores of a file. The sums are of all bytes, and of all bytes times their position: with
 * both, one changed byte follows from the difference.
 * @param {Uint8Array} bytes
 * @returns {{ size: number, sha256: string, sums: [string, string] }}
 */
export function recordOf(bytes) {
  let [sum, inBlock, weighted] = [0, 0, 0n];
  for (let at = 0; at < bytes.length; at++) {
    sum += bytes[at];
    inBlock += bytes[at] * at;
    // Beyond 2 ** 53 a number would lose digits.
    if (at % 65_536 === 65_535) {
      weighted += BigInt(inBlock);
      inBlock = 0;
    }
  }
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { size: bytes.length, sha256, sums: [String(sum), String(weighted + BigInt(inBlock))] };
}

/**
 * Returns the paths of all files and links below a folder, sorted, with `/` on every platform.
 * @param {string} folder
 * @returns {string[]}
 */
export function filesOf(folder, below = folder) {
  const found = readdirSync(below, { withFileTypes: true }).flatMap((entry) => {
    const path = join(below, entry.name);
    const name = relative(folder, path).split(sep).join("/");
    if (!entry.isDirectory()) return [name];
    return MADE_LATER.test(name) ? [] : filesOf(folder, path);
  });
  return found.sort();
}

/** Returns the commit of a checkout, marked if a file differs from it; undefined without git. */
export function commitOf(root) {
  const git = (...words) =>
    execFileSync("git", words, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  try {
    return `${git("rev-parse", "HEAD")}${git("status", "--porcelain") === "" ? "" : "+changes"}`;
  } catch {
    return undefined;
  }
}

/** Writes the manifest of a folder. */
export function writeManifest(folder, { name, version, commit }) {
  const files = Object.fromEntries(
    filesOf(folder).map((file) => {
      const path = join(folder, file);
      if (!lstatSync(path).isFile()) throw new Error(`${file} is not a file`);
      return [file, recordOf(readFileSync(path))];
    }),
  );
  writeFileSync(join(folder, MANIFEST), `${JSON.stringify({ name, version, commit, files }, null, 1)}\n`);
}
