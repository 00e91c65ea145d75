import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { isInitializeRequest } from "@modelcontextprotocol/sdk/types.js";
import { type McpOptions, mcpServer } from "./server.ts";

/** One request and its answer; the server lives as long. */
export async function exchange(request: Request, message: unknown, options: McpOptions): Promise<Response> {
  const server = mcpServer(options);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport as Transport);
  const response = await transport.handleRequest(request, { parsedBody: message });
  // A session is a name and nothing that is kept: it tells the requests of two clients apart.
  if (isInitializeRequest(message)) response.headers.set("mcp-session-id", options.deps.local.randomText(25));
  return response;
}
