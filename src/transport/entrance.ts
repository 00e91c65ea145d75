import type { Context, MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import { matchedRoutes } from "hono/route";
import type { Router } from "hono/router";
import type { H, RouterRoute } from "hono/types";
import { AppError } from "../kernel/errors.ts";
import type { Local, Tracer } from "../ports/within-time.ts";
import { type Access, checkHosts, type Limiter } from "./access.ts";
import { createAdmission, MAX_URL_CHARACTERS } from "./body.ts";
import { REQUEST_ID, safeHeaders, type Variables } from "./http.ts";

type EntranceContext = Context<{ Variables: Variables }>;

interface EntranceOptions {
  readonly local: Pick<Local, "randomText" | "heard" | "monotonic">;
  readonly access: Access;
  readonly limiter: Limiter;
  readonly addressOf: (c: Context) => string | undefined;
  /** Methods and paths whose handlers apply the limits themselves, or are exempt from them. */
  readonly urgent: ReadonlySet<string>;
}

/** Runs before every route: assigns a request id, checks Host, and counts the request toward its address's limits. */
export interface Entrance {
  /**
   * Accepts a request once, and counts it toward the limits if `counts`. Throws `Forbidden`, `Invalid request` or
   * `Too many requests`.
   */
  take(c: EntranceContext, counts: boolean): void;
  /** Accepts requests before a middleware of every path. */
  readonly middleware: MiddlewareHandler;
  /** Wraps a platform's router, so each route's own function accepts the request without a promise. */
  routing(router: Routing): Routing;
}

/** Paths whose responses set their own headers: the API and health checks, which are not pages. */
const IN_JSON = /^\/(health|version|api\/v1\/.*)$/;
export const EVERY_PATH = "/*";
/** Route that shows whether the process works at all; it waits for nothing. */
export const HEALTH = "GET /health";
/** Route that names the version and commit of the program. */
export const VERSION_ROUTE = "GET /version";
export const METHODS: ReadonlySet<string> = new Set(["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Returns the id that a request carries, so a client or a proxy finds it in this server's log; otherwise a new one. */
export const requestIdOf = (given: string | undefined, { randomText }: Pick<Local, "randomText">): string =>
  given !== undefined && /^[\w.:-]{1,64}$/.test(given) ? given : randomText(12);

export function createEntrance({ local, access, limiter, addressOf, urgent }: EntranceOptions): Entrance {
  const hasOrigins = (access.origins ?? []).length > 0;
  const admission = createAdmission(local);
  const take = (c: EntranceContext, counts: boolean): void => {
    if (c.get("requestId") !== undefined) return;
    const requestId = requestIdOf(c.req.header(REQUEST_ID), local);
    c.set("requestId", requestId);
    // Before the response is created, because setting headers later would create it twice. JSON responses set them with
    // their text.
    if (hasOrigins || !IN_JSON.test(c.req.path))
      for (const [name, value] of Object.entries(safeHeaders(requestId))) c.header(name, value);
    checkHosts({ host: c.req.header("host"), origin: c.req.header("origin") }, access);
    if (c.req.url.length > MAX_URL_CHARACTERS)
      throw new AppError("Invalid request", `a URL can have at most ${MAX_URL_CHARACTERS} characters`);
    const allowance = limiter(addressOf(c));
    c.set("allowance", allowance);
    c.set("admission", admission);
    if (counts) allowance.request();
  };
  const isCounted = (method: string, path: string) => !urgent.has(`${method} ${path}`);
  return {
    take,
    middleware: (c, next) => {
      // Unknown paths were answered before: a handler for every path is not a route.
      const route = matchedRoutes(c).find(({ path }) => path !== EVERY_PATH);
      take(c, route !== undefined && isCounted(route.method, route.path));
      return next();
    },
    routing: (router) =>
      withEntrance(router, ({ method, path }) => {
        const counts = isCounted(method, path);
        const waits = counts && `${method} ${path}` !== HEALTH;
        return (c) => {
          take(c, counts);
          return waits ? admission() : undefined;
        };
      }),
  };
}

type Routing = Router<[H, RouterRoute]>;

/** Makes each route accept its request first; paths without parameters are looked up once per method. */
function withEntrance(
  router: Routing,
  takerOf: (route: RouterRoute) => (c: EntranceContext) => Promise<void> | undefined,
): Routing {
  const fixed = new Map<string, Map<string, ReturnType<Routing["match"]>>>();
  return {
    name: router.name,
    add(method, path, [handler, route]) {
      const take = takerOf(route);
      const taking: H = (c, next) => {
        const admitted = take(c);
        return admitted ? admitted.then(() => handler(c, next)) : handler(c, next);
      };
      if (!/[:*]/.test(path)) fixed.set(path, new Map());
      router.add(method, path, [path === EVERY_PATH ? handler : taking, route]);
    },
    match(method, path) {
      const known = fixed.get(path);
      const match = known?.get(method) ?? router.match(method, path);
      // For known methods only; others are not stored.
      if (METHODS.has(method)) known?.set(method, match);
      return match;
    },
  };
}

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
      REQUEST_ID,
      "x-exchange-key",
      "x-exchange-secret",
      "x-exchange-passphrase",
    ],
    exposeHeaders: ["etag", "retry-after", "x-next", "mcp-session-id", REQUEST_ID],
    maxAge: PREFLIGHT_SECONDS,
  });
}

const matchedRoute = (c: Context): string | undefined =>
  matchedRoutes(c)
    .map(({ path }) => path)
    .findLast((path) => path !== "/*");

/** Traces each request by its route; values in paths and queries are not recorded. */
export const tracedRequests =
  (tracer: Tracer): MiddlewareHandler =>
  (c, next) => {
    const { method } = c.req;
    return tracer.span(method, { "http.request.method": method }, (span) =>
      next().then(() => {
        const route = matchedRoute(c);
        if (route !== undefined) span.rename(`${method} ${route}`);
        const { status } = c.res;
        const requestId = c.get("requestId") as string | undefined;
        span.set({
          "http.response.status_code": status,
          ...(route === undefined ? {} : { "http.route": route }),
          ...(requestId === undefined ? {} : { "edgemaker.request_id": requestId }),
        });
        if (status >= 500) span.fail(String(status));
      }),
    );
  };
