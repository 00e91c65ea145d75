import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { type McpOptions, mcpServer } from "./server.ts";

/** One request and its answer; the server lives as long. */
export async function exchange(request: Request, message: unknown, options: McpOptions): Promise<Response> {
  const server = mcpServer(options);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport as Transport);
  return transport.handleRequest(request, { parsedBody: message });
}
