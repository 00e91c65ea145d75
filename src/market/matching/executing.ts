import { type Decimal, mul, ONE, ZERO } from "../../kernel/decimal.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Market, Side } from "../../model/market.ts";
import type { Fee } from "../../model/order.ts";
import type { BookedBalance, BookedFill, BookedOrder } from "./books.ts";

export interface Execution {
  readonly price: Decimal;
  readonly amount: Decimal;
  /** Fee rate as a share of the notional. */
  readonly rate: Decimal;
  readonly at: Millis;
}

/** Returns an order after one execution, and its fill. The rest stays locked. */
export function execute(order: BookedOrder, market: Market, { price, amount, rate, at }: Execution) {
  const notional = mul(price, amount, "half");
  const inBase = order.side === "buy" && market.buyFeeIn === "base";
  const fee: Fee = {
    asset: inBase ? market.base : market.quote,
    amount: mul(inBase ? amount : notional, rate, "up"),
  };
  const filled = order.filled + amount;
  const rest = order.amount - filled;
  const fill: BookedFill = {
    id: `${order.id}-${order.fills + 1}`,
    orderId: order.id,
    symbol: order.symbol,
    side: order.side,
    price,
    amount,
    fee,
    at,
  };
  const after: BookedOrder = {
    ...order,
    filled,
    notional: order.notional + notional,
    reserved:
      rest === ZERO ? ZERO : reserveFor(market, { side: order.side, price: order.price, amount: rest }),
    fee: { ...fee, amount: order.fee.amount + fee.amount },
    fills: order.fills + 1,
    status: rest === ZERO ? "filled" : "partially_filled",
  };
  return { order: after, fill };
}

/** Returns what a venue locks for an open order: base for a sell; quote for a buy, plus the fee if it is in quote. */
export function reserveFor(
  market: Market,
  { side, price, amount }: { side: Side; price: Decimal; amount: Decimal },
): Decimal {
  if (side === "sell") return amount;
  const rate = market.maker > market.taker ? market.maker : market.taker;
  return mul(mul(price, amount, "up"), market.buyFeeIn === "base" ? ONE : ONE + rate, "up");
}

/** An order in the books before and after a change. */
export interface Movement {
  readonly market: Pick<Market, "base" | "quote">;
  /** Undefined for an order that has just arrived. */
  readonly before: BookedOrder | undefined;
  readonly after: BookedOrder;
  readonly fills: readonly BookedFill[];
}

/** Returns the balances after an order's change. */
export function holdingsAfter(
  holdings: Readonly<Record<string, BookedBalance>>,
  movements: readonly Movement[],
) {
  const changed: Record<string, BookedBalance> = {};
  const move = (asset: string, { total, used }: BookedBalance) => {
    const holding = changed[asset] ?? holdings[asset] ?? { total: ZERO, used: ZERO };
    changed[asset] = { total: holding.total + total, used: holding.used + used };
  };
  for (const { market, before, after, fills } of movements) {
    const used = after.reserved - (before?.reserved ?? ZERO);
    move(after.side === "buy" ? market.quote : market.base, { total: ZERO, used });
    for (const { side, price, amount, fee } of fills) {
      const sign = side === "buy" ? 1n : -1n;
      move(market.base, { total: sign * amount, used: ZERO });
      move(market.quote, { total: -sign * mul(price, amount, "half"), used: ZERO });
      move(fee.asset, { total: -fee.amount, used: ZERO });
    }
  }
  return changed;
}
