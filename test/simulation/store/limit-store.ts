import { DAY, type Millis } from "../../../src/kernel/time.ts";
import { EVERY_ACCOUNT } from "../../../src/model/events.ts";
import type { Order } from "../../../src/model/order.ts";
import type { LimitStore } from "../../../src/ports/stores/store.ts";
import { newestUses, wholeUnits } from "./limits.ts";
import type { Tables } from "./tables.ts";

export const memoryLimitStore = (tables: Tables, now: () => Millis): LimitStore => ({
  async readLimits({ scopes, account, actor, countsOpen = false }) {
    const isRequested = countsOpen || Object.values(tables.limits.set).some((set) => set.openOrders != null);
    const open = [...tables.unsettled].map((id) => tables.orders.get(id) as Order);
    return {
      now: now(),
      stored: tables.limits,
      uses: scopes.flatMap((scope) => newestUses(tables, scope)),
      openOrders: isRequested ? open.filter((order) => order.account === account).length : null,
      openOfActor: isRequested ? open.filter((order) => order.actor === actor).length : null,
    };
  },

  async setLimits({ version, scope, settings, message }, by) {
    if (tables.limits.version !== version) return false;
    tables.limits = { version: version + 1, set: { ...tables.limits.set, [scope]: settings } };
    tables.events.push({ account: EVERY_ACCOUNT, strategy: null, at: now(), kind: "limits", message, ...by });
    return true;
  },

  async useLimit({ scope, asset, notional, most }) {
    const day = Math.floor(now() / DAY);
    const key = [scope, day, asset].join(" ");
    const before = tables.limitUses.get(key);
    const sum = (before?.notional ?? 0n) + wholeUnits(notional);
    if (most !== null && sum > most) return false;
    tables.limitUses.set(key, {
      scope,
      day,
      asset,
      notional: sum,
      orders: (before?.orders ?? 0) + 1,
      at: now(),
    });
    return true;
  },
});
