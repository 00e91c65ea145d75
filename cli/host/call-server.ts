interface ServerAnswer {
  readonly status: number;
  readonly text: string;
}

interface ServerRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Milliseconds until it gives up. */
  readonly timeout: number;
}

/**
 * Sends a request to an edgemaker server; follows no redirect. Uses `node:http`, because the first `fetch` of a
 * process takes more CPU time than the rest of a command. Throws if there is no response.
 */
export async function callServer(
  address: string,
  { method = "GET", headers, body, timeout }: ServerRequest,
): Promise<ServerAnswer> {
  const url = new URL(address);
  // Not imported, because an import of `node:http` loads the client of `fetch` too.
  const { request } = process.getBuiltinModule(url.protocol === "https:" ? "node:https" : "node:http");
  const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const failed = (error: Error) => reject(causeBehind(error));
    const sent = request(
      url,
      // A new connection each time: the server can close a reused one just when the next request leaves.
      { method, headers: { ...headers, ...length }, agent: false, signal: AbortSignal.timeout(timeout) },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (part: string) => {
          text += part;
        });
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
        response.on("error", failed);
      },
    );
    sent.on("error", failed);
    sent.end(body);
  });
}

/** Returns the timeout behind an aborted request, and the first error if all addresses of a host failed. */
const causeBehind = (error: Error): unknown =>
  error.cause ?? (error instanceof AggregateError ? error.errors[0] : undefined) ?? error;
