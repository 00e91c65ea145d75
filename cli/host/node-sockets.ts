import type { RawData } from "ws";
import type { StreamPlatform } from "../../src/adapters/streams/line.ts";
import { nodeLocal } from "./process/node-local.ts";

/** A client that sends nothing else in this time has lost its connection. */
const HANDSHAKE_TIMEOUT = 10_000;
/** No exchange sends larger messages; they would only fill the memory. */
const LARGEST_MESSAGE = 1 << 20;

/** WebSockets of Node. The package is loaded for the first connection. */
export const nodeSockets: StreamPlatform = {
  async open(url, { opened, message, alive, closed }) {
    const { WebSocket } = await import("ws");
    const socket = new WebSocket(url, { handshakeTimeout: HANDSHAKE_TIMEOUT, maxPayload: LARGEST_MESSAGE });
    socket.on("open", opened);
    socket.on("message", (data: RawData, isBinary: boolean) =>
      message(isBinary ? new Uint8Array(data as Buffer) : String(data)),
    );
    socket.on("ping", alive);
    socket.on("pong", alive);
    // An address can contain a listen key, and the message of an error the address.
    socket.on("error", (error) => closed(`connection failed: ${errorCodeOf(error)}`));
    socket.on("close", (code) => closed(`closed by the exchange (${code})`));
    return {
      send: (text) => socket.send(text, () => undefined),
      close() {
        socket.removeAllListeners();
        socket.on("error", () => undefined);
        socket.terminate();
      },
    };
  },
  monotonic: nodeLocal.monotonic,
  every(millis, run) {
    const timer = setInterval(run, millis).unref();
    return () => clearInterval(timer);
  },
  after(millis, run) {
    const timer = setTimeout(run, millis).unref();
    return () => clearTimeout(timer);
  },
};

function errorCodeOf(error: Error): string {
  if ("code" in error) return String(error.code);
  return /^Unexpected server response: \d+$/.test(error.message) ? error.message : error.name;
}
