import { type AccountRef, accountKey } from "../../model/account.ts";
import type { Limits, LimitsRead, LimitsRequest, StandingsRead } from "../../model/limits.ts";
import { accountLimits, ownLimits, scopeOfAccount, scopeOfToken, usedOf } from "../standing.ts";

/** Sources of limits: stored limits, and those of the operator's settings. */
interface LimitsDeps {
  readonly store: { readLimits(request: LimitsRequest): Promise<LimitsRead> };
  readonly limits?: Limits | undefined;
}

/** Reads the limits that apply now to an order of `actor` on an account. */
export async function readStandings(
  { store, limits }: LimitsDeps,
  account: AccountRef,
  actor: string,
): Promise<StandingsRead> {
  const key = accountKey(account);
  const [ofAccount, ofToken] = [scopeOfAccount(key), scopeOfToken(actor)];
  const countsOpen = limits?.openOrders !== undefined;
  const read = await store.readLimits({ scopes: [ofAccount, ofToken], account: key, actor, countsOpen });
  const { now, stored, uses, openOrders, openOfActor } = read;
  const usesOf = (scope: string) => uses.filter((use) => use.scope === scope);
  return {
    version: stored.version,
    now,
    all: [
      {
        scope: ofAccount,
        actor: null,
        limits: accountLimits(stored, account.exchange, limits),
        used: usedOf(usesOf(ofAccount), { now, openOrders }),
      },
      {
        scope: ofToken,
        actor,
        limits: ownLimits(stored, ofToken),
        used: usedOf(usesOf(ofToken), { now, openOrders: openOfActor }),
      },
    ],
  };
}
