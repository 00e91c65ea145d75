import type { Millis } from "../../kernel/time.ts";
import type { By } from "../../model/events.ts";
import type { Token } from "../../model/token.ts";

export interface TokenPage {
  readonly limit: number;
  readonly before?: number | undefined;
}

export type NewToken = Omit<Token, "createdAt" | "revokedAt" | "server" | "maker"> & {
  readonly hash: string;
  readonly server?: string;
  readonly maker?: string;
};

/** Result of redeeming a sign-in link. */
export type SignInToken = NewToken & { readonly maker: string; readonly expiresAt: Millis };

export interface TokenStore {
  addToken(token: NewToken, by: By): Promise<void>;
  /**
   * Newest first, revoked and expired ones too, except servers' own, links and sign-ins that have ended; `place` is what the
   * next page begins before.
   */
  tokens(page: TokenPage): Promise<readonly (Omit<Token, "maker"> & { readonly place: number })[]>;
  /** Returns whether a valid token exists, apart from tokens of servers, links and sign-ins. */
  hasTokens(): Promise<boolean>;
  /** Returns the valid token with this hash. Reads it from the database, not the cache, if its holder is about to write. */
  tokenByHash(hash: string, writes?: boolean | undefined): Promise<Token | undefined>;
  /** Ends a link and adds the token of its sign-in. Returns false when the link has ended. */
  redeemLink(link: string, token: SignInToken, by: By): Promise<boolean>;
  /** Revokes a token and all that was signed in by its links. Returns false when there is none to revoke. */
  revokeToken(id: string, by: By): Promise<boolean>;
}
