import { type Decimal, decimal, div, max, mul, ONE, snap, ZERO } from "../../src/kernel/decimal.ts";
import type { Side } from "../../src/model/market.ts";
import { type Account, free } from "./account.ts";
import type { Order, OrderRequest, Refusal } from "./order.ts";

export const reaches = (side: Side, limit: Decimal, price: Decimal): boolean =>
  side === "buy" ? price <= limit : price >= limit;

export const reservedAsset = ({ side, listing }: Order) => (side === "buy" ? listing.quote : listing.base);

/** What a resting amount of the order still may cost. */
export function reserveFor(order: Order, amount: Decimal): Decimal {
  const { side, listing, price, type } = order;
  if (side === "sell") return amount;
  if (type === "market") return ZERO;
  const notional = mul(price, amount, "up");
  return order.feeIn === listing.quote
    ? mul(notional, ONE + max(listing.maker, listing.taker), "up")
    : notional;
}

/** Decimals of a fee: exchanges do not charge finer than this. */
const FEE_UNIT = decimal("0.0000000001");

export interface Deduction {
  readonly asset: string;
  /** In quote. */
  readonly price: Decimal;
}

interface Charged {
  readonly notional: Decimal;
  readonly amount: Decimal;
  readonly rate: Decimal;
  readonly deduct: Deduction | undefined;
}

export function feeOf(order: Order, { notional, amount, rate, deduct }: Charged): Decimal {
  if (deduct && order.feeIn === deduct.asset)
    return snap(div(mul(notional, rate, "up"), deduct.price, "up"), FEE_UNIT, "up");
  return snap(mul(order.feeIn === order.listing.base ? amount : notional, rate, "up"), FEE_UNIT, "up");
}

/** Why an exchange does not take an order; undefined when it does. */
export function refusal(
  account: Account,
  request: OrderRequest,
  now: { readonly maxOpen: number; readonly price: Decimal },
): Refusal | undefined {
  const { listing, side, type, price, amount, byCost } = request;
  if (!listing.active) return "market_closed";
  if (type === "limit" && (price <= ZERO || price % listing.tick !== ZERO)) return "tick";
  if (!byCost && amount % listing.lot !== ZERO) return "lot";
  if (amount <= ZERO || (!byCost && amount < listing.minAmount)) return "min_amount";
  const notional = byCost ? amount : mul(type === "limit" ? price : now.price, amount, "half");
  if (notional < listing.minNotional) return "min_notional";
  const resting = [...account.open.values()].filter((order) => order.listing === listing).length;
  if (resting >= now.maxOpen) return "too_many";
  const asset = side === "buy" ? listing.quote : listing.base;
  const needed = side === "sell" ? amount : byCost ? amount : mul(notional, ONE + listing.taker, "up");
  return free(account, asset) < needed ? "funds" : undefined;
}
