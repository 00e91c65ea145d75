import { accountLimits, scopeOfAccount, usedOf } from "../../limits/standing.ts";
import { parseAccountKey } from "../../model/account.ts";
import type { Bounds, Limits } from "../../model/limits.ts";
import type { Snapshot } from "../../ports/stores/step-store.ts";

/** Returns the limits of this pass's orders: the account's limits minus their usage. */
export function boundsOf(
  { lease: { account, now }, orders, limits: stored, limitUses }: Snapshot,
  settings: Limits | undefined,
): Bounds {
  const { exchange, host } = parseAccountKey(account);
  const standing = {
    scope: scopeOfAccount(account),
    actor: null,
    limits: accountLimits(stored, exchange, settings),
    used: usedOf(limitUses, { now, openOrders: orders.length }),
  };
  return {
    standings: { version: stored.version, all: [standing] },
    // A simulated price belongs to the moment of the request, in simulated time.
    now: host === "" ? undefined : now,
  };
}
