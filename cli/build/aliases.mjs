import { fileURLToPath } from "node:url";

/** From this folder or from the folder of built tests. */
const empty = fileURLToPath(new URL("../../cli/build/empty.mjs", import.meta.url));

/** Packages that ccxt imports for features edgemaker does not use. Keep in line with `[alias]` of wrangler.toml. */
export const ALIASES = { "protobufjs/minimal": empty, "protobufjs/minimal.js": empty, undici: empty };
