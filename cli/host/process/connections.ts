/** Connections to this server: with too many of them, it could open no file and accept no request to stop trading. */
import { readFileSync } from "node:fs";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** The rest is for the database, exchanges and other servers. */
const CONNECTIONS_PER_FILE = 1 / 2;
const MAX_OPEN_CONNECTIONS = 1000;
/** Where the limit cannot be read; Node raises it to the maximum of its user. */
const DEFAULT_OPEN_FILES = 1024;

function maxOpenFiles(): number {
  try {
    return Number(/^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1]);
  } catch {
    return DEFAULT_OPEN_FILES;
  }
}

const maxConnections = (): number =>
  Math.min(MAX_OPEN_CONNECTIONS, Math.floor((maxOpenFiles() || DEFAULT_OPEN_FILES) * CONNECTIONS_PER_FILE));

/**
 * Closes a connection for each new one above half of the open files: the one that has no request for the longest time,
 * then an event stream, which its reader opens again. Never one of the newest: its first request may be on its way, and it
 * may stop trading.
 */
export function boundConnections(server: Server, most = maxConnections()): void {
  // In order of the last request.
  const open = new Map<Socket, ServerResponse | undefined>();
  // Before their first request, in order of arrival.
  const unused = new Set<Socket>();
  const closeOne = (): void => {
    const newest = new Set([...unused].slice(-Math.ceil(most / 2)));
    let stream: Socket | undefined;
    for (const [socket, response] of open) {
      if (newest.has(socket)) continue;
      if (response === undefined) return void socket.destroy();
      if (String(response.getHeader("content-type")).startsWith("text/event-stream")) stream ??= socket;
    }
    stream?.destroy();
  };
  server.on("connection", (socket: Socket) => {
    open.set(socket, undefined);
    unused.add(socket);
    socket.once("close", () => {
      open.delete(socket);
      unused.delete(socket);
    });
    if (open.size > most) closeOne();
  });
  server.on("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    open.set(socket, response);
    unused.delete(socket);
    response.once("close", () => {
      if (open.delete(socket) && !socket.destroyed) open.set(socket, undefined);
    });
  });
}
