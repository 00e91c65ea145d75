import type { Millis } from "../../../src/kernel/time.ts";
import type { StoredEvent } from "../../../src/model/events.ts";
import type { Kill } from "../../../src/model/kill.ts";
import type { LimitUse, StoredLimits } from "../../../src/model/limits.ts";
import { type AccountMemory, NO_MEMORY } from "../../../src/model/memory.ts";
import type { Fill, FillCursor, Order, OrderState } from "../../../src/model/order.ts";
import type { Strategy } from "../../../src/model/strategy.ts";

export interface AccountRow {
  token: number;
  owner: string | null;
  until: number;
  failures: number;
  retryAt: number;
  error: string | null;
  steppedAt: number | null;
  scheduled: number;
  memory: AccountMemory;
}

/** The rows of a store in memory. Records are immutable, so keeping one is keeping its value. */
export interface Tables {
  readonly accounts: Map<string, AccountRow>;
  readonly strategies: Map<string, Strategy>;
  readonly orders: Map<string, Order>;
  /** Client ids of the orders that are not settled. */
  readonly unsettled: Set<string>;
  readonly byExchangeId: Map<string, string>;
  /** By account, symbol and trade id; newest last. */
  readonly fills: Map<string, Fill>;
  readonly cursors: Map<string, FillCursor>;
  readonly events: StoredEvent[];
  limits: StoredLimits;
  readonly limitUses: Map<string, LimitUse>;
  kill: Kill;
  turnedAt: Millis;
  epoch: number;
}

export const emptyTables = (): Tables => ({
  accounts: new Map(),
  strategies: new Map(),
  orders: new Map(),
  unsettled: new Set(),
  byExchangeId: new Map(),
  fills: new Map(),
  cursors: new Map(),
  events: [],
  limits: { version: 0, set: {} },
  limitUses: new Map(),
  kill: { on: false, cancels: false, sells: false },
  turnedAt: 0,
  epoch: 0,
});

/** A copy that changes of the other do not reach: a backup. */
export const copyTables = (tables: Tables): Tables => ({
  accounts: new Map([...tables.accounts].map(([key, row]) => [key, { ...row }])),
  strategies: new Map(tables.strategies),
  orders: new Map(tables.orders),
  unsettled: new Set(tables.unsettled),
  byExchangeId: new Map(tables.byExchangeId),
  fills: new Map(tables.fills),
  cursors: new Map(tables.cursors),
  events: [...tables.events],
  limits: tables.limits,
  limitUses: new Map(tables.limitUses),
  kill: tables.kill,
  turnedAt: tables.turnedAt,
  epoch: tables.epoch,
});

/** Rows of one account. */
export function tablesOf(tables: Tables, account: string): Tables {
  const ofAccount = <T extends { readonly account: string }>(rows: ReadonlyMap<string, T>): Map<string, T> =>
    new Map([...rows].filter(([, row]) => row.account === account));
  const orders = ofAccount(tables.orders);
  return {
    ...tables,
    accounts: new Map([...tables.accounts].filter(([key]) => key === account)),
    strategies: ofAccount(tables.strategies),
    orders,
    unsettled: new Set([...tables.unsettled].filter((id) => orders.has(id))),
    fills: ofAccount(tables.fills),
  };
}

export function accountRow({ accounts }: Tables, account: string): AccountRow {
  const found = accounts.get(account);
  if (found) return found;
  const made: AccountRow = {
    token: 0,
    owner: null,
    scheduled: 0,
    until: 0,
    failures: 0,
    retryAt: 0,
    error: null,
    steppedAt: null,
    memory: NO_MEMORY,
  };
  accounts.set(account, made);
  return made;
}

export const fillKey = ({ account, symbol, tradeId }: Fill): string => `${account} ${symbol} ${tradeId}`;
export const exchangeKey = (account: string, exchangeId: string): string => `${account} ${exchangeId}`;

/** The same edges as the trigger `orders_state` of the migrations. */
const EDGES: Partial<Record<OrderState, readonly OrderState[]>> = {
  pending: ["submitted", "open", "partially_filled", "filled", "canceled", "expired", "rejected", "unknown"],
  submitted: ["open", "partially_filled", "filled", "canceled", "expired", "rejected"],
  unknown: ["submitted", "open", "partially_filled", "filled", "canceled", "expired", "rejected"],
  open: ["partially_filled", "filled", "canceled", "expired", "rejected"],
  partially_filled: ["filled", "canceled", "expired"],
};

export const mayBecome = (from: OrderState, to: OrderState): boolean =>
  from === to || (EDGES[from]?.includes(to) ?? false);

export function putOrder(tables: Tables, order: Order): void {
  tables.orders.set(order.clientId, order);
  if (order.settled) tables.unsettled.delete(order.clientId);
  else tables.unsettled.add(order.clientId);
  if (order.exchangeId !== null)
    tables.byExchangeId.set(exchangeKey(order.account, order.exchangeId), order.clientId);
}
