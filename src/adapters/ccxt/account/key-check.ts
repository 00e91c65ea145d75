import { ZERO } from "../../../kernel/decimal.ts";
import { VenueError } from "../../../kernel/errors.ts";
import { type AccountRef, accountKey } from "../../../model/account.ts";
import type { Keys } from "../../../ports/venue.ts";
import type { AccountKind } from "../client/keeping.ts";
import type { ExchangeLink } from "./exchange-link.ts";
import { balancesOf } from "./reading.ts";
import { createSession, type PrivateSession } from "./session.ts";

export interface KeyCheck {
  /** Assets that the account holds. */
  readonly assets: number;
  /** Undefined where the exchange does not tell. */
  readonly mayWithdraw: boolean | undefined;
  /** Undefined where the exchange has one kind alone. */
  readonly kind: AccountKind | undefined;
}

/** Asks the exchange what these keys open and what they may do. Throws VenueError when it refuses them. */
export async function checkKeys(link: ExchangeLink, account: AccountRef, keys: Keys): Promise<KeyCheck> {
  const session = sessionOf(link, account, keys);
  const result = await session.read("balances", undefined, (exchange) => link.quirks.balances(exchange));
  const held = balancesOf(result, link.quirks).filter(({ free, used }) => free + used > ZERO);
  const mayWithdraw = await rightsOf(link, session).catch(unlessRefused);
  return { assets: held.length, mayWithdraw, kind: session.kind() };
}

/** What these keys may do, alone. Throws VenueError where the exchange does not say. */
export const askKeyRights = (
  link: ExchangeLink,
  account: AccountRef,
  keys: Keys,
): Promise<boolean | undefined> => rightsOf(link, sessionOf(link, account, keys));

const sessionOf = (link: ExchangeLink, account: AccountRef, keys: Keys): PrivateSession =>
  createSession(link, { account: accountKey(account), keys: async () => keys });

const rightsOf = (link: ExchangeLink, session: PrivateSession): Promise<boolean | undefined> =>
  session.read("balances", undefined, (exchange) => link.quirks.mayWithdraw(exchange));

/** Keys that have just read balances are right ones: what refuses this question is a right that they lack. */
function unlessRefused(error: unknown): undefined {
  if (error instanceof VenueError && (error.failure === "invalid_credentials" || error.failure === "refused"))
    return;
  throw error;
}
