import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { nodeLocal } from "./node-runtime.ts";
import { writePrivate } from "./private-file.ts";

/** Where a running server of this user is reached. Readable by the owner alone: it holds a token. */
export interface ServerFile {
  readonly url: string;
  readonly token: string;
  /** Asked of /health, so that a token is never sent to another program on the same port. */
  readonly instance: string;
  readonly pid: number;
}

const nameOf = (folder: string, databaseUrl: string): string =>
  join(folder, `server-${createHash("sha256").update(databaseUrl).digest("hex").slice(0, 16)}.json`);

export function writeServerFile(folder: string, databaseUrl: string, server: ServerFile): () => void {
  const file = nameOf(folder, databaseUrl);
  writePrivate(file, JSON.stringify(server));
  return () => {
    if (read(file)?.instance === server.instance) rmSync(file, { force: true });
  };
}

/** The running server of this database; undefined when there is none that answers. */
export async function findServer(folder: string, databaseUrl: string): Promise<ServerFile | undefined> {
  const server = read(nameOf(folder, databaseUrl));
  if (!server) return undefined;
  try {
    const response = await fetch(`${server.url}/health`, {
      signal: AbortSignal.timeout(1000),
      redirect: "error",
    });
    const health = (await response.json()) as { instance?: string };
    return health.instance === server.instance ? server : undefined;
  } catch {
    // A server that was killed has left its file, and the token in it.
    if (!isAlive(server.pid)) rmSync(nameOf(folder, databaseUrl), { force: true });
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** The token of this user's own command line, made at the first `serve` and kept, so that it can be used elsewhere too. */
export function localToken(folder: string): {
  readonly token: string;
  readonly file: string;
  readonly isNew: boolean;
} {
  const file = join(folder, "token");
  if (existsSync(file)) return { token: readFileSync(file, "utf8").trim(), file, isNew: false };
  const token = newToken();
  writePrivate(file, `${token}\n`);
  return { token, file, isNew: true };
}

/** 50 characters of [0-9a-z]: more than 256 random bits. */
export const newToken = (): string => `em_${nodeLocal.randomText(50)}`;

function read(file: string): ServerFile | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, "utf8")) as ServerFile;
  } catch {
    return undefined;
  }
}
