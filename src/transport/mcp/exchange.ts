import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CancelledNotificationSchema,
  isInitializeRequest,
  type RequestId,
} from "@modelcontextprotocol/sdk/types.js";
import { withoutNullParams } from "./messages.ts";
import { type McpOptions, needsApproval } from "./plans.ts";
import { mcpServer, waiterOf } from "./server.ts";

/** Handles one request with a server that lives as long as it. */
export async function exchangeMessages(
  request: Request,
  message: unknown,
  options: McpOptions,
): Promise<Response> {
  const cancelled = CancelledNotificationSchema.safeParse(message);
  if (cancelled.success) {
    await giveUpRequest(cancelled.data.params.requestId, options);
    return new Response(null, { status: 202 });
  }
  const server = mcpServer(options);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport as Transport);
  const response = await transport.handleRequest(acceptingJson(request), {
    parsedBody: withoutNullParams(message),
  });
  // A session is only a name without stored state: it distinguishes the requests of two clients.
  if (isInitializeRequest(message)) response.headers.set("mcp-session-id", options.deps.local.randomText(25));
  return response;
}

/** The transport requires both media types in Accept, but answers in JSON: what accepts JSON gets its answer. */
function acceptingJson({ url, headers, method }: Request): Request {
  const all = new Headers(headers);
  if (/(^|[\s,])(\*\/\*|application\/(\*|json)(?![\w.+-]))/i.test(headers.get("accept") ?? "*/*"))
    all.set("accept", "application/json, text/event-stream");
  return new Request(url, { method, headers: all });
}

/**
 * Cancels a request that waits in another request's turn, perhaps on another machine, through the store. The
 * cancellation can arrive before the wait, so this checks again.
 */
async function giveUpRequest(requestId: RequestId | undefined, options: McpOptions): Promise<void> {
  const { deps, settings } = options;
  if (requestId === undefined || !settings.trading || !needsApproval(options)) return;
  for (let attempt = 0; attempt < 5; attempt++) {
    if (await deps.store.giveUpPlan(waiterOf(requestId, options))) return;
    await deps.local.sleep(500);
  }
}
