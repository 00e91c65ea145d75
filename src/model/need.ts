import { type Decimal, max, mul, ONE } from "../kernel/decimal.ts";
import type { Market, Side } from "./market.ts";

/** Returns how much free balance an order needs, including a fee in quote. */
export function need(
  { base, quote, maker, taker, buyFeeIn }: Pick<Market, "base" | "quote" | "maker" | "taker" | "buyFeeIn">,
  { side, price, amount }: { readonly side: Side; readonly price: Decimal; readonly amount: Decimal },
): { asset: string; amount: Decimal } {
  if (side === "sell") return { asset: base, amount };
  const notional = mul(price, amount, "up");
  return {
    asset: quote,
    amount: buyFeeIn !== "base" ? mul(notional, ONE + max(maker, taker), "up") : notional,
  };
}
