import type { Hono } from "hono";
import { type Access, authenticate } from "../access.ts";
import { parseBody, readBody } from "../body.ts";
import type { Variables } from "../http.ts";
import type { McpOptions } from "./options.ts";

type Mounting = Omit<McpOptions, "caller"> & { readonly access: Access };

/**
 * Streamable HTTP at /mcp, without anything kept between two requests, so that any isolate can answer
 * the next one. Host and Origin are checked before, as on every route.
 */
export function mountMcp(app: Hono<{ Variables: Variables }>, { access, ...options }: Mounting): void {
  app.post("/mcp", async (c) => {
    const caller = await authenticate(c.req.header("authorization"), access, {
      store: options.deps.store,
      ...c.var,
    });
    const message = parseBody(await readBody(c.req.raw));
    // The protocol is loaded when it is first spoken: most processes never speak it.
    const { exchangeMessages: exchange } = await import("./exchange.ts");
    return exchange(c.req.raw, message, {
      ...options,
      caller,
      session: c.req.header("mcp-session-id") ?? "",
    });
  });
  app.on(["GET", "DELETE"], "/mcp", (c) => c.body(null, 405, { allow: "POST" }));
}
