// A server over emulated kraken, started by the benchmark: node ticker-server.mjs <venue url> <millis that answers are kept>
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { getConnInfo } from "@hono/node-server/conninfo";
import { fileConnection } from "../../cli/host/database/file-connection.ts";
import { nodeLocal } from "../../cli/host/process/node-local.ts";
import { createApp } from "../../src/app.ts";
import { parseConfig } from "../../src/compose/config.ts";
import { createDeps } from "../../src/compose/deps.ts";
import { createOperations } from "../../src/operations.ts";
import { madeDocuments } from "../../src/transport/documents/made.ts";
import { createLimiter } from "../../src/transport/limiter.ts";
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
const operations = createOperations(["kraken"]);
const app = createApp({
  deps,
  operations,
  documents: madeDocuments(operations, "bench"),
  access: { adminTokens: [], allowedHosts: [], checkHost: true },
  limiter: createLimiter(config.rateLimits, nodeLocal.monotonic),
  addressOf: (c) => getConnInfo(c).remote.address,
  mcp: { trading: false, confirm: "plan" },
  version: "bench",
  instance: "bench",
});
const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, (address: AddressInfo) =>
  console.log(address.port),
);
// A connection that rests for a second longer than usual is not to be closed while it is used again.
if ("keepAliveTimeout" in server) server.keepAliveTimeout = 60_000;
process.on("SIGTERM", () => server.close());
