// A server over emulated kraken, started by the benchmark: node ticker-server.mjs <venue url> <millis that answers are kept>
import { fileConnection } from "../../cli/host/file-connection.ts";
import { nodeLocal } from "../../cli/host/process/node-local.ts";
import { parseConfig } from "../../src/compose/config.ts";
import { createDeps } from "../../src/compose/deps.ts";
import { serveBench } from "./bench-app.ts";
import { migrations } from "./migrations.ts";

const [url = "", kept = "1000"] = process.argv.slice(2);
const config = parseConfig({ EDGEMAKER_EXCHANGES: "kraken", EDGEMAKER_VENUE_URLS: `kraken=${url}` });
const deps = await createDeps(config, {
  client: fileConnection(":memory:"),
  migrations,
  local: nodeLocal,
  log: () => {},
  readCandles: () => Promise.reject(new Error("there are no candle files here")),
  live: { keptFor: Number(kept) },
});
const server = serveBench(["kraken"], deps, config);
// A connection that rests for a second longer than usual is not to be closed while it is used again.
if ("keepAliveTimeout" in server) server.keepAliveTimeout = 60_000;
