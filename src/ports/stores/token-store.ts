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
   * Returns tokens newest first, including revoked and expired ones, without servers' own tokens, links and ended
   * sign-ins; `place` is where the next page begins.
   */
  tokens(page: TokenPage): Promise<readonly (Omit<Token, "maker"> & { readonly place: number })[]>;
  /** Returns whether a valid token exists, apart from tokens of servers, links and sign-ins. */
  hasTokens(): Promise<boolean>;
  /** Returns the valid token with this hash. Reads it from the database, not the cache, if its holder is about to write. */
  tokenByHash(hash: string, writes?: boolean | undefined): Promise<Token | undefined>;
  /** Ends a link and adds the token of its sign-in. Returns false when the link has ended. */
  redeemLink(link: string, token: SignInToken, by: By): Promise<boolean>;
  /** Revokes a token and all tokens that its sign-in links created. Returns false if there is none to revoke. */
  revokeToken(id: string, by: By): Promise<boolean>;
}
