/** Compares open orders with planned levels. */
import { standsFor, type Tolerance } from "../../engine/position/tolerance.ts";
import { isFinal } from "../../engine/reconcile/order-life.ts";
import { abs, type Decimal, ZERO } from "../../kernel/decimal.ts";
import type { Side } from "../../model/market.ts";
import type { Order } from "../../model/order.ts";
import type { QuoteLevel } from "../levels.ts";

export interface RestedSide {
  /** Orders that stay: each one saves two calls and keeps its queue position. */
  readonly kept: readonly Order[];
  /** Orders that match no level. */
  readonly misplaced: readonly Order[];
  /** Levels without a matching order, nearest first. */
  readonly lacking: readonly QuoteLevel[];
}

const stillResting = ({ amount, filled }: Order): Decimal => amount - filled;

/** Matches each level with the nearest order within its tolerance; each order matches one level. */
export function compareSide(
  side: Side,
  levels: readonly QuoteLevel[],
  resting: readonly Order[],
  tolerance: Tolerance,
): RestedSide {
  const mine = new Set(resting.filter((order) => order.side === side && !isFinal(order)));
  const kept: Order[] = [];
  const lacking: QuoteLevel[] = [];
  for (const level of levels) {
    const found = nearestTo(
      level,
      [...mine].filter((order) =>
        standsFor({ side, price: order.price, left: stillResting(order) }, level, tolerance),
      ),
    );
    if (found) {
      kept.push(found);
      mine.delete(found);
    } else lacking.push(level);
  }
  return { kept, misplaced: [...mine], lacking };
}

const nearestTo = ({ price }: QuoteLevel, orders: readonly Order[]): Order | undefined =>
  orders.reduce<Order | undefined>(
    (best, order) => (best && abs(best.price - price) <= abs(order.price - price) ? best : order),
    undefined,
  );

/**
 * Returns the misplaced orders to cancel now. One that is further from the price than all planned levels is harmless:
 * the last order of a side stays until its replacement is open, so the side is never empty. It does not stay if
 * `makesWay`: its replacement waits only for its funds.
 */
export function goingOf(
  { kept, misplaced }: RestedSide,
  levels: readonly QuoteLevel[],
  placed: number,
  makesWay: (order: Order) => boolean = () => false,
): readonly Order[] {
  const nearest = levels[0];
  if (!nearest || kept.length + placed > 0) return misplaced;
  const harmless = misplaced.filter(({ side, price }) =>
    side === "buy" ? price <= nearest.price : price >= nearest.price,
  );
  const stays = nearestTo(nearest, harmless);
  return misplaced.filter((order) => order !== stays || makesWay(order));
}

/** Returns the open orders that could fill beyond an inventory bound: those that a smaller bound has no room for. */
export function beyondInventory(side: Side, resting: readonly Order[], room: Decimal): readonly Order[] {
  const mine = resting
    .filter((order) => order.side === side && !isFinal(order))
    .sort((a, b) => ((side === "buy" ? a.price > b.price : a.price < b.price) ? -1 : 1));
  let left = room;
  return mine.filter(({ amount, booked }) => {
    left -= amount - booked;
    return left < ZERO;
  });
}
