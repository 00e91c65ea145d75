import { ZERO } from "../../kernel/decimal.ts";
import type { AccountRef, Keys } from "../../ports.ts";
import { accountKey } from "../../records.ts";
import type { Place } from "./place.ts";
import { balancesOf } from "./reading.ts";
import { createSession } from "./session.ts";

export interface KeyCheck {
  /** Assets that the account holds. */
  readonly assets: number;
  /** Undefined where the exchange does not tell. */
  readonly mayWithdraw: boolean | undefined;
}

/** Asks the exchange what these keys open and what they may do. Throws VenueError when it refuses them. */
export async function checkKeys(place: Place, account: AccountRef, keys: Keys): Promise<KeyCheck> {
  const { quirks } = place;
  const session = createSession(place, { account: accountKey(account), keys: async () => keys });
  const told = await session.read("balances", undefined, (exchange) => quirks.balances(exchange));
  const held = balancesOf(told, quirks).filter(({ free, used }) => free + used > ZERO);
  const mayWithdraw = await session.read("balances", undefined, (exchange) => quirks.mayWithdraw(exchange));
  return { assets: held.length, mayWithdraw };
}
