import { clientOrderId } from "../../kernel/ids.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Intent, LeaseWindow } from "../../model/intent.ts";
import { NEW_ORDER, type Order, type OrderKind } from "../../model/order.ts";
import { type Strategy, timeInForceOf } from "../../model/strategy.ts";
import type { Lease } from "../../ports/stores/step-store.ts";
import type { Timing } from "../../ports/venue.ts";

/** Nothing leaves after the lease could be another's, and nothing takes effect after that plus the venue's expiry. */
export const windowOf = ({ until }: Lease, { requestTimeout, expiry, skew }: Timing): LeaseWindow => ({
  sendBy: until - requestTimeout,
  notAfter: until + expiry + skew,
});

/** An intent as the row that is written before the venue hears of it. */
export function rowOfIntent(
  strategy: Strategy,
  intent: Intent,
  { window, at, kind = "slot" }: { window: LeaseWindow; at: Millis; kind?: OrderKind },
): Order {
  const { slot, sequence, side, price, amount } = intent;
  const { generation } = strategy.state;
  // What is spread comes last: fields named after it are added one by one, at a microsecond each.
  return {
    clientId: clientOrderId({ strategy: strategy.number, generation, slot, sequence }),
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
