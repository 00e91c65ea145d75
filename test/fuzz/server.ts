import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { root } from "../support/bundle.ts";
import { eventually, spawnServer } from "../support/server.ts";
import { makeFolder } from "../support/temp.ts";
import type { Request } from "./requests.ts";

export interface Target {
  readonly url: string;
  readonly token: string;
  /** Bytes of the heap beside code after its garbage is collected, where the server is our own. */
  heap(): Promise<number | undefined>;
  close(): Promise<void>;
}

export function options() {
  const { values } = parseArgs({
    options: {
      runs: { type: "string", default: "100000" },
      seed: { type: "string", default: String(Date.now() % 1_000_000) },
      url: { type: "string" },
      token: { type: "string" },
    },
  });
  const { url, token } = values;
  return {
    runs: Number(values.runs),
    seed: Number(values.seed),
    ...(url && token ? { given: { url, token } } : {}),
  };
}

/** The server that is named, or one of simulated exchanges made for the run. */
export async function target(given?: { readonly url: string; readonly token: string }): Promise<Target> {
  if (given) return { ...given, heap: async () => undefined, close: async () => undefined };
  const folder = makeFolder();
  const server = spawnServer(folder.path, ["--sandbox", "--tick-interval", "1000"], {}, [
    process.execPath,
    "--expose-gc",
    "--import",
    pathToFileURL(join(root, "test/fuzz/heap.mjs")).href,
  ]);
  const url = await server.listens;
  if (url === undefined) throw new Error(`the server does not start: ${server.stderr()}`);
  return {
    url,
    token: server.token,
    async heap() {
      const format = () => [...server.stderr().matchAll(/^heap (\d+)$/gm)];
      const before = format().length;
      server.child.kill("SIGUSR2");
      const after = await eventually(
        async () => format(),
        (all) => all.length > before,
      );
      return Number(after.at(-1)?.[1]);
    },
    async close() {
      await server.kill("SIGKILL");
      folder.remove();
    },
  };
}

export async function send({ url, token }: Target, { method, path, headers, body }: Request) {
  const startedAt = performance.now();
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
    ...(body === undefined || method === "GET" ? {} : { body }),
  });
  const text = await answer.text();
  return { status: answer.status, text, millis: performance.now() - startedAt };
}
