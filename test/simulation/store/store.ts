import { StoreError } from "../../../src/kernel/errors.ts";
import { DAY, type Millis } from "../../../src/kernel/time.ts";
import { ownerName } from "../../../src/model/account.ts";
import { EVERY_ACCOUNT, manualOrderEvent } from "../../../src/model/events.ts";
import { firstMet, type Order } from "../../../src/model/order.ts";
import type { Strategy } from "../../../src/model/strategy.ts";
import type { PassStore } from "../../../src/ports/stores/pass-store.ts";
import type {
  AuditStore,
  HistoryStore,
  LimitStore,
  ManualOrderStore,
  StrategyStore,
  StrategyView,
} from "../../../src/ports/stores/store.ts";
import { memoryHistoryStore } from "./history-store.ts";
import { countUses, newestUses, wholeUnits, withinLimits } from "./limits.ts";
import { isExpected, memoryStepStore, metOf } from "./pass-store.ts";
import { accountRow, putOrder, type Tables } from "./tables.ts";

type Reported = Pick<AuditStore, "note" | "noteAhead">;

/** What trades needs to be kept; it lives as long as the process: for simulations and backtests. */
export function memoryStore(
  tables: Tables,
  now: () => Millis,
): PassStore & StrategyStore & HistoryStore & ManualOrderStore & LimitStore & Reported {
  const note: Reported["note"] = async (eventView, by) => {
    tables.events.push({ ...eventView, at: now(), ...by });
  };
  return {
    note,
    noteAhead: note,
    ...memoryStepStore(tables, now),
    ...memoryHistoryStore(tables),
    ...memoryLimitStore(tables, now),

    async createStrategy({ prefix, isKilledHere = () => false, ...strategy }, by) {
      const known = [...tables.strategies.values()].find(
        ({ request }) => request !== null && request === strategy.request,
      );
      if (known) return known;
      if (tables.kill.on || isKilledHere()) return undefined;
      const newest = Math.max(-1, ...[...tables.strategies.values()].map(({ number }) => number));
      const number = Math.max(strategy.startedAt, newest + 1);
      const created: Strategy = {
        ...strategy,
        name: strategy.name ?? null,
        epoch: tables.epoch,
        resumes: 0,
        edit: null,
        edits: 0,
        number,
        id: `${prefix}-${number}`,
      };
      accountRow(tables, strategy.account);
      tables.strategies.set(created.id, created);
      tables.events.push({
        account: created.account,
        strategy: created.id,
        at: now(),
        kind: "started",
        message: created.symbol,
        ...by,
      });
      return created;
    },

    async strategies({ id, request, account, kind, stopped = true, page }) {
      const expected = [...tables.strategies.values()].filter(
        (one) =>
          (id === undefined || one.id === id) &&
          (request === undefined || one.request === request) &&
          (account === undefined || one.account === account) &&
          (kind === undefined || one.kind === kind) &&
          one.number < (page?.before ?? Number.POSITIVE_INFINITY) &&
          (stopped || one.status !== "stopped"),
      );
      const sorted = expected.sort((a, b) => (page ? b.number - a.number : a.number - b.number));
      return sorted.slice(0, page?.limit).map((strategy) => viewOf(tables, strategy, now()));
    },

    strategiesNamed: async (name) => [...tables.strategies.values()].filter((one) => one.name === name),

    async rename(id, name) {
      const strategy = tables.strategies.get(id);
      if (strategy) tables.strategies.set(id, { ...strategy, name });
    },

    async setWants(id, wants, how, by) {
      const strategy = tables.strategies.get(id);
      if (!strategy || strategy.status === "stopped") return;
      tables.strategies.set(id, { ...strategy, wants, ...how });
      resume(tables, strategy.account);
      tables.events.push({
        account: strategy.account,
        strategy: id,
        at: now(),
        kind: "wants",
        message: wants,
        ...by,
      });
    },

    async setPaused(id, pause, by) {
      const strategy = tables.strategies.get(id);
      if (!strategy || strategy.status === "stopped" || strategy.wants === "stop") return;
      const wants = pause ? "pause" : "run";
      const keepOrders = pause?.keepOrders ?? false;
      const resumes = strategy.resumes + (pause ? 0 : 1);
      tables.strategies.set(id, { ...strategy, wants, keepOrders, resumes });
      resume(tables, strategy.account);
      tables.events.push({
        account: strategy.account,
        strategy: id,
        at: now(),
        kind: "wants",
        message: wants,
        ...by,
      });
    },

    async setEdit(id, { config, after, description: message }, by) {
      const strategy = tables.strategies.get(id);
      const isOpen = strategy && strategy.status !== "stopped" && strategy.wants !== "stop";
      if (!isOpen || (strategy.edits ?? 0) !== after) return false;
      tables.strategies.set(id, { ...strategy, edit: config, edits: after + 1 });
      resume(tables, strategy.account);
      const { account } = strategy;
      tables.events.push({ account, strategy: id, at: now(), kind: "edited", message, ...by });
      return true;
    },

    async releasedOrdersOf(strategy) {
      return [...tables.orders.values()].filter(
        (order) => order.strategy === strategy && order.settled && isOpen(order),
      );
    },

    now: async () => now(),

    async recordByHand(order, { at, terms, limit, ended }, by) {
      accountRow(tables, order.account);
      const reach = { side: order.side, limit };
      const others = metOf(tables, order, reach).filter(({ clientId }) => !ended.includes(clientId));
      const met = firstMet(reach, others);
      if (met) return { result: "meets", order: met };
      const limited = { terms, now: now() };
      if (!isExpected(tables, order) || withinLimits(tables, [order], limited).length === 0)
        return { result: "refused" };
      if (tables.orders.has(order.clientId)) throw new StoreError("constraint", "this client id is used");
      putOrder(tables, order);
      countUses(tables, [order], limited);
      tables.events.push({ ...manualOrderEvent(order), at: at ?? now(), ...by });
      return { result: "recorded" };
    },

    async settleByHand({ account, clientId, ...outcome }) {
      const order = tables.orders.get(clientId);
      if (order?.account !== account || (order.state !== "pending" && order.state !== "unknown")) return;
      const isFinal = ["filled", "canceled", "expired", "rejected"].includes(outcome.state);
      putOrder(tables, { ...order, ...outcome, settled: isFinal, endedAt: isFinal ? now() : order.endedAt });
    },

    async orderByClientId(account, clientId) {
      const order = tables.orders.get(clientId);
      return order?.account === account ? order : undefined;
    },

    hasUnclear: async (account) =>
      [...tables.unsettled].some((id) => {
        const order = tables.orders.get(id);
        return order?.account === account && (order.state === "pending" || order.state === "unknown");
      }),
  };
}

function viewOf(tables: Tables, strategy: Strategy, now: Millis): StrategyView {
  const row = accountRow(tables, strategy.account);
  const live = [...tables.unsettled].map((id) => tables.orders.get(id) as Order);
  return {
    strategy,
    openOrders: live.filter(
      (order) => order.strategy === strategy.id && (isOpen(order) || order.state === "submitted"),
    ).length,
    memory: row.memory,
    steppedAt: row.steppedAt,
    accountError: row.error,
    retryAt: row.failures > 0 ? row.retryAt : 0,
    steppedBy: ownerName(row.owner),
    costs: [],
    now,
  };
}

const isOpen = ({ state }: Order): boolean => state === "open" || state === "partially_filled";

/** A pass that was put off for lack of calls is put off no longer: a person has asked for something. */
function resume(tables: Tables, account: string): void {
  const row = accountRow(tables, account);
  if (row.failures === 0) row.retryAt = 0;
}

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
