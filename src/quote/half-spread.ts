/** Computes the distance of the nearest order from the reservation price, as a share of it. */
import { type Decimal, decimal, mul } from "../kernel/decimal.ts";
import type { Millis } from "../kernel/time.ts";

/** Standard deviation of a price's returns over a span, as a share of the price. */
export interface Volatility {
  readonly share: number;
  readonly over: Millis;
}

export interface HalfSpread {
  readonly share: Decimal;
  /** Which of the three distances applied. */
  readonly because: "asked" | "fees" | "volatility";
}

/**
 * Returns the largest of three: the configured half-spread, the one that covers both fees, and a factor times the
 * price's movement between two passes. A round trip at `share` earns 2·share of the notional and pays the maker fee
 * twice.
 */
export function halfSpread({
  requested: requestedValue,
  maker,
  volatility,
  factor,
  interval,
}: {
  readonly requested: Decimal;
  /** The maker fee as a share of the notional; negative for a rebate. */
  readonly maker: Decimal;
  /** Undefined if unknown; then it has no effect. */
  readonly volatility?: Volatility | undefined;
  readonly factor: Decimal;
  /** How long an order waits for the next pass. */
  readonly interval: Millis;
}): HalfSpread {
  const moves = volatility ? mul(moveWithin(volatility, interval), factor, "up") : 0n;
  if (moves > requestedValue && moves > maker) return { share: moves, because: "volatility" };
  return maker > requestedValue
    ? { share: maker, because: "fees" }
    : { share: requestedValue, because: "asked" };
}

/** Maximum price movement: an extreme estimate widens a quote, but does not remove it. */
const LARGEST_MOVE = 0.5;

/**
 * Returns one standard deviation of the price movement within an interval; in a random walk it grows with the square
 * root of time.
 */
export function moveWithin({ share, over }: Volatility, interval: Millis): Decimal {
  const move = share * Math.sqrt(interval / over);
  return decimal(
    (Number.isFinite(move) ? Math.min(Math.max(move, 0), LARGEST_MOVE) : LARGEST_MOVE).toFixed(18),
  );
}

/**
 * Returns the realized volatility of prices at irregular times: √(Σ r² / Σ Δt) (Andersen, Bollerslev, Diebold, Labys,
 * "The Distribution of Realized Exchange Rate Volatility", 2001). Undefined for fewer than two prices.
 */
export function realizedVolatility(
  prices: readonly { readonly price: number; readonly at: Millis }[],
  over: Millis,
): Volatility | undefined {
  let [squares, elapsed] = [0, 0];
  for (const [index, { price, at }] of prices.entries()) {
    const before = prices[index - 1];
    if (!before || at <= before.at || !(price > 0 && before.price > 0)) continue;
    squares += Math.log(price / before.price) ** 2;
    elapsed += at - before.at;
  }
  return elapsed > 0 ? { share: Math.sqrt((squares / elapsed) * over), over } : undefined;
}
