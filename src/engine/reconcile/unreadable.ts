import type { Event } from "../../model/events.ts";
import type { AccountMemory } from "../../model/memory.ts";
import type { Order } from "../../model/order.ts";
import type { UnreadTrade } from "../../model/strategy.ts";
import type { Snapshot } from "../../ports/stores/step-store.ts";
import type { UnreadableFill } from "../../ports/venue.ts";
import type { Observation } from "./observation.ts";

/** Maximum number of rows that are remembered as reported. */
const MOST_ROWS_REMEMBERED = 200;

/** Identifies a row that has no id. */
const fillName = ({ id, orderId, at }: UnreadableFill): string =>
  id ?? `of ${orderId ?? "no order"} at ${at}`;

/** Returns rows of an order's trades that cannot be booked as the exchange returned them. */
export const unreadTrades = (
  { exchangeId, clientId }: Order,
  rows: readonly UnreadableFill[],
): UnreadTrade[] =>
  rows
    .filter(({ orderId }) => orderId !== null && orderId === exchangeId)
    .map((row) => ({ order: clientId, trade: fillName(row), reason: row.reason }));

/** Reports each row once, with its order; ignores rows of others' orders. */
export function nameUnreadable(
  { lease, memory }: Snapshot,
  { markets }: Observation,
  orders: readonly Order[],
): { readonly events: readonly Event[]; readonly unreadable: AccountMemory["unreadable"] } {
  const known = memory.unreadable ?? [];
  const events: Event[] = [];
  const named: string[] = [];
  for (const [symbol, observed] of markets) {
    for (const row of observed.unreadable) {
      const order = orders.find(({ exchangeId }) => exchangeId !== null && exchangeId === row.orderId);
      const name = fillName(row);
      if ((!order && row.orderId !== null) || known.includes(name)) continue;
      named.push(name);
      const whose = order ? order.clientId : `owner unknown, on ${symbol}`;
      events.push({
        account: lease.account,
        strategy: order?.strategy ?? null,
        at: lease.now,
        kind: "unreadable",
        message: `${whose}: trade ${name} is not booked, ${row.reason}`,
      });
    }
  }
  return {
    events,
    unreadable: named.length === 0 ? memory.unreadable : [...known, ...named].slice(-MOST_ROWS_REMEMBERED),
  };
}
