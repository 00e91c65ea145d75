import { StoreError } from "../../../src/kernel/errors.ts";
import type { Pair } from "../../../src/kernel/pair.ts";
import { isAhead, MAX_BACKOFF_MS, MAX_LEASE_MS, MINUTE, type Millis } from "../../../src/kernel/time.ts";
import { scopeOfAccount } from "../../../src/limits/standing.ts";
import { type ActorAndRequest, BY_PASS } from "../../../src/model/events.ts";
import { isBlockedByKill, killEvent, type Panic, switchedKill } from "../../../src/model/kill.ts";
import {
  type Fill,
  type FillCursor,
  type Intent,
  mayBeMet,
  meets,
  type Order,
  type Reach,
  reachOf,
} from "../../../src/model/order.ts";
import type { Strategy } from "../../../src/model/strategy.ts";
import type { Changes, Lease, PassStore, Snapshot } from "../../../src/ports/stores/pass-store.ts";
import { countUses, newestUses, withinLimits } from "./limits.ts";
import { accountRow, exchangeKey, fillKey, mayBecome, putOrder, type Tables } from "./tables.ts";

const constraint = (message: string): StoreError => new StoreError("constraint", message);

/** The step's store in memory, with the same conditions, constraints and answers as the one on libSQL. */
export function memoryStepStore(tables: Tables, now: () => Millis): PassStore {
  const fence = ({ account, token, owner }: Lease) => {
    const row = accountRow(tables, account);
    if (row.token !== token || row.owner !== owner)
      throw new StoreError("fenced", "another process has the lease now");
    return row;
  };
  return {
    async due() {
      const at = now();
      const due = new Set<string>();
      for (const { account, status } of tables.strategies.values())
        if (status !== "stopped") due.add(account);
      for (const id of tables.unsettled) due.add((tables.orders.get(id) as Order).account);
      return [...due].sort().map((account) => {
        const { retryAt, failures } = accountRow(tables, account);
        return { account, retryAt, failures, now: at };
      });
    },

    async takeLease({ account, owner, ttl, overlap, scheduled }) {
      const row = tables.accounts.get(account);
      if (!row || (isAhead(row.until, now(), MAX_LEASE_MS) && row.owner !== owner)) return undefined;
      if (scheduled !== undefined) {
        const isOlder = row.scheduled >= scheduled && row.scheduled <= scheduled + 10 * MINUTE;
        if (isOlder || isAhead(row.retryAt, now(), MAX_BACKOFF_MS)) return undefined;
        row.scheduled = scheduled;
      }
      row.token++;
      row.owner = owner;
      row.until = now() + ttl;
      return snapshot(tables, { account, token: row.token, owner, now: now(), until: row.until }, overlap);
    },

    async record(lease, changes) {
      fence(lease);
      // All or nothing: what a constraint refuses is found before anything is written.
      for (const change of changes) check(tables, change, changes);
      return new Set(
        changes.flatMap((change) => apply(tables, { account: lease.account, now: now() }, change)),
      );
    },

    killed: async (_account, kind = "slot") => isBlockedByKill(tables.kill, kind),
    knownKilled: (kind = "slot") => isBlockedByKill(tables.kill, kind),
    setKill: async (on, by) => turn(tables, now(), { on, by, panic: {} }),
    async panic(panic, by) {
      turn(tables, now(), { on: true, by, panic });
      if (panic.stops) stopAll(tables, panic.sells ?? false);
      return tables.turnedAt;
    },
    unsettledOrders: async (account) =>
      [...tables.unsettled]
        .map((id) => tables.orders.get(id) as Order)
        .filter((order) => account === undefined || order.account === account),
    async nextEpoch() {
      tables.epoch++;
    },

    async settle(lease, { outcomes, phases, events, memory, unwatched, failure, resumeAt }) {
      const row = fence(lease);
      for (const { clientId, ...outcome } of outcomes) {
        const order = tables.orders.get(clientId);
        if (order && !mayBecome(order.state, outcome.state))
          throw constraint("no such edge between order states");
      }
      for (const { clientId, ...outcome } of outcomes) {
        const order = tables.orders.get(clientId);
        if (order) putOrder(tables, { ...order, ...outcome });
      }
      for (const { id, phase } of phases) {
        const strategy = tables.strategies.get(id);
        if (strategy) tables.strategies.set(id, { ...strategy, phase });
      }
      tables.events.push(...events.map((event) => ({ ...event, ...BY_PASS })));
      Object.assign(row, {
        until: 0,
        failures: failure ? row.failures + 1 : 0,
        retryAt: failure?.retryAt ?? resumeAt ?? 0,
        error: failure?.message ?? null,
        ...(failure || resumeAt !== undefined ? {} : { steppedAt: now() }),
        memory: memory ?? { ...row.memory, ...(unwatched ? { unwatched } : {}), failed: failure?.of },
      });
    },

    async ordersByIds(account, { exchange, client }) {
      const ids = [...exchange.map((id) => tables.byExchangeId.get(exchangeKey(account, id))), ...client];
      const found = [...new Set(ids)].map((id) => tables.orders.get(id ?? ""));
      return found.filter((order) => order !== undefined);
    },
  };
}

