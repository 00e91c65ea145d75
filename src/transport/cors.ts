import type { MiddlewareHandler } from "hono";
import { cors } from "hono/cors";

/** A browser asks no more often than this whether it may send a request. */
const PREFLIGHT_SECONDS = 600;

/**
 * Lets pages of these origins ask the API and read what it answers; preflights are answered here. No cookie is ever sent
 * along: a page needs a token as everybody does.
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
