import type { Hono } from "hono";
import { isUrgent } from "../../operation.ts";
import { type Access, authenticateUrgent, callerByHash, limitCaller } from "../access.ts";
import { parseBody, readBody } from "../body.ts";
import { REQUEST_ID, type Variables } from "../http.ts";
import type { McpOptions } from "./plans.ts";

type Mounting = Omit<McpOptions, "caller" | "isTokenValid" | "left"> & { readonly access: Access };

/** Its limits depend on the message: a call of an urgent tool is exempt from them. */
export const MCP_ROUTE = "POST /mcp";

/**
 * Adds Streamable HTTP at /mcp, without state between requests, so any isolate can handle the next one. Host and
 * Origin are checked before, as on every route.
 */
export function mountMcp(app: Hono<{ Variables: Variables }>, { access, ...options }: Mounting): void {
  const urgent = new Set<string | undefined>(options.operations.filter(isUrgent).map(({ name }) => name));
  const { store } = options.deps;
  app.post("/mcp", async (c) => {
    const caller = await authenticateUrgent(c.req.header("authorization"), access, {
      store,
      isMcp: true,
      ...c.var,
    });
    const reading = readBody(c.req.raw).then(parseBody);
    const called = await reading.then(calledTool, () => undefined);
    if (!urgent.has(called)) {
      limitCaller(caller, c.var.allowance);
      await c.var.admission();
    }
    // The protocol is loaded on first use, because most processes never use it.
    const { exchangeMessages: exchange } = await import("./exchange.ts");
    const { requestId } = c.var;
    const response = await exchange(c.req.raw, await reading, {
      ...options,
      requestId,
      caller,
      isTokenValid: async () =>
        (await callerByHash(caller.key, access, { store, writes: true })) !== undefined,
      session: c.req.header("mcp-session-id") ?? "",
      left: c.req.raw.signal,
    });
    response.headers.set(REQUEST_ID, requestId);
    return response;
  });
}

/** Returns the name of the tool that a message calls. */
function calledTool({ method, params }: Readonly<Record<string, unknown>>): string | undefined {
  const name = method === "tools/call" && typeof params === "object" && params !== null && "name" in params;
  return name ? String(params.name) : undefined;
}
