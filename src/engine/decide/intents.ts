import { clientOrderId, serialAt, strategyTag } from "../../kernel/ids.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Intent, LeaseWindow } from "../../model/intent.ts";
import { type Draft, NEW_ORDER, type Order, type OrderKind } from "../../model/order.ts";
import { type Strategy, type StrategyState, timeInForceOf } from "../../model/strategy.ts";
import type { Lease } from "../../ports/stores/step-store.ts";
import type { Timing } from "../../ports/venue.ts";

/**
 * Returns when requests can be sent and take effect: sent before the lease can belong to another process, effective
 * until then plus the exchange's expiry.
 */
export const windowOf = ({ until }: Lease, { requestTimeout, expiry, skew }: Timing): LeaseWindow => ({
  sendBy: until - requestTimeout,
  notAfter: until + expiry + skew,
});

/** Returns the row that is written before an intent is sent, without the client id. */
export function draftOf(
  strategy: Strategy,
  intent: Intent,
  { window, at, kind = "slot" }: { window: LeaseWindow; at: Millis; kind?: OrderKind },
): Draft {
  const { slot, side, price, amount } = intent;
  const { generation } = strategy.state;
  // Spread properties come last: fields after them are added one by one, a microsecond each.
  return {
    account: strategy.account,
    strategy: strategy.id,
    kind,
    generation,
    slot,
    symbol: strategy.symbol,
    side,
    type: "limit",
    price,
    amount,
    timeInForce: timeInForceOf(slot, strategy.config),
    createdAt: at,
    ...window,
    ...NEW_ORDER,
  };
}

/**
 * Returns the drafts with client ids, and the updated state. Each id has a higher serial than all before it. So no id
 * repeats, even if the clock goes back or the database loses its last commits.
 */
export function identified<S extends StrategyState>(
  { number, state }: Pick<Strategy, "number"> & { readonly state: S },
  drafts: readonly Draft[],
  now: Millis,
): { readonly state: S; readonly orders: readonly Order[] } {
  if (drafts.length === 0) return { state, orders: [] };
  const first = Math.max(state.serial + 1, serialAt(now));
  const tag = strategyTag(number);
  const orders = drafts.map((draft, i): Order => {
    const { generation, slot } = draft;
    // Spread properties come last: fields after them are added one by one, a microsecond each.
    return { clientId: clientOrderId({ tag, generation, slot, serial: first + i }), ...draft };
  });
  return { state: { ...state, serial: first + drafts.length - 1 }, orders };
}
