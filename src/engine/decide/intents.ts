import { clientOrderId, serialAt, strategyTag } from "../../kernel/ids.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Intent, LeaseWindow } from "../../model/intent.ts";
import { type Draft, NEW_ORDER, type Order, type OrderKind } from "../../model/order.ts";
import { type Strategy, type StrategyState, timeInForceOf } from "../../model/strategy.ts";
import type { Lease } from "../../ports/stores/step-store.ts";
import type { Timing } from "../../ports/venue.ts";

/** Nothing leaves after the lease could be another's, and nothing takes effect after that plus the venue's expiry. */
export const windowOf = ({ until }: Lease, { requestTimeout, expiry, skew }: Timing): LeaseWindow => ({
  sendBy: until - requestTimeout,
  notAfter: until + expiry + skew,
});

/** An intent as the row that is written before it is sent, but for the client id. */
export function draftOf(
  strategy: Strategy,
  intent: Intent,
  { window, at, kind = "slot" }: { window: LeaseWindow; at: Millis; kind?: OrderKind },
): Draft {
  const { slot, side, price, amount } = intent;
  const { generation } = strategy.state;
  // What is spread comes last: fields named after it are added one by one, at a microsecond each.
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
 * The drafts with client ids, and the state that has noted them. Each id has a serial above all before it, so no id
 * repeats: not when the clock steps back, nor when the database has forgotten its last commits.
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
    // What is spread comes last: fields named after it are added one by one, at a microsecond each.
    return { clientId: clientOrderId({ tag, generation, slot, serial: first + i }), ...draft };
  });
  return { state: { ...state, serial: first + drafts.length - 1 }, orders };
}
