import { createHash, createHmac } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { messageOf } from "../../src/kernel/errors.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { HEARTBEAT_INTERVAL, type RunningServer, type ServerStore } from "../../src/ports/stores/store.ts";
import { callServer } from "./call-server.ts";
import { writePrivate } from "./kill-file.ts";
import { isAlive, nodeLocal } from "./process/node-local.ts";

/** Records that this server runs, until it is stopped. */
export async function startHeartbeat(
  { store, log }: Pick<Deps, "store" | "log">,
  server: Pick<RunningServer, "instance" | "url">,
) {
  const row = { ...server, host: hostname(), pid: process.pid };
  await store.recordServer(row);
  const beats = rounds(HEARTBEAT_INTERVAL, () =>
    store
      .recordServer(row)
      .catch((error: unknown) => log("warn", "no heartbeat was written", { reason: messageOf(error) })),
  );
  return {
    async stop() {
      await beats.stop();
      // Without the database, the row ends with its heartbeat.
      await store.removeServer(server.instance).catch(() => undefined);
    },
  };
}

/**
 * Returns the servers that run on a database, in any home and on any machine. A server of this machine ends with its
 * process, another one with its heartbeat.
 */
export async function runningServers({
  store,
}: {
  readonly store: Pick<ServerStore, "runningServers">;
}): Promise<readonly RunningServer[]> {
  const servers = await store.runningServers();
  return servers.filter(({ host, pid }) => host !== hostname() || isAlive(pid));
}

/** Returns the warning that no server runs the strategies of a database; undefined if one does. */
export const warningWithoutServer = async (
  database: Parameters<typeof runningServers>[0],
  flags: string,
): Promise<string | undefined> =>
  (await runningServers(database)).length > 0
    ? undefined
    : `No server is running, so nothing watches it; start \`edgemaker serve${flags}\`.`;

/** Describes where a server runs: `http://… (process 7)`, with its machine if it is another one. */
export const describeServer = ({ url, host, pid }: RunningServer): string =>
  `${url}${host === hostname() ? "" : ` on ${host}`} (process ${pid})`;

/**
 * Runs rounds one after another until stopped: a late round delays the next, none overlap, and stopping waits for the
 * current one. It does not wait between rounds while `isPressing`.
 */
export function rounds(interval: number, round: () => Promise<void>, isPressing = () => false) {
  let isStopping = false;
  let wake: () => void = () => undefined;
  const loop = async () => {
    while (!isStopping) {
      const startedAt = nodeLocal.monotonic();
      await round();
      // A stop during the round has nothing to wake.
      if (isStopping) return;
      const wait = isPressing() ? 0 : Math.max(0, interval - (nodeLocal.monotonic() - startedAt));
      await new Promise<void>((resolve) => {
        wake = resolve;
        setTimeout(resolve, wait).unref();
      });
    }
  };
  const running = loop();
  return {
    /** Starts the next round at once, unless one runs. */
    wake: () => wake(),
    async stop() {
      isStopping = true;
      wake();
      await running;
    },
  };
}

/**
 * Address of a running server of this user. Only the owner can read it, because it contains a token. The token lives
 * as long as the server, and commands send it only to a server that proves to have it.
 */
export interface ServerFile {
  readonly url: string;
  readonly token: string;
  /** Distinguishes its file from those of the database's other servers. */
  readonly instance: string;
  readonly pid: number;
}

const FILE_PREFIX = "server-";
const filePrefix = (databaseUrl: string): string =>
  `${FILE_PREFIX}${createHash("sha256").update(databaseUrl).digest("hex").slice(0, 16)}-`;

/** Writes one file per server; a server that stops removes only its own. */
export function writeServerFile(folder: string, databaseUrl: string, server: ServerFile): () => void {
  const file = join(folder, `${filePrefix(databaseUrl)}${server.instance}.json`);
  writePrivate(file, JSON.stringify(server));
  return () => rmSync(file, { force: true });
}

/** Returns a server of this database that commands of this user can call; undefined if none responds. */
export const findServer = async (folder: string, databaseUrl: string): Promise<ServerFile | undefined> =>
  (await findServers(folder, filePrefix(databaseUrl)))[0];

/** Returns the servers that commands of this user can call; default: those of all databases. */
export async function findServers(folder: string, prefix = FILE_PREFIX): Promise<readonly ServerFile[]> {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith(prefix)) : [];
  const found = await Promise.all(names.map((name) => checkServer(join(folder, name))));
  return found.filter((server) => server !== undefined);
}

async function checkServer(file: string): Promise<ServerFile | undefined> {
  const server = readServerFile(file);
  if (!server) return undefined;
  try {
    const challenge = nodeLocal.randomText(32);
    const { text } = await callServer(`${server.url}/health?challenge=${challenge}`, { timeout: 1000 });
    const { proof } = JSON.parse(text) as { proof?: string };
    return proof === proofOf(server.token, challenge) ? server : undefined;
  } catch {
    // A killed server has left its file with its token.
    if (!isAlive(server.pid)) rmSync(file, { force: true });
    return undefined;
  }
}

/** Returns the proof for a challenge, which distinguishes the server from another program on its port. */
export const proofOf = (token: string, challenge: string): string =>
  createHmac("sha256", token).update(`edgemaker server ${challenge}`).digest("hex");

/** Removes the token file of earlier releases, which reused one token. */
export const forgetKeptToken = (folder: string): void => rmSync(join(folder, "token"), { force: true });

function readServerFile(file: string): ServerFile | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, "utf8")) as ServerFile;
  } catch {
    return undefined;
  }
}
