import type { Tracer } from "../ports/within-time.ts";
import type { Fetch } from "./ccxt/client/transport.ts";

/**
 * Traces each request until its response begins. Queries and headers contain keys and signatures, so they are not
 * recorded.
 */
export const tracedFetch = (ask: Fetch, tracer: Tracer | undefined): Fetch =>
  !tracer
    ? ask
    : (url, init) => {
        const { hostname, port, pathname } = new URL(url);
        const method = init.method ?? "GET";
        const attributes = {
          "http.request.method": method,
          "server.address": hostname,
          ...(port === "" ? {} : { "server.port": Number(port) }),
          "url.path": pathname,
        };
        return tracer.span(`${method} ${hostname}`, attributes, (span) =>
          ask(url, init).then((response) => {
            span.set({ "http.response.status_code": response.status });
            if (!response.ok) span.fail(String(response.status));
            return response;
          }),
        );
      };
