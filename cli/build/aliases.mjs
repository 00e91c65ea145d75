import { fileURLToPath } from "node:url";

/** The empty module, from this folder or from the folder of built tests. */
const empty = fileURLToPath(new URL("../../cli/build/empty.mjs", import.meta.url));

/**
 * Packages that ccxt imports for features that edgemaker does not use. Keep them the same in `[alias]` of
 * wrangler.toml.
 */
export const ALIASES = { "protobufjs/minimal": empty, "protobufjs/minimal.js": empty, undici: empty };
