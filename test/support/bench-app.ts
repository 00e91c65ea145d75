import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { getConnInfo } from "@hono/node-server/conninfo";
import { nodeLocal } from "../../cli/host/process/node-local.ts";
import { createApp } from "../../src/app.ts";
import type { Config } from "../../src/compose/config.ts";
import { createOperations } from "../../src/operations.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { createLimiter } from "../../src/transport/access.ts";
import { madeDocuments } from "../../src/transport/openapi.ts";

/** Serves the product for the benchmark on a free port, which it prints, until SIGTERM. */
export function serveBench(exchanges: readonly string[], deps: Deps, { rateLimits }: Config) {
  const operations = createOperations(exchanges);
  const app = createApp({
    deps,
    operations,
    documents: madeDocuments(operations, "bench"),
    access: { adminTokens: [], allowedHosts: [], checkHost: true },
    limiter: createLimiter(rateLimits, nodeLocal.monotonic),
    addressOf: (c) => getConnInfo(c).remote.address,
    mcp: { trading: false, confirm: "plan" },
    version: "bench",
    instance: "bench",
  });
  const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, (address: AddressInfo) =>
    console.log(address.port),
  );
  process.on("SIGTERM", () => server.close());
  return server;
}
