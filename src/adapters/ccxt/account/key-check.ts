import { ZERO } from "../../../kernel/decimal.ts";
import { VenueError } from "../../../kernel/errors.ts";
import { type AccountRef, accountKey } from "../../../model/account.ts";
import type { Keys } from "../../../ports/venue.ts";
import type { AccountKind } from "../client/keeping.ts";
import type { ExchangeLink } from "./exchange-link.ts";
import { balancesOf } from "./reading.ts";
import { createSession, type PrivateSession } from "./session.ts";

export interface KeyCheck {
  /** Number of assets in the account. */
  readonly assets: number;
  /** Undefined if the exchange does not report it. */
  readonly mayWithdraw: boolean | undefined;
  /** Undefined if the exchange has only one kind. */
  readonly kind: AccountKind | undefined;
}

/** Reads which account these keys open, and their permissions. Throws VenueError if the exchange rejects them. */
export async function checkKeys(link: ExchangeLink, account: AccountRef, keys: Keys): Promise<KeyCheck> {
  const session = sessionOf(link, account, keys);
  const result = await session.read("balances", undefined, (exchange) => link.quirks.balances(exchange));
  const nonzero = balancesOf(result, link.quirks).filter(({ free, used }) => free + used > ZERO);
  const mayWithdraw = await rightsOf(link, session).catch(unlessRefused);
  return { assets: nonzero.length, mayWithdraw, kind: session.kind() };
}

/** Reads only the permissions of these keys. Throws VenueError if the exchange does not return them. */
export const askKeyRights = (
  link: ExchangeLink,
  account: AccountRef,
  keys: Keys,
): Promise<boolean | undefined> => rightsOf(link, sessionOf(link, account, keys));

const sessionOf = (link: ExchangeLink, account: AccountRef, keys: Keys): PrivateSession =>
  createSession(link, { account: accountKey(account), keys: async () => keys });

const rightsOf = (link: ExchangeLink, session: PrivateSession): Promise<boolean | undefined> =>
  session.read("balances", undefined, (exchange) => link.quirks.mayWithdraw(exchange));

/** Treats a refusal as a missing permission, because keys that have just read balances are valid. */
function unlessRefused(error: unknown): undefined {
  if (error instanceof VenueError && (error.failure === "invalid_credentials" || error.failure === "refused"))
    return;
  throw error;
}
