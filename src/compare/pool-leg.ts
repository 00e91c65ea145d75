import { abs, type Decimal, decimal, div, mul, mulDiv, ONE, type Rounding, ZERO } from "../kernel/decimal.ts";
import type { PricedPool } from "../ports/dex.ts";
import type { Leg, LegFill } from "./leg.ts";

/** A pool whose reserves differ by more from its quoted price uses another formula than x·y = k. */
const MOST_APART = decimal("0.01");

export interface PoolSide {
  readonly pool: PricedPool;
  readonly side: "buy" | "sell";
  /** USDT per ADA. Payments are in ADA; it is valued, not exchanged. */
  readonly ada: Decimal;
}

/**
 * Executes a constant-product pool with price impact and fee; undefined for a pool with another formula or an unknown
 * fee.
 */
export function poolLeg({ pool, side, ada }: PoolSide): Leg | undefined {
  const { dex, identifier, reserves, lot, fees } = pool;
  const fee = fees[side];
  if (fee === undefined || fee >= ONE || !isConstantProduct(pool)) return undefined;
  const quoteReserves: PoolReserves = { base: reserves.token, quote: mul(reserves.ada, ada, "half"), fee };
  return {
    exchange: dex,
    pool: identifier,
    lot,
    // Half of its tokens cost as much ADA as the pool contains, so no profit lies beyond that.
    depth: reserves.token / 2n,
    minAmount: lot,
    minNotional: ZERO,
    fill: (amount) => (side === "buy" ? boughtFromPool(amount, quoteReserves) : sold(amount, quoteReserves)),
  };
}

interface PoolReserves {
  readonly base: Decimal;
  readonly quote: Decimal;
  /** Fee as a share of what is paid in. */
  readonly fee: Decimal;
}

/** quote · amount / (base − amount), plus the fee: fee/(1 − fee) of it. */
function boughtFromPool(amount: Decimal, { base, quote, fee }: PoolReserves): LegFill {
  const notional = mulDiv(quote, { times: amount, over: base - amount }, "up");
  return { notional, fee: mulDiv(notional, { times: fee, over: ONE - fee }, "up") };
}

/** quote · amount / (base + amount); the fee is what the deducted part of the amount would have returned. */
function sold(amount: Decimal, { base, quote, fee }: PoolReserves): LegFill {
  const brought = (paid: Decimal, rounding: Rounding) =>
    mulDiv(quote, { times: paid, over: base + paid }, rounding);
  const notional = brought(amount, "down");
  return { notional, fee: notional - brought(mul(amount, ONE - fee, "down"), "down") };
}

function isConstantProduct({ quoted, reserves }: PricedPool): boolean {
  if (reserves.token <= ZERO || reserves.ada <= ZERO) return false;
  const standing = div(reserves.ada, reserves.token, "half");
  return abs(standing - quoted) <= mul(quoted, MOST_APART, "down");
}
