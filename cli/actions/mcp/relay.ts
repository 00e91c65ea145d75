import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { isJSONRPCRequest, type JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { messageOf } from "../../../src/kernel/errors.ts";
import type { Remote } from "../../host/remote.ts";

/** Relays messages to a server's /mcp and its responses back; the server's settings apply. */
export async function relay(here: Transport, { url, token }: Remote): Promise<() => Promise<void>> {
  const there = new StreamableHTTPClientTransport(new URL(`${url.replace(/\/$/, "")}/mcp`), {
    requestInit: { headers: token ? { authorization: `Bearer ${token}` } : {} },
  });
  there.onmessage = (message) => {
    const version = protocolVersion(message);
    if (version) there.setProtocolVersion(version);
    void here.send(message);
  };
  here.onmessage = (message) => {
    there.send(message).catch((error: unknown) => {
      process.stderr.write(`edgemaker: no response from ${url}: ${messageOf(error)}\n`);
      if (isJSONRPCRequest(message)) void here.send(failure(message.id, url));
    });
  };
  await there.start();
  await here.start();
  return () => there.close();
}

/** Returns the protocol version from the response to `initialize`. */
const protocolVersion = (message: JSONRPCMessage): string | undefined =>
  "result" in message && typeof message.result.protocolVersion === "string"
    ? message.result.protocolVersion
    : undefined;

const failure = (id: string | number, url: string): JSONRPCMessage => ({
  jsonrpc: "2.0",
  id,
  error: { code: -32000, message: `no response from ${url}; check the address and the token` },
});
