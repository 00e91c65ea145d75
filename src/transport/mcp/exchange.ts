import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CancelledNotificationSchema,
  isInitializeRequest,
  type RequestId,
} from "@modelcontextprotocol/sdk/types.js";
import { type McpOptions, needsApproval } from "./options.ts";
import { mcpServer, waiterOf } from "./server.ts";

/** One request and its answer; the server lives as long. */
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
  const response = await transport.handleRequest(request, { parsedBody: message });
  // A session is a name and nothing that is kept: it tells the requests of two clients apart.
  if (isInitializeRequest(message)) response.headers.set("mcp-session-id", options.deps.local.randomText(25));
  return response;
}

/**
 * The request given up waits in another request's turn, perhaps on another machine: the store tells it.
 * It may be heard of before it waits, so this looks again.
 */
async function giveUpRequest(requestId: RequestId | undefined, options: McpOptions): Promise<void> {
  const { deps, settings } = options;
  if (requestId === undefined || !settings.trading || !needsApproval(options)) return;
  for (let attempt = 0; attempt < 5; attempt++) {
    if (await deps.store.giveUpPlan(waiterOf(requestId, options))) return;
    await deps.local.sleep(500);
  }
}
