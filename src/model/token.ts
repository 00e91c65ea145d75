import type { Millis } from "../kernel/time.ts";

/** `agent` opens the MCP endpoint and nothing else: there it reads, and trades by plans where the server allows that. */
export type Scope = "read" | "trade" | "admin" | "agent";

export interface Token {
  readonly id: string;
  readonly name: string;
  readonly scope: Scope;
  /** Protocol time. */
  readonly createdAt: Millis;
  readonly expiresAt: Millis | null;
  readonly revokedAt: Millis | null;
  /** Where the server listens whose own machine's commands use it, as long as that server runs; null of all others. */
  readonly server: string | null;
}
