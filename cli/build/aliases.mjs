import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the stubs, from this file or from a bundle that holds it. */
function stubs() {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "cli/build/stubs"))) {
    if (dirname(folder) === folder) throw new Error("the folder cli/build/stubs is not found");
    folder = dirname(folder);
  }
  return join(folder, "cli/build/stubs");
}

/** The folder of what stands for a module. */
export const STUBS = stubs();
const empty = join(STUBS, "empty.mjs");
/** Stands for what a library names and nothing of ours reaches; called, it throws. */
export const UNREACHED = join(STUBS, "unreached.mjs");
/** What ccxt signs with, by the platform's own hashes, and how it codes bytes as text. */
export const HASHES = join(STUBS, "hashes.mjs");
export const CODERS = join(STUBS, "coders.mjs");

/** Packages that ccxt and libSQL name but we never reach, for esbuild's `alias`. */
export const ALIASES = {
  "protobufjs/minimal": empty,
  "protobufjs/minimal.js": empty,
  undici: empty,
  fflate: empty,
  ws: join(STUBS, "ws.mjs"),
};
