import { type Decimal, max, mul, ZERO } from "../../kernel/decimal.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Order } from "../../model/order.ts";
import type { Executed } from "./executed.ts";

/** Quote that a grid has used: in its open buys and for bought base, minus the proceeds of sells. */
export interface QuoteUse {
  readonly most: Decimal;
  /** Usage from each time on, in order. */
  readonly rows: readonly { readonly at: Millis; readonly used: Decimal }[];
}

interface UseChange {
  readonly at: Millis;
  readonly by: Decimal;
}

/** Computes the usage from orders and their results, without fees. */
export function quoteUseOf(orders: readonly Order[], executed: ReadonlyMap<string, Executed>): QuoteUse {
  const changes = orders.flatMap((order) => changesIn(order, executed.get(order.clientId)));
  let [used, most]: [Decimal, Decimal] = [ZERO, ZERO];
  const rows = changes
    .sort((a, b) => a.at - b.at)
    .map(({ at, by }) => {
      used += by;
      most = max(most, used);
      return { at, used };
    });
  return { most, rows };
}

function changesIn(
  { side, state, price, amount, createdAt, endedAt }: Order,
  done: Executed | undefined,
): UseChange[] {
  if (side === "sell") return done ? [{ at: done.until, by: -mul(done.price, done.amount, "half") }] : [];
  if (state === "rejected") return [];
  const left = amount - (done?.amount ?? ZERO);
  const isOver = endedAt !== null && left > ZERO;
  const placed = { at: createdAt, by: mul(price, amount, "half") };
  return isOver
    ? [placed, { at: Math.max(createdAt, done?.until ?? endedAt), by: -mul(price, left, "half") }]
    : [placed];
}

/** Returns whether an order at that time would have exceeded the maximum that the grid ever used. */
export function isBeyondUse({ most, rows }: QuoteUse, { at, price, amount }: Executed): boolean {
  const used = rows.findLast((row) => row.at <= at)?.used ?? ZERO;
  return used + mul(price, amount, "half") > most;
}
