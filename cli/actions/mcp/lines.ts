import { createInterface, type Interface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  ErrorCode,
  isJSONRPCRequest,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  type RequestId,
} from "@modelcontextprotocol/sdk/types.js";
import { withoutNullParams } from "../../../src/transport/mcp/messages.ts";

/** Requests of one line, which are answered in one line. */
interface Batch {
  readonly open: Set<RequestId>;
  readonly answers: object[];
}

/**
 * Speaks the protocol with one message, or one batch of messages, per line. A line that cannot be read gets an error of
 * JSON-RPC, and the next line is read.
 */
export function lineTransport(input: Readable, output: Writable): Transport {
  let lines: Interface | undefined;
  const batches = new Map<RequestId, Batch>();

  const write = (answer: object): Promise<void> =>
    new Promise((resolve) => {
      if (output.write(`${JSON.stringify(answer)}\n`)) resolve();
      else output.once("drain", resolve);
    });
  const flush = async ({ open, answers }: Batch): Promise<void> => {
    if (open.size === 0 && answers.length > 0) await write(answers);
  };
  /** Closes a request of a batch; undefined if it belongs to none. */
  const settle = (id: RequestId, ...answers: object[]): Promise<void> | undefined => {
    const batch = batches.get(id);
    if (!batch) return undefined;
    batches.delete(id);
    batch.open.delete(id);
    batch.answers.push(...answers);
    return flush(batch);
  };

  const receive = (message: JSONRPCMessage): void => {
    const cancelled = cancelledBy(message);
    if (cancelled !== undefined) void settle(cancelled);
    transport.onmessage?.(message);
  };
  const receiveBatch = (values: readonly unknown[]): void => {
    const read = values.map(readMessage);
    const messages = read.flatMap(({ message }) => (message ? [message] : []));
    const ids = messages.filter(isJSONRPCRequest).map(({ id }) => id);
    const batch = { open: new Set(ids), answers: read.flatMap(({ refused }) => (refused ? [refused] : [])) };
    for (const id of ids) batches.set(id, batch);
    messages.forEach(receive);
    void flush(batch);
  };
  const readLine = (line: string): void => {
    const text = line.replace(/^\uFEFF/, "").trim();
    if (text === "") return;
    const value = valueOfJson(text);
    if (Array.isArray(value) && value.length > 0) {
      receiveBatch(value);
      return;
    }
    const { message, refused } = value === undefined ? UNREADABLE : readMessage(value);
    if (message) receive(message);
    if (refused) void write(refused);
  };

  const transport: Transport = {
    async start() {
      lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }).on("line", readLine);
    },
    async send(message) {
      const id = "method" in message ? undefined : message.id;
      await ((id === undefined ? undefined : settle(id, message)) ?? write(message));
    },
    async close() {
      lines?.close();
      transport.onclose?.();
    },
  };
  return transport;
}

/** Returns the request that a message cancels; undefined if it cancels none. */
export const cancelledBy = (message: JSONRPCMessage): RequestId | undefined =>
  "method" in message && message.method === "notifications/cancelled"
    ? (message.params as { requestId?: RequestId } | undefined)?.requestId
    : undefined;

/** Returns the value of a JSON text; undefined if it is not one. */
function valueOfJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface ReadMessage {
  readonly message?: JSONRPCMessage;
  /** The error to answer with. */
  readonly refused?: object;
}

function readMessage(value: unknown): ReadMessage {
  const { success, data } = JSONRPCMessageSchema.safeParse(withoutNullParams(value));
  if (success) return { message: data };
  const { id, method, result, error } = (value ?? {}) as Readonly<Record<string, unknown>>;
  // An answer to an answer would confuse its sender.
  if (method === undefined && (result !== undefined || error !== undefined)) return {};
  const known = typeof id === "string" || typeof id === "number" ? id : null;
  return { refused: rpcError(known, ErrorCode.InvalidRequest, "this is not a message of JSON-RPC 2.0") };
}

const rpcError = (id: RequestId | null, code: ErrorCode, message: string) => ({
  jsonrpc: "2.0",
  id,
  error: { code, message },
});

const UNREADABLE: ReadMessage = {
  refused: rpcError(null, ErrorCode.ParseError, "this line is not valid JSON; send one message per line"),
};