function turn(
  tables: Tables,
  at: Millis,
  { on, by, panic }: { readonly on: boolean; readonly by: ActorAndRequest; readonly panic: Panic },
): void {
  const next = switchedKill(tables.kill, on, panic);
  const { cancels, sells } = tables.kill;
  if (tables.kill.on !== on || (next.cancels && !cancels) || (next.sells && !sells)) {
    tables.events.push({ ...killEvent(on, by, panic), at, ...by });
    tables.turnedAt = at;
  }
  tables.kill = next;
}

function stopAll(tables: Tables, sells: boolean): void {
  for (const strategy of tables.strategies.values()) {
    const { id, status, sellBase } = strategy;
    if (status === "stopped") continue;
    tables.strategies.set(id, { ...strategy, wants: "stop", keepOrders: false, sellBase: sellBase || sells });
  }
  for (const row of tables.accounts.values()) if (row.failures === 0) row.retryAt = 0;
}

function snapshot(tables: Tables, lease: Lease, overlap: Millis): Snapshot {
  const { account } = lease;
  const row = accountRow(tables, account);
  const orders: Order[] = [];
  for (const id of tables.unsettled) {
    const order = tables.orders.get(id) as Order;
    if (order.account === account) orders.push(order);
  }
  const strategies: Strategy[] = [];
  for (const one of tables.strategies.values())
    if (one.account === account && one.status !== "stopped") strategies.push(one);
  const cursors: Record<string, FillCursor> = {};
  for (const [key, at] of tables.cursors)
    if (key.startsWith(`${account} `)) cursors[key.slice(account.length + 1)] = at;
  return {
    lease,
    kill: tables.kill,
    epoch: tables.epoch,
    strategies: strategies.sort((a, b) => a.number - b.number),
    orders: orders.sort((a, b) => (a.clientId < b.clientId ? -1 : 1)),
    cursors,
    booked: bookedSince(tables, account, { cursors, orders, overlap }),
    memory: row.memory,
    failures: row.failures,
    limits: tables.limits,
    limitUses: newestUses(tables, scopeOfAccount(account)),
  };
}

function bookedSince(
  tables: Tables,
  account: string,
  window: { cursors: Snapshot["cursors"]; orders: readonly Order[]; overlap: Millis },
) {
  const booked: Record<Pair, Map<string, Fill>> = {};
  const since = new Map(
    Object.entries(window.cursors).map(([symbol, cursor]) => {
      const lacking = window.orders.filter(
        (order) => order.symbol === symbol && order.filled !== order.booked,
      );
      return [
        symbol,
        Math.min(cursor.at, ...lacking.map(({ createdAt }) => createdAt)) - window.overlap,
      ] as const;
    }),
  );
  for (const fill of tables.fills.values()) {
    if (fill.account !== account || fill.at < (since.get(fill.symbol) ?? Infinity)) continue;
    booked[fill.symbol] ??= new Map();
    booked[fill.symbol]?.set(fill.tradeId, fill);
  }
  return booked;
}

