import { createServer } from "node:net";
import { messageOf } from "../../src/kernel/errors.ts";
import { plainText } from "../../src/kernel/plain-text.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { dataDirectory } from "../host/directories.ts";
import { describeServer, runningServers } from "../host/running-servers.ts";
import { findServer, type ServerFile } from "../host/server-file.ts";
import { type CliSettings, portFlag } from "../host/settings.ts";
import type { Values } from "../terminal/arguments.ts";

type Finding = "ok" | "note" | "bad";

export interface Check {
  readonly check: string;
  readonly finding: Finding;
  readonly detail: string;
}

export const checked = (check: string, finding: Finding, detail: string): Check => ({
  check,
  finding,
  detail,
});

/** Reports the server of this database, or whether its port is free. */
export async function portFree(values: Values, { databaseUrl }: CliSettings): Promise<Check> {
  const port = portFlag(values);
  const server = await findServer(dataDirectory(process.env), databaseUrl);
  if (server) return readyOf(server);
  const isFree = await new Promise<boolean>((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
  return isFree
    ? checked("port", "ok", `${port} is free`)
    : checked("port", "note", `${port} is in use; choose another one with --port`);
}

/** Reports the servers of a database that another user started, or that run on another machine. */
export async function serversElsewhere(deps: Deps, checks: readonly Check[]): Promise<readonly Check[]> {
  const servers = (await runningServers(deps)).map((server) => `runs at ${describeServer(server)}`);
  return servers
    .filter((server) => !checks.some(({ detail }) => detail.startsWith(server)))
    .map((server) =>
      checked("server", "note", `${server}; only its user can read its state, on its machine`),
    );
}

/** Reads a running server's own state: only the server knows whether its database file was replaced. */
export async function readyOf({ url, pid, token }: ServerFile): Promise<Check> {
  const runs = `runs at ${url} (process ${pid})`;
  try {
    const answer = await fetch(`${url}/ready`, { signal: AbortSignal.timeout(5000), redirect: "error" });
    if (answer.ok) return checked("server", "ok", `${runs}${await streamsText({ url, token })}`);
    const { message } = (await answer.json()) as { message?: string };
    return checked("server", "bad", `${runs} but is not ready: ${plainText(message ?? "")}`);
  } catch (error) {
    return checked("server", "bad", `${runs} but does not respond: ${messageOf(error)}`);
  }
}

/** Describes the streams of a running server by their metrics; empty without streams. */
async function streamsText({ url, token }: Pick<ServerFile, "url" | "token">): Promise<string> {
  const headers = { authorization: `Bearer ${token}` };
  const metrics = await fetch(`${url}/metrics`, { headers, signal: AbortSignal.timeout(5000) })
    .then((answer) => (answer.ok ? answer.text() : undefined))
    .catch(() => undefined);
  if (metrics === undefined) return "; its streams could not be read";
  const samples = [...metrics.matchAll(/^edgemaker_stream_live\{exchange="([^"]*)".*\} ([01])$/gm)];
  if (samples.length === 0) return "";
  const states = samples.map(
    ([, exchange = "", live]) => `${exchange} ${live === "1" ? "live" : "not live"}`,
  );
  return `; streams: ${plainText(states.join(", "))}`;
}
