// Part of the binary's entry: writes the files of a build into a cache that others may have cleaned, or left half written.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { zstdDecompressSync } from "node:zlib";

/** Names and sizes of all files of the folder; written last. */
const LIST = "files.json";

/**
 * Makes a folder have the files of a payload, unless it has them. Several processes can start at once: each unpacks
 * beside the folder, and one of them counts.
 * @param {string} folder
 * @param {() => Uint8Array} payloadOf
 */
export function unpackInto(folder, payloadOf) {
  if (isComplete(folder)) return;
  const own = `${folder}-${process.pid}`;
  const broken = `${own}-broken`;
  try {
    rmSync(own, { recursive: true, force: true });
    unpack(own, zstdDecompressSync(payloadOf()));
    // A folder in the way has lost files: who still runs from it finds them in the new one.
    if (existsSync(folder) && !isComplete(folder)) renameSync(folder, broken);
    renameSync(own, folder);
  } catch (error) {
    if (!isComplete(folder)) throw error;
  } finally {
    for (const one of [own, broken]) rmSync(one, { recursive: true, force: true });
  }
}

/** @param {string} folder */
function isComplete(folder) {
  try {
    const list = JSON.parse(readFileSync(join(folder, LIST), "utf8"));
    return list.every(([name, size]) => statSync(join(folder, name)).size === size);
  } catch {
    return false;
  }
}

/**
 * @param {string} folder
 * @param {Buffer} bytes
 */
function unpack(folder, bytes) {
  const length = bytes.readUInt32LE(0);
  const list = JSON.parse(bytes.subarray(4, 4 + length).toString("utf8"));
  let at = 4 + length;
  for (const [name, size, mode] of list) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, bytes.subarray(at, at + size));
    chmodSync(path, mode);
    at += size;
  }
  writeFileSync(join(folder, LIST), JSON.stringify(list));
}
