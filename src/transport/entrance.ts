import type { Context, MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import type { Router } from "hono/router";
import type { H, RouterRoute } from "hono/types";
import { AppError } from "../kernel/errors.ts";
import type { Local } from "../ports/local.ts";
import { type Access, checkHosts } from "./access.ts";
import { createAdmission } from "./admission.ts";
import { MOST_URL } from "./body.ts";
import { SAFE_HEADERS } from "./headers.ts";
import type { Variables } from "./http.ts";
import type { Limiter } from "./limiter.ts";

type EntranceContext = Context<{ Variables: Variables }>;

export interface EntranceOptions {
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
const IN_JSON = /^\/(health|api\/v1\/.*)$/;
const EVERY_PATH = "/*";
/** Route that shows whether the process works at all; it waits for nothing. */
export const HEALTH = "GET /health";
const METHODS: ReadonlySet<string> = new Set(["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

export function createEntrance({ local, access, limiter, addressOf, urgent }: EntranceOptions): Entrance {
  const hasOrigins = (access.origins ?? []).length > 0;
  const admission = createAdmission(local);
  const take = (c: EntranceContext, counts: boolean): void => {
    if (c.get("requestId") !== undefined) return;
    c.set("requestId", local.randomText(12));
    // Before the response is created, because setting headers later would create it twice. JSON responses set them with
    // their text.
    if (hasOrigins || !IN_JSON.test(c.req.path))
      for (const [name, value] of Object.entries(SAFE_HEADERS)) c.header(name, value);
    checkHosts({ host: c.req.header("host"), origin: c.req.header("origin") }, access);
    if (c.req.url.length > MOST_URL)
      throw new AppError("Invalid request", `a URL can have at most ${MOST_URL} characters`);
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
