import { request as ask, createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

interface Stream {
  readonly lastEventId: string | undefined;
  /** Of the events that were handed on. */
  readonly ids: string[];
}

/**
 * A proxy between a page and its server. One that buffers hands an answer on when it has all of it, and so no stream
 * ever, as nginx does with `proxy_buffering` where X-Accel-Buffering is ignored.
 */
export async function startProxy(
  target: string,
  { buffers }: { readonly buffers: boolean } = { buffers: false },
) {
  const streams: Stream[] = [];
  const open = new Set<ServerResponse>();
  let [isCut, isPaused, isBuffering] = [false, false, buffers];
  const server = createServer((incoming, outgoing) => {
    if (isCut) return outgoing.destroy();
    const isStream = incoming.headers.accept === "text/event-stream";
    const stream: Stream = {
      lastEventId: incoming.headers["last-event-id"] as string | undefined,
      ids: [],
    };
    if (isStream) {
      isPaused = false;
      streams.push(stream);
    }
    const { method, url, headers } = incoming;
    const forward = ask(`${target}${url}`, { method, headers }, (answer) => {
      if (isBuffering) return gather(answer, outgoing);
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      if (!isStream) return answer.pipe(outgoing);
      open.add(outgoing);
      answer.on("data", (part) => {
        if (isPaused || !open.has(outgoing)) return;
        stream.ids.push(...[...String(part).matchAll(/^id: ?(.*)$/gm)].map(([, id = ""]) => id));
        outgoing.write(part);
      });
      answer.on("close", () => outgoing.end());
      return undefined;
    });
    forward.on("error", () => outgoing.destroy());
    outgoing.on("close", () => {
      open.delete(outgoing);
      forward.destroy();
    });
    return incoming.pipe(forward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    streams,
    /** From now on every answer is handed on as it comes. */
    stopBuffering: () => {
      isBuffering = false;
    },
    say: (text: string) => {
      for (const stream of open) stream.write(text);
    },
    /** What comes is dropped until the next stream begins. */
    hold: () => {
      isPaused = true;
    },
    /** As a server does that answers no longer than so many seconds. */
    endStreams: () => {
      for (const stream of [...open]) {
        open.delete(stream);
        stream.end();
      }
    },
    cut: (cut: boolean) => {
      isCut = cut;
      if (cut) server.closeAllConnections();
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function gather(answer: IncomingMessage, outgoing: ServerResponse): void {
  const parts: Buffer[] = [];
  answer.on("data", (part: Buffer) => parts.push(part));
  answer.on("end", () =>
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers).end(Buffer.concat(parts)),
  );
}
