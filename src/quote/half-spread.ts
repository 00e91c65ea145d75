/** How far from the reservation price the nearest order of a side lies, as a share of it. */
import { type Decimal, decimal, mul } from "../kernel/decimal.ts";
import type { Millis } from "../kernel/time.ts";

/** The standard deviation of a price's returns over a span, as a share of the price. */
export interface Volatility {
  readonly share: number;
  readonly over: Millis;
}

export interface HalfSpread {
  readonly share: Decimal;
  /** What it was widened by, or that nothing did. */
  readonly because: "asked" | "fees" | "volatility";
}

/**
 * The widest of three: what was asked for, what pays the fees of both sides, and what a price moves by between two
 * passes, times a factor. A round trip at `share` earns 2·share of the notional and pays the maker's fee twice.
 */
export function halfSpread({
  asked: requestedValue,
  maker,
  volatility,
  factor,
  interval,
}: {
  readonly asked: Decimal;
  /** The maker's fee, as a share of the notional; a rebate is below zero. */
  readonly maker: Decimal;
  /** Undefined where it is not known: then it widens nothing. */
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

/** More than this no price is said to move by: a wild estimate widens a quote, and does not end it. */
const LARGEST_MOVE = 0.5;

/** One standard deviation of what the price moves by within an interval: a random walk's grows with the root of time. */
export function moveWithin({ share, over }: Volatility, interval: Millis): Decimal {
  const move = share * Math.sqrt(interval / over);
  return decimal(
    (Number.isFinite(move) ? Math.min(Math.max(move, 0), LARGEST_MOVE) : LARGEST_MOVE).toFixed(18),
  );
}

/**
 * The realized volatility of prices that were seen at uneven times: the root of Σ r² / Σ Δt (Andersen, Bollerslev,
 * Diebold, Labys, "The Distribution of Realized Exchange Rate Volatility", 2001). Undefined of fewer than two.
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
