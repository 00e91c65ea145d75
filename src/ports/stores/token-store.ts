import type { By } from "../../model/events.ts";
import type { Token } from "../../model/token.ts";

export interface TokenPage {
  readonly limit: number;
  readonly before?: number | undefined;
}

export interface TokenStore {
  addToken(token: Omit<Token, "createdAt" | "revokedAt"> & { readonly hash: string }, by: By): Promise<void>;
  /** Newest first, revoked and expired ones too; `place` is what the next page begins before. */
  tokens(page: TokenPage): Promise<readonly (Token & { readonly place: number })[]>;
  /** Whether any token was not revoked. */
  hasTokens(): Promise<boolean>;
  /** The live token with this hash. */
  tokenByHash(hash: string): Promise<Token | undefined>;
  /** False when there is none to revoke. */
  revokeToken(id: string, by: By): Promise<boolean>;
}
