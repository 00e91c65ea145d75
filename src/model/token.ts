import { DAY, MINUTE, type Millis } from "../kernel/time.ts";

/** Lifetimes of a sign-in link and of its sign-in. */
export const LINK_LIFE: Millis = 10 * MINUTE;
export const SIGN_IN_LIFE: Millis = DAY;

/** `agent` allows only the MCP endpoint: reads, and trades by plans if the server allows them. */
export type Scope = "read" | "trade" | "admin" | "agent";

/** Returns a new token: 50 random characters of [0-9a-z], which is more than 256 bits. */
export const newToken = ({ randomText }: { randomText(length: number): string }): string =>
  `em_${randomText(50)}`;

export interface Token {
  readonly id: string;
  readonly name: string;
  /** `link` is the code of a sign-in link: it allows one sign-in and nothing else. */
  readonly scope: Scope | "link";
  /** Protocol time. */
  readonly createdAt: Millis;
  readonly expiresAt: Millis | null;
  readonly revokedAt: Millis | null;
  /** Address of the server whose machine's commands use this token while it runs; null for all other tokens. */
  readonly server: string | null;
  /** For a sign-in link and its sign-in: hash of the token that created the link. They end with that token. */
  readonly maker: string | null;
}
