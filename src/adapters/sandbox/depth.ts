import type { Decimal } from "../../kernel/decimal.ts";
import { hashText, mix, share } from "../../kernel/hash.ts";
import type { Millis } from "../../kernel/time.ts";
import type { BookedOrder } from "../../market/matching/books.ts";
import type { Book, BookLevel, Market, Side } from "../../model/market.ts";

/** Depth changes once per second of market time. */
const REFRESH: Millis = 1000;
const HALF_SPREAD = 0.00005;
const LEVEL_STEP = 0.0001;
/** Average quote at a level; deeper levels have more. */
const NOTIONAL = 4000;
export const MOST_SIMULATED_LEVELS = 200;

/** Returns the order book around a price in ticks; it depends only on its arguments. */
export const depthAt = (market: Market, ticks: number, at: Millis, limit: number): Book => ({
  bids: [...levelsAt(market, ticks, at, { side: "buy", limit })],
  asks: [...levelsAt(market, ticks, at, { side: "sell", limit })],
  at,
});

/** Yields one side of it, best first; a level is computed when it is read, because most orders meet none. */
export function* levelsAt(
  market: Market,
  ticks: number,
  at: Millis,
  { side, limit }: { readonly side: Side; readonly limit: number },
): Generator<BookLevel> {
  const direction = side === "buy" ? -1 : 1;
  const hash = mix(hashText(market.symbol), Math.floor(at / REFRESH));
  const half = Math.max(1, Math.round(ticks * HALF_SPREAD));
  const step = Math.max(1, Math.round(ticks * LEVEL_STEP));
  for (let index = 0; index < Math.min(limit, MOST_SIMULATED_LEVELS); index++) {
    const level = ticks + direction * (half + index * step);
    if (level <= 0) return;
    const notional = NOTIONAL * (0.25 + index / 20) * (0.5 + share(hash, direction * (index + 1)));
    yield { price: BigInt(level) * market.tick, amount: lots(market, level, notional) };
  }
}

function lots({ tick, lot }: Market, ticks: number, notional: number): Decimal {
  const price = ticks * (Number(tick) / 1e18);
  const count = Math.max(1, Math.floor(notional / price / (Number(lot) / 1e18)));
  return BigInt(count) * lot;
}

/** Returns the public book, including an account's open orders, level by level. */
export function withResting({ bids, asks, at }: Book, open: readonly BookedOrder[], limit: number): Book {
  const side = (levels: readonly BookLevel[], which: Side): BookLevel[] => {
    const amounts = new Map(levels.map(({ price, amount }) => [price, amount]));
    for (const { side: own, price, amount, filled } of open)
      if (own === which) amounts.set(price, (amounts.get(price) ?? 0n) + amount - filled);
    const better = which === "buy" ? (a: Decimal, b: Decimal) => a > b : (a: Decimal, b: Decimal) => a < b;
    const sorted = [...amounts].sort(([a], [b]) => (better(a, b) ? -1 : 1));
    return sorted.slice(0, limit).map(([price, amount]) => ({ price, amount }));
  };
  return { bids: side(bids, "buy"), asks: side(asks, "sell"), at };
}
