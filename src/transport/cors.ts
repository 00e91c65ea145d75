import type { MiddlewareHandler } from "hono";
import { cors } from "hono/cors";

/** How long a browser caches a preflight response. */
const PREFLIGHT_SECONDS = 600;

/**
 * Lets pages of these origins call the API and read its responses; answers preflights. Browsers send no cookies; a
 * page needs a token like everybody.
 */
export function allowOrigins(origins: readonly string[]): MiddlewareHandler {
  return cors({
    origin: (origin) => (origins.includes(origin) ? origin : null),
    allowMethods: ["GET", "POST", "PUT", "PATCH", "DELETE"],
    allowHeaders: [
      "authorization",
      "content-type",
      "idempotency-key",
      "if-none-match",
      "last-event-id",
      "mcp-protocol-version",
      "mcp-session-id",
      "x-exchange-key",
      "x-exchange-secret",
      "x-exchange-passphrase",
    ],
    exposeHeaders: ["etag", "retry-after", "x-next", "mcp-session-id"],
    maxAge: PREFLIGHT_SECONDS,
  });
}
