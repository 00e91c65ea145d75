import { isBlockedByKill } from "../../src/model/kill.ts";
import type { NewOrder } from "../../src/model/order.ts";
import type { Snapshot } from "../../src/ports/stores/pass-store.ts";
import {
  brokenByArrival,
  brokenByHolding,
  brokenByRecording,
  type ShownOrder,
  slotOfId,
} from "../invariants/venue.ts";
import { memoryStepStore } from "../simulation/store/pass-store.ts";
import { copyTables, type Tables } from "../simulation/store/tables.ts";
import { cancel, type Exchange, type Executed, isResting, type Placed, place, quoteOf } from "./exchange.ts";
import type { Passing, Requested } from "./pass.ts";
import { KEY, SYMBOL, TIMING, UNIT } from "./setting.ts";
import { type State, strategyOf } from "./state.ts";

type Outcome = { readonly value: unknown } | { readonly error: unknown };

/** Rows are remembered so many writes back. */
const BACK = 3;

/** What a call of the store does to the rows, and what it answers. */
export async function askStore(
  state: State,
  { name, args }: Pick<Requested, "name" | "args">,
): Promise<Outcome> {
  const isWrite = name === "record" || name === "settle";
  const before = isWrite ? copyTables(state.tables) : undefined;
  const outcome = await settled(storeOf(state)[name]?.(...args));
  // The log grows with every pass and says nothing to the next one.
  state.tables.events.length = 0;
  if (before && !("error" in outcome)) state.earlier = [...state.earlier, before].slice(-BACK);
  noteRows(state);
  return outcome;
}

type Calls = Record<string, (...args: readonly unknown[]) => Promise<unknown>>;

const stores = new WeakMap<Tables, { now: number; readonly calls: Calls }>();

/** The real store in memory over a state's rows, at its time. */
function storeOf({ tables, now }: State): Calls {
  const known = stores.get(tables);
  if (known) {
    known.now = now;
    return known.calls;
  }
  const made: { now: number; calls: Calls } = { now, calls: {} };
  made.calls = memoryStepStore(tables, () => made.now) as unknown as Calls;
  stores.set(tables, made);
  return made.calls;
}

const settled = async (promise: Promise<unknown> | undefined): Promise<Outcome> => {
  try {
    return { value: await promise };
  } catch (error) {
    return { error };
  }
};

/** A row that is new here was written in this very turn: then a person's word had to hold. */
function noteRows(state: State): void {
  const { tables, recorded } = state;
  const fresh = [...tables.unsettled].filter((id) => !recorded.has(id));
  if (fresh.length === 0) return;
  state.recorded = new Set([...recorded, ...fresh]);
  const { wants } = strategyOf(state);
  for (const id of fresh) {
    const order = tables.orders.get(id);
    if (order?.state !== "pending") continue;
    const isOfSlot = order.kind === "slot";
    breaks(
      state,
      ...brokenByRecording({
        clientId: id,
        isOfSlot,
        wants,
        killed: isBlockedByKill(tables.kill, order.kind),
      }),
    );
  }
}

export function breaks(state: State, ...what: readonly string[]): void {
  if (what.length > 0) state.broken = [...state.broken, ...what];
}

export function toExchange(state: State, next: Exchange): void {
  state.exchange = next;
  state.past = [...state.past, { at: state.now, exchange: next }];
}

/** An order reaches the exchange. */
export function arrive(state: State, order: NewOrder): { result: string; [more: string]: unknown } {
  const before = state.exchange.orders;
  const next = place(state.exchange, order, state.now);
  if (typeof next === "string") return { result: "rejected", reason: next, wouldTake: next === "would take" };
  toExchange(state, next);
  const placed = next.orders.at(-1) as Placed;
  breaks(state, ...brokenByHolding(placed, lockedBefore(state, placed)));
  const { status, keepOrders } = strategyOf(state);
  const observed = ({ clientId, side, price }: Placed): ShownOrder => ({
    clientId,
    symbol: SYMBOL,
    side,
    price,
    isOurs: state.tables.unsettled.has(clientId),
  });
  breaks(
    state,
    ...brokenByArrival({
      order: observed(placed),
      live: before.filter(isResting).map(observed),
      wasAccepted: before.some(({ clientId }) => clientId === placed.clientId),
      hasRow: state.recorded.has(placed.clientId),
      isOver: status === "stopped" && !keepOrders,
    }),
  );
  return { result: "accepted", id: placed.id };
}

