import type { Tracer } from "../ports/tracer.ts";
import type { Fetch } from "./ccxt/client/transport.ts";

/** Each request measured until its answer begins. Queries and headers carry keys and signatures: neither is told. */
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
