import { type Decimal, div, sum } from "../kernel/decimal.ts";
import { parseClientOrderId } from "../kernel/ids.ts";
import type { Millis } from "../kernel/time.ts";
import type { Side } from "../model/market.ts";
import type { Fill } from "../model/order.ts";

/** An order that has executed, completely or partially. Times are market time. */
export interface ExecutedOrder {
  readonly clientId: string;
  readonly generation: number;
  readonly slot: number;
  readonly side: Side;
  /** Average price, in quote. */
  readonly price: Decimal;
  /** Executed base, and the number of executions. */
  readonly amount: Decimal;
  readonly parts: number;
  /** Times of its first and last execution. */
  readonly at: Millis;
  readonly until: Millis;
}

/** Returns executions by order, ordered by their first one. Superseded fills are omitted. */
export function executedOrdersOf(fills: readonly Fill[]): ExecutedOrder[] {
  const byOrder = new Map<string, Fill[]>();
  for (const fill of fills) {
    if (fill.superseded) continue;
    const known = byOrder.get(fill.clientId);
    if (known) known.push(fill);
    else byOrder.set(fill.clientId, [fill]);
  }
  return [...byOrder.values()].map(orderOfFills).sort((a, b) => a.at - b.at);
}

function orderOfFills(fills: readonly Fill[]): ExecutedOrder {
  const [{ clientId, side }] = fills as readonly [Fill];
  const { generation = 0, slot = -1 } = parseClientOrderId(clientId) ?? {};
  const times = fills.map(({ at }) => at);
  const amount = sum(fills.map((fill) => fill.amount));
  const notional = sum(fills.map((fill) => fill.notional));
  return {
    clientId,
    generation,
    slot,
    side,
    price: amount === 0n ? 0n : div(notional, amount, "half"),
    amount,
    parts: fills.length,
    at: Math.min(...times),
    until: Math.max(...times),
  };
}

/** Executions of the record and of the backtest, paired if they are the same order. */
export interface PairedExecutions {
  readonly both: readonly { readonly record: ExecutedOrder; readonly candles: ExecutedOrder }[];
  readonly onlyRecord: readonly ExecutedOrder[];
  readonly onlyCandles: readonly ExecutedOrder[];
}

/** Pairs executions of each slot in time order: those on the same side within the maximum difference are the same order. */
export function pairExecutions(
  record: readonly ExecutedOrder[],
  candles: readonly ExecutedOrder[],
  within: Millis,
): PairedExecutions {
  const both: { record: ExecutedOrder; candles: ExecutedOrder }[] = [];
  const [onlyRecord, onlyCandles]: [ExecutedOrder[], ExecutedOrder[]] = [[], []];
  const [left, right] = [bySlot(record), bySlot(candles)];
  for (const slot of new Set([...left.keys(), ...right.keys()])) {
    const [ours, theirs] = [left.get(slot) ?? [], right.get(slot) ?? []];
    let [i, j] = [0, 0];
    while (i < ours.length || j < theirs.length) {
      const [one, other] = [ours[i], theirs[j]];
      if (one && other && one.side === other.side && Math.abs(one.at - other.at) <= within) {
        both.push({ record: one, candles: other });
        i++;
        j++;
      } else if (one && (!other || one.at <= other.at)) {
        onlyRecord.push(one);
        i++;
      } else if (other) {
        onlyCandles.push(other);
        j++;
      }
    }
  }
  return { both, onlyRecord, onlyCandles };
}

function bySlot(orders: readonly ExecutedOrder[]): Map<string, ExecutedOrder[]> {
  const slots = new Map<string, ExecutedOrder[]>();
  for (const order of orders) {
    const key = `${order.generation}.${order.slot}`;
    const known = slots.get(key);
    if (known) known.push(order);
    else slots.set(key, [order]);
  }
  return slots;
}
