import type { Context, MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import type { Tracer } from "../ports/tracer.ts";

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

const matchedRoute = (c: Context): string | undefined =>
  matchedRoutes(c)
    .map(({ path }) => path)
    .findLast((path) => path !== "/*");
