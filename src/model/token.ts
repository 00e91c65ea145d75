import type { Millis } from "../kernel/time.ts";

/** `agent` opens the MCP endpoint and nothing else: there it reads, and trades by plans where the server allows that. */
export type Scope = "read" | "trade" | "admin" | "agent";

/** Returns the text of a new token: 50 characters of [0-9a-z], which are more than 256 random bits. */
export const newToken = ({ randomText }: { randomText(length: number): string }): string =>
  `em_${randomText(50)}`;

export interface Token {
  readonly id: string;
  readonly name: string;
  /** `link` is the code of a sign-in link: it signs in once, and opens nothing itself. */
  readonly scope: Scope | "link";
  /** Protocol time. */
  readonly createdAt: Millis;
  readonly expiresAt: Millis | null;
  readonly revokedAt: Millis | null;
  /** Where the server listens whose own machine's commands use it, as long as that server runs; null of all others. */
  readonly server: string | null;
  /** Of a sign-in link, and of a token that one was redeemed for: hash of the token that made the link, with which it ends. */
  readonly maker: string | null;
}
