// A server over an exchange in its own process, started by the benchmark: node trading-server.mjs <database file> <token>
import { fileConnection } from "../../cli/host/file-connection.ts";
import { nodeLocal } from "../../cli/host/process/node-local.ts";
import { createListings } from "../../src/adapters/sandbox/listings.ts";
import { simulatedVenue } from "../../src/adapters/sandbox/venue.ts";
import { parseConfig } from "../../src/compose/config.ts";
import { createDeps } from "../../src/compose/deps.ts";
import { decimal } from "../../src/kernel/decimal.ts";
import { digest } from "../../src/kernel/digest.ts";
import { serveBench } from "./bench-app.ts";
import { instantVenue } from "./instant-venue.ts";
import { memoryBooks } from "./memory-books.ts";
import { migrations } from "./migrations.ts";

const [file = "", token = ""] = process.argv.slice(2);
const config = parseConfig({ EDGEMAKER_EXCHANGES: "mexc,gateio" });
const made = await createDeps(config, {
  client: fileConnection(file),
  migrations,
  local: nodeLocal,
  log: () => {},
  readCandles: () => Promise.reject(new Error("there are no candle files here")),
});
const origin = Date.now();
const account = (exchange: string) => ({ exchange, kind: "live" as const, host: `${exchange}.test` });
const simulated = simulatedVenue({
  account: account("gateio"),
  venue: "gateio",
  ...memoryBooks(Date.now, {
    settledAt: origin,
    holdings: { USDT: { total: decimal("1000000"), used: 0n }, BTC: { total: decimal("100"), used: 0n } },
  }),
  clock: { origin, created: origin, speed: 1, passed: 0 },
  listings: createListings({ seed: 1, origin, replays: new Map() }),
  rules: { fill: "touch", parts: false },
  timing: made.venue("gateio").timing,
  sleep: nodeLocal.sleep,
});
const venues = { mexc: instantVenue(account("mexc"), simulated), gateio: simulated };
const deps = {
  ...made,
  venue: (exchange: string) => (exchange === "mexc" ? venues.mexc : venues.gateio),
  venueOf: ({ exchange }: { exchange: string }) => (exchange === "mexc" ? venues.mexc : venues.gateio),
};
await deps.store.addToken(
  { id: "tok_bench", name: "bench", scope: "trade", expiresAt: null, hash: await digest(token) },
  { actor: "bench", request: null },
);
serveBench(["mexc", "gateio"], deps, config);
