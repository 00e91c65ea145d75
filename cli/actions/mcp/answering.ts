import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type RequestId,
} from "@modelcontextprotocol/sdk/types.js";

const LONGEST_ANSWER_WAIT = 15_000;

/**
 * Watches a connected transport; the returned function waits a short time until every request has a response, so a
 * client that closes its input after its last request still gets the response.
 */
export function answering(transport: Transport): () => Promise<void> {
  const open = new Set<RequestId>();
  let isDone: () => void = () => undefined;
  const close = (id: RequestId | undefined) => {
    if (id !== undefined) open.delete(id);
    if (open.size === 0) isDone();
  };
  const [receive, send] = [transport.onmessage, transport.send.bind(transport)];
  transport.onmessage = (message, extra) => {
    if (isJSONRPCRequest(message)) open.add(message.id);
    if (isJSONRPCNotification(message)) close(cancelledBy(message));
    receive?.(message, extra);
  };
  transport.send = async (message, options) => {
    await send(message, options);
    if ("id" in message && !("method" in message)) close(message.id);
  };
  return () =>
    new Promise((resolve) => {
      isDone = resolve;
      setTimeout(resolve, LONGEST_ANSWER_WAIT).unref();
      close(undefined);
    });
}

const cancelledBy = (message: JSONRPCMessage & { method: string }): RequestId | undefined =>
  message.method === "notifications/cancelled" && "params" in message
    ? (message.params as { requestId?: RequestId } | undefined)?.requestId
    : undefined;
