import { createHash, createHmac } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writePrivate } from "./private-file.ts";
import { isAlive } from "./process/is-alive.ts";
import { nodeLocal } from "./process/node-local.ts";

/**
 * Where a running server of this user is reached. Readable by the owner alone: it holds a token, which lives as long as
 * the server, and is sent to nobody who cannot prove to have it.
 */
export interface ServerFile {
  readonly url: string;
  readonly token: string;
  /** Tells its own file from that of a server that has started after it. */
  readonly instance: string;
  readonly pid: number;
}

const serverFileName = (folder: string, databaseUrl: string): string =>
  join(folder, `server-${createHash("sha256").update(databaseUrl).digest("hex").slice(0, 16)}.json`);

export function writeServerFile(folder: string, databaseUrl: string, server: ServerFile): () => void {
  const file = serverFileName(folder, databaseUrl);
  writePrivate(file, JSON.stringify(server));
  return () => {
    if (readServerFile(file)?.instance === server.instance) rmSync(file, { force: true });
  };
}

/** The running server of this database; undefined when there is none that answers. */
export async function findServer(folder: string, databaseUrl: string): Promise<ServerFile | undefined> {
  const server = readServerFile(serverFileName(folder, databaseUrl));
  if (!server) return undefined;
  try {
    const challenge = nodeLocal.randomText(32);
    const response = await fetch(`${server.url}/health?challenge=${challenge}`, {
      signal: AbortSignal.timeout(1000),
      redirect: "error",
    });
    const { proof } = (await response.json()) as { proof?: string };
    return proof === proofOf(server.token, challenge) ? server : undefined;
  } catch {
    // A server that was killed has left its file, and the token in it.
    if (!isAlive(server.pid)) rmSync(serverFileName(folder, databaseUrl), { force: true });
    return undefined;
  }
}

/** What whoever has the token answers to a challenge: it tells the server from another program on its port. */
export const proofOf = (token: string, challenge: string): string =>
  createHmac("sha256", token).update(`edgemaker server ${challenge}`).digest("hex");

/** Earlier releases have kept one token for every start. */
export const forgetKeptToken = (folder: string): void => rmSync(join(folder, "token"), { force: true });

function readServerFile(file: string): ServerFile | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, "utf8")) as ServerFile;
  } catch {
    return undefined;
  }
}
