// A bare Hono that answers what ours would, fixed: the peer of the benchmark. node bare-server.mjs <text of the ticker>
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { Hono } from "hono";

const [ticker = "{}"] = process.argv.slice(2);
const HEADERS = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
  "content-type": "application/json",
};
const REFUSED = JSON.stringify({
  error: "Invalid limit",
  message: "must be a whole number from 1 to 100",
  requestId: "0123456789ab",
  issues: [{ path: "limit", message: "must be a whole number from 1 to 100" }],
});

const app = new Hono();
app.get("/health", (c) =>
  c.body(JSON.stringify({ status: "ok", version: "bench", instance: "bench" }), 200, HEADERS),
);
app.get("/api/v1/orderbook", (c) => c.body(REFUSED, 400, HEADERS));
app.get("/api/v1/ticker", (c) => c.body(ticker, 200, HEADERS));
const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, (address: AddressInfo) =>
  console.log(address.port),
);
process.on("SIGTERM", () => server.close());
