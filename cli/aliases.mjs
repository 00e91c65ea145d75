import { fileURLToPath } from "node:url";

const stub = (name) => fileURLToPath(new URL(`stubs/${name}.mjs`, import.meta.url));
const empty = stub("empty");

/** Packages that ccxt names but we never reach, for esbuild's `alias`. wrangler.toml has the same list. */
export const ALIASES = {
  "protobufjs/minimal": empty,
  "protobufjs/minimal.js": empty,
  undici: empty,
  fflate: empty,
};

/** On the edge also this one: there libSQL has web sockets of its own. */
export const EDGE_ALIASES = { ...ALIASES, ws: stub("ws") };
