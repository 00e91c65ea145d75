import { div, max, mul, snap, text } from "../kernel/decimal.ts";
import { AppError } from "../kernel/errors.ts";
import type { Market, Quote } from "../model/market.ts";
import type { NewOrder } from "../model/order.ts";

export interface PreparedOrder extends Pick<NewOrder, "side" | "type" | "price" | "amount"> {
  /** Whether the order is refused if it would be a taker order. */
  readonly postOnly?: boolean | undefined;
}

/**
 * Rounds the order to the market's rules: the amount down to the lot, a buy's price down and a sell's up to the tick.
 * Throws `Invalid amount` or `Invalid price` below a minimum.
 */
export function prepareOrder(
  { side, type, amount, price, postOnly }: PreparedOrder,
  market: Market,
  quote: Quote,
): PreparedOrder {
  const rounded = {
    side,
    type,
    postOnly,
    amount: snap(amount, market.lot, "down"),
    price: type === "market" ? price : snap(price, market.tick, side === "buy" ? "down" : "up"),
  };
  if (type === "limit" && rounded.price <= 0n) {
    throw new AppError("Invalid price", `price must be at least ${text(market.tick)} ${market.quote}`);
  }
  const reference = type === "limit" ? rounded.price : side === "buy" ? quote.ask : quote.bid;
  const least = snap(
    max(max(market.minAmount, market.lot), div(market.minNotional, reference, "up")),
    market.lot,
    "up",
  );
  if (rounded.amount < least) {
    const notional = text(mul(least, reference, "up"));
    throw new AppError(
      "Invalid amount",
      `amount must be at least ${text(least)} ${market.base} here (${notional} ${market.quote})`,
    );
  }
  return rounded;
}
