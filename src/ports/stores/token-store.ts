import type { By } from "../../model/events.ts";
import type { Token } from "../../model/token.ts";

export interface TokenPage {
  readonly limit: number;
  readonly before?: number | undefined;
}

export type NewToken = Omit<Token, "createdAt" | "revokedAt" | "server"> & {
  readonly hash: string;
  readonly server?: string;
};

export interface TokenStore {
  addToken(token: NewToken, by: By): Promise<void>;
  /** Newest first, revoked and expired ones too, but no servers' own that are over; `place` is what the next page begins before. */
  tokens(page: TokenPage): Promise<readonly (Token & { readonly place: number })[]>;
  /** Whether anybody has a live token but servers their own. */
  hasTokens(): Promise<boolean>;
  /** The live token with this hash; read anew where its holder is about to write, since what is kept rarely stands then. */
  tokenByHash(hash: string, writes?: boolean | undefined): Promise<Token | undefined>;
  /** False when there is none to revoke. */
  revokeToken(id: string, by: By): Promise<boolean>;
}
