import { hostname } from "node:os";
import { messageOf } from "../../src/kernel/errors.ts";
import type { Deps } from "../../src/ports/deps.ts";
import {
  HEARTBEAT_INTERVAL,
  type RunningServer,
  type ServerStore,
} from "../../src/ports/stores/server-store.ts";
import { isAlive } from "./process/is-alive.ts";
import { rounds } from "./rounds.ts";

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

/** Describes where a server runs: `http://… (process 7)`, with its machine if it is another one. */
export const describeServer = ({ url, host, pid }: RunningServer): string =>
  `${url}${host === hostname() ? "" : ` on ${host}`} (process ${pid})`;
