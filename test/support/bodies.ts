import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createGzip } from "node:zlib";

const MIB = 1024 * 1024;

/** What a server sends that wants to be read for ever: 300 MB in 300 KB, no end, or a byte now and then. */
export const BODIES = ["gzip", "endless", "dripping"] as const;
export type Body = (typeof BODIES)[number];

/** 300 MB of spaces, which JSON allows before a value, as one stream of gzip; packed once. */
let bomb: Promise<Buffer> | undefined;

async function pack(): Promise<Buffer> {
  const gzip = createGzip({ level: 6 });
  const parts: Buffer[] = [];
  gzip.on("data", (part: Buffer) => parts.push(part));
  const spaces = Buffer.alloc(10 * MIB, " ");
  for (let sent = 0; sent < 30; sent++) if (!gzip.write(spaces)) await once(gzip, "drain");
  gzip.end();
  await once(gzip, "end");
  return Buffer.concat(parts);
}

/** A server on loopback each of whose answers is of this kind; says how many were asked for and how many still last. */
export async function bodyServer(kind: Body) {
  if (kind === "gzip") bomb ??= pack();
  const packed = (await bomb) ?? Buffer.alloc(0);
  const sent = { answers: 0, open: 0 };
  const server = createServer((request, response) => {
    request.resume();
    sent.answers++;
    sent.open++;
    response.on("close", () => sent.open--);
    response.writeHead(200, {
      "content-type": "application/json",
      ...(kind === "gzip" ? { "content-encoding": "gzip" } : {}),
    });
    if (kind === "gzip") response.end(packed);
    else if (kind === "endless") endless(response);
    else drip(response);
  });
  function endless(response: ServerResponse) {
    const part = Buffer.alloc(64 * 1024, " ");
    const go = () => {
      while (!response.destroyed && response.write(part));
    };
    response.on("drain", go);
    go();
  }
  function drip(response: ServerResponse) {
    const timer = setInterval(() => response.write(" "), 20);
    response.on("close", () => clearInterval(timer));
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    sent,
    packed: packed.length,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
