// Makes a bundle that clients of MCP install with a click: a zip with a manifest and the unpacked program.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zipSync } from "fflate";
import { root } from "../current.cjs";
import { filesOf } from "../manifest.mjs";

/** What manifests call the platforms of the targets. */
const PLATFORMS = { linux: "linux", darwin: "darwin", windows: "win32" };
/** A zip stores what a clock on the wall shows, so this is the same in each time zone. */
const NOON_OF_1980 = new Date(1980, 0, 1, 12);
const UNIX = 3;

/** The mode of a file, which does not depend on the mask of the user who builds. */
export const modeOf = (name) => (/\/bin\/|cli\/edgemaker/.test(name) ? 0o755 : 0o644);

/** Returns all files of a folder's `node_modules`, sorted. */
export const moduleFiles = (folder) =>
  filesOf(join(folder, "node_modules")).map((name) => `node_modules/${name}`);

/** Writes the bundle of a folder's `node_modules`, and returns its path. The same files give the same bytes. */
export function writeBundle(unpacked, folder, target) {
  const manifest = JSON.parse(readFileSync(join(root, "agents/manifest.json"), "utf8"));
  manifest.compatibility.platforms = [PLATFORMS[target.split("-")[0]]];
  const parts = [["manifest.json", Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)]];
  for (const name of moduleFiles(unpacked)) parts.push([name, readFileSync(join(unpacked, name))]);
  const entries = parts.map(([name, bytes]) => [
    name,
    [bytes, { attrs: ((0o100000 | modeOf(name)) << 16) >>> 0 }],
  ]);
  const file = join(folder, `edgemaker-${target}.mcpb`);
  writeFileSync(file, zipSync(Object.fromEntries(entries), { level: 9, mtime: NOON_OF_1980, os: UNIX }));
  return file;
}