function check(
  tables: Tables,
  { wish, fills, orders, adopted, intents }: Changes,
  all: readonly Changes[],
): void {
  const expected = wish && tables.strategies.get(wish.id);
  if (
    wish &&
    (expected?.wants !== wish.wants ||
      expected.keepOrders !== wish.keepOrders ||
      expected.sellBase !== wish.sellBase)
  )
    throw new StoreError("fenced", "what is wanted has changed");
  if (fills.some((fill) => tables.fills.has(fillKey(fill)))) throw constraint("this trade is booked");
  const isKnown = (clientId: string) =>
    tables.orders.has(clientId) || adopted.some((order) => order.clientId === clientId);
  if (!fills.every(({ clientId }) => isKnown(clientId))) throw constraint("this trade is of no order");
  for (const order of orders) {
    const before = tables.orders.get(order.clientId);
    if (!before) continue;
    if (!mayBecome(before.state, order.state)) throw constraint("no such edge between order states");
    if (order.filled < before.filled) throw constraint("the filled amount of an order never falls");
  }
  const settled = new Set(
    all
      .flatMap((change) => change.orders)
      .filter((order) => order.settled)
      .map(({ clientId }) => clientId),
  );
  const live = [...tables.unsettled]
    .filter((id) => !settled.has(id))
    .map((id) => slotOf(tables.orders.get(id) as Order));
  for (const order of [...adopted, ...intents.filter((intent) => isExpected(tables, intent))]) {
    if (tables.orders.has(order.clientId)) throw constraint("this client id is used");
    if (order.settled) continue;
    if (order.kind === "slot" && live.includes(slotOf(order))) throw constraint("this slot has a live order");
    live.push(slotOf(order));
  }
}

const slotOf = ({ strategy, generation, slot, kind }: Order): string =>
  kind === "slot" ? `${strategy} ${generation} ${slot}` : "";

/** The condition of an intent's insert: what a person has asked in the meantime wins. */
export function isExpected(tables: Tables, order: Order): boolean {
  const { kill, strategies } = tables;
  const { strategy, kind } = order;
  if (isBlockedByKill(kill, kind)) return false;
  if (strategy === null) return true;
  if (metOf(tables, order, reachOf(order)).some((other) => other.kind === "hand")) return false;
  const wants = strategies.get(strategy)?.wants;
  return kind === "slot" ? wants === "run" : wants !== undefined && wants !== "pause";
}

/** Orders of the account that may be met within a reach. */
export const metOf = (
  { unsettled, orders }: Tables,
  { account, symbol }: Order,
  reach: Reach,
): readonly Order[] =>
  [...unsettled]
    .map((id) => orders.get(id) as Order)
    .filter((one) => one.account === account && one.symbol === symbol && mayBeMet(one) && meets(reach, one));

function apply(
  tables: Tables,
  { account, now }: { account: string; now: Millis },
  change: Changes,
): string[] {
  for (const fill of change.fills) tables.fills.set(fillKey(fill), fill);
  for (const order of [...change.orders, ...change.adopted]) putOrder(tables, order);
  const { strategy, memory } = change;
  if (strategy)
    tables.strategies.set(strategy.id, { ...(tables.strategies.get(strategy.id) as Strategy), ...strategy });
  for (const [symbol, at] of Object.entries(change.cursors)) tables.cursors.set(`${account} ${symbol}`, at);
  if (memory) accountRow(tables, account).memory = memory;
  tables.events.push(...change.events.map((event) => ({ ...event, ...BY_PASS })));
  const limited = { terms: change.terms, now };
  const expected = withinLimits(
    tables,
    change.intents.filter((intent) => isExpected(tables, intent)),
    limited,
  );
  // A row has only the columns of an order.
  for (const { ownBase: _, ...row } of expected as readonly (Order & Pick<Intent, "ownBase">)[])
    putOrder(tables, row);
  countUses(tables, expected, limited);
  return expected.map(({ clientId }) => clientId);
}
