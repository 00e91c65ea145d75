import { DAY, type Millis, timeInPast } from "../../../src/kernel/time.ts";
import type { LimitTerms, LimitUse } from "../../../src/model/limits.ts";
import type { Order } from "../../../src/model/order.ts";
import type { Tables } from "./tables.ts";

const keyOf = ({ scope, day, asset }: Pick<LimitUse, "scope" | "day" | "asset">): string =>
  [scope, day, asset].join(" ");

/** Limits count in units of 1e-8. */
const UNIT = 10n ** 10n;
/** What an action counts, rounded up to whole units. */
export const wholeUnits = (notional: bigint): bigint => ((notional + UNIT - 1n) / UNIT) * UNIT;

/** Newest first, as many as libSQL reads. */
export const newestUses = ({ limitUses }: Tables, scope: string): LimitUse[] =>
  [...limitUses.values()]
    .filter((use) => use.scope === scope)
    .sort((a, b) => b.day - a.day)
    .slice(0, 20);

/** The same condition as of the insert on libSQL: what limits leave of a group of intents. */
export function withinLimits(
  tables: Tables,
  intents: readonly Order[],
  { terms, now }: { readonly terms: LimitTerms | null; readonly now: Millis },
): readonly Order[] {
  if (!terms) return intents;
  const day = Math.floor(now / DAY);
  let [count, notional] = [0, 0n];
  return intents.filter((order) => {
    count++;
    const counted = terms.counted[order.clientId] ?? 0n;
    notional += wholeUnits(counted);
    if (order.kind === "exit") return true;
    const open = [...tables.unsettled].map((id) => tables.orders.get(id) as Order);
    return (
      terms.version === tables.limits.version &&
      terms.scopes.every(({ scope, actor, dayNotional, openOrders, orderGapMillis }) => {
        const uses = [...tables.limitUses.values()].filter((use) => use.scope === scope);
        const today = uses.find((use) => use.day === day && use.asset === terms.asset)?.notional ?? 0n;
        const mine = open.filter(
          (one) => one.account === order.account && (actor === null || one.actor === actor),
        );
        const last = Math.max(
          0,
          ...uses.map(({ at, day: of }) => (of >= day - 1 ? (timeInPast(at, now) ?? 0) : 0)),
        );
        return (
          (dayNotional === null || counted === 0n || today + notional <= dayNotional) &&
          (openOrders === null || mine.length + count <= openOrders) &&
          (orderGapMillis === null || (count === 1 && last + orderGapMillis <= now))
        );
      })
    );
  });
}

export function countUses(
  tables: Tables,
  recorded: readonly Order[],
  { terms, now }: { readonly terms: LimitTerms | null; readonly now: Millis },
): void {
  for (const { scope } of recorded.length > 0 ? (terms?.scopes ?? []) : []) {
    const [day, asset] = [Math.floor(now / DAY), terms?.asset ?? ""];
    const key = keyOf({ scope, day, asset });
    const before = tables.limitUses.get(key);
    const notional = recorded.reduce(
      (sum, { clientId }) => sum + wholeUnits(terms?.counted[clientId] ?? 0n),
      0n,
    );
    tables.limitUses.set(key, {
      scope,
      day,
      asset,
      notional: (before?.notional ?? 0n) + notional,
      orders: (before?.orders ?? 0) + recorded.length,
      at: now,
    });
  }
}
