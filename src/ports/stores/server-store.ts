import { SECOND } from "../../kernel/time.ts";

/** Interval of a server's heartbeats, and how long it counts as running after one. */
export const HEARTBEAT_INTERVAL = 10 * SECOND;
export const HEARTBEAT_LIFE = 30 * SECOND;

/** A server that runs on the database. */
export interface RunningServer {
  readonly instance: string;
  /** Address for programs on its machine. */
  readonly url: string;
  readonly host: string;
  readonly pid: number;
}

export interface ServerStore {
  /** Records that a server runs now. */
  recordServer(server: RunningServer): Promise<void>;
  removeServer(instance: string): Promise<void>;
  /** Returns the servers with a recent heartbeat, the newest first. */
  runningServers(): Promise<readonly RunningServer[]>;
}
