import { createServer } from "node:net";
import { threadId } from "node:worker_threads";

const PORTS = { from: 10_000, count: 22_000 };
let requestCount = 0;

/**
 * For what has to be at a port that is known before, or again. These lie below the ports that systems give, and every
 * process of tests begins elsewhere, so that nobody else takes one between its being found and its use.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.from + ((process.pid * 37 + threadId * 17 + requestCount++) % PORTS.count);
    if (await isFree(port)) return port;
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.on("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
