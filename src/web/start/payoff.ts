import { type Decimal, decimal, max, mul, ofPercent, sum, ZERO } from "../../kernel/decimal.ts";
import type { AnyPlan } from "../types.ts";

/** P&L of a plan at a price, in quote. */
interface PayoffPoint {
  readonly price: Decimal;
  /** After maker and taker fees of the fills. */
  readonly net: Decimal;
  readonly gross: Decimal;
}

type PayoffPlan = Pick<AnyPlan, "orders" | "price" | "fees">;

/**
 * Returns the P&L if the price moves straight from its plan's price p0 to p, and nothing else is placed:
 *
 *     P&L(p) = Σ sells · q·a − Σ buys · q·a + p · (own + bought − sold) − p0 · own − fees
 *
 * over the orders that fill on the way: those that cross fill at once at their price q, buys at q ≥ p and sells at q ≤ p
 * fill later. `own` is the base of all sells that no crossing buy brings; it is worth p0 before. A fill costs q·a times the
 * maker or, if it crosses, the taker rate. The prices are those of the orders, where the lines bend, p0, and a margin
 * beyond them; none if the price is unknown or nothing is placed.
 */
export function payoff({ orders, price, fees }: PayoffPlan): readonly PayoffPoint[] {
  if (price === null || orders.length === 0) return [];
  const now = decimal(price);
  const all = orders.map((order) => ({ ...order, at: decimal(order.price), size: decimal(order.amount) }));
  const [maker, taker] = [fees.makerPercent, fees.takerPercent].map((rate) =>
    ofPercent(decimal(String(rate))),
  );
  const baseOf = (some: typeof all) => sum(some.map(({ size }) => size));
  const isBuy = ({ side }: { side: string }) => side === "buy";
  const bought = baseOf(all.filter((one) => isBuy(one) && one.crosses));
  const own = max(ZERO, baseOf(all.filter((one) => !isBuy(one))) - bought);
  const at = (price: Decimal): PayoffPoint => {
    const filled = all.filter((one) => one.crosses || (isBuy(one) ? one.at >= price : one.at <= price));
    const cash = sum(filled.map((one) => mul(one.at, one.size, "half") * (isBuy(one) ? -1n : 1n)));
    const base = own + sum(filled.map((one) => (isBuy(one) ? one.size : -one.size)));
    const paid = sum(
      filled.map((one) => mul(mul(one.at, one.size, "up"), (one.crosses ? taker : maker) ?? ZERO, "up")),
    );
    const gross = cash + mul(price, base, "half") - mul(now, own, "half");
    return { price, gross, net: gross - paid };
  };
  const bends = [now, ...all.map((one) => one.at)].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const [low = now, high = now] = [bends[0], bends.at(-1)];
  const margin = max((high - low) / 10n, now / 100n);
  return [max(ZERO, low - margin), ...bends, high + margin]
    .filter((one, index, list) => one !== list[index - 1])
    .map(at);
}