/** What the exchange has executed of a slot's orders, bought less sold. */
function lockedBefore({ exchange }: State, { clientId }: Placed): bigint {
  const slot = slotOfId(clientId);
  const mine = new Set(exchange.orders.filter((one) => slotOfId(one.clientId) === slot).map(({ id }) => id));
  return exchange.executions.reduce(
    (sum, { orderId, side, amount }) => (mine.has(orderId) ? sum + (side === "buy" ? amount : -amount) : sum),
    0n,
  );
}

export function cancelAt(state: State, id: string): { result: string } {
  const next = cancel(state.exchange, id);
  if (!next) return { result: "look" };
  toExchange(state, next);
  return { result: "accepted" };
}

/** A look at the switch holds for a unit, and nothing is sent under a lease that another process has taken since. */
export function leaves(state: State, clientId: string, { results }: Passing): void {
  const { killedAt, tables, restores } = state;
  const late = state.now - (killedAt ?? Number.POSITIVE_INFINITY);
  if (late >= UNIT) breaks(state, `${clientId} was sent ${late} ms after the kill switch`);
  const [accepted] = results as readonly { readonly value?: Snapshot }[];
  const token = tables.accounts.get(KEY)?.token ?? 0;
  if (restores === 0 && token > (accepted?.value?.lease.token ?? 0))
    breaks(state, `${clientId} was sent while another process has the lease`);
}

/** What a read of the exchange answers, `age` after it was true. */
export function read(state: State, { name, args }: Requested, age: number): unknown {
  const { now } = state;
  const exchange = age > 0 ? asOf(state, now - age) : state.exchange;
  const shown = exchange.executions.filter(({ shownAt }) => shownAt <= now - age);
  switch (name) {
    case "ticker":
      return {
        ...quoteOf(state.exchange),
        at: now,
        last: state.exchange.mid,
        baseVolume: 0n,
        quoteVolume: 0n,
      };
    case "balances":
      return balancesOf(exchange);
    case "openOrders":
      return exchange.orders.filter(isResting).map((order) => format(exchange, order));
    case "order": {
      const [{ id, clientId }] = args as [{ id?: string; clientId?: string }];
      const found = exchange.orders.find((order) => (id ? order.id === id : order.clientId === clientId));
      return found && format(exchange, found);
    }
    case "fills": {
      const [, { from, to = now + 1 }] = args as [string, { from: number; to?: number }];
      const fills = shown.filter(({ at }) => at >= from && at < to).map(toVenueFill);
      return { fills, unreadable: [], covered: { from, to: Math.min(to, now) }, now };
    }
    default: {
      const [, ids] = args as [string, readonly string[]];
      const fills = shown.filter(({ orderId }) => ids.includes(orderId)).map(toVenueFill);
      return { fills, unreadable: [] };
    }
  }
}

const asOf = ({ past }: State, at: number): Exchange =>
  (past.findLast((one) => one.at <= at) ?? (past[0] as (typeof past)[number])).exchange;

const sumOf = (of: readonly Executed[], id: string, what: "notional" | "fee"): bigint =>
  of.reduce((sum, one) => (one.orderId === id ? sum + one[what] : sum), 0n);

const format = ({ executions }: Exchange, order: Placed) => ({
  ...order,
  symbol: SYMBOL,
  type: "limit" as const,
  notional: sumOf(executions, order.id, "notional"),
  fees: order.filled > 0n ? [{ asset: "USDT", amount: sumOf(executions, order.id, "fee") }] : [],
});

const toVenueFill = ({ fee, shownAt: _, ...fill }: Executed) => ({
  ...fill,
  symbol: SYMBOL,
  fees: [{ asset: "USDT", amount: fee }],
});

function balancesOf({ orders, base, quote }: Exchange) {
  const used = { buy: 0n, sell: 0n };
  for (const { side, price, amount, filled } of orders.filter(isResting))
    used[side] += side === "sell" ? amount - filled : (price * (amount - filled) * 1001n) / 10n ** 21n;
  return [
    { asset: "AAA", free: base - used.sell, used: used.sell },
    { asset: "USDT", free: quote - used.buy, used: used.buy },
  ];
}

/** How old reads are where they are as old as they may be. */
export const LAG = TIMING.readLag;
