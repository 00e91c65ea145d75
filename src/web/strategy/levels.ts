import type { Level } from "../chart/chart.tsx";
import { number } from "../format.ts";
import type { Grid, HistoricOrders } from "../types.ts";

export type ShownOrder = HistoricOrders["orders"][number];

export const isResting = ({ status }: ShownOrder): boolean =>
  status === "open" || status === "partially_filled";

/** Number of orders that a grid's page loads, the newest ones. */
export const MAX_ORDERS_LOADED = 300;

/** Whether open orders can be older than the listed ones: then a slot without an order is unknown. */
export const hasOlderOpen = ({ openOrders }: Grid, orders: readonly ShownOrder[]): boolean =>
  orders.length >= MAX_ORDERS_LOADED && orders.filter(isResting).length < openOrders;

/** Returns each level of a grid with its open order, and the other important prices. */
export function gridLevels(grid: Grid, orders: readonly ShownOrder[]): Level[] {
  const resting = new Map(orders.filter(isResting).map((order) => [order.slot, order]));
  const refused = new Set(grid.refused.map(({ slot }) => slot));
  const isUnknown = hasOlderOpen(grid, orders);
  const levels = (grid.slots ?? []).flatMap(({ slot, side, lowerPrice, upperPrice }): Level[] => {
    const order = resting.get(slot);
    if (order) return [{ price: Number(order.price), kind: order.side, amount: number(order.remaining) }];
    const price = side === "buy" ? lowerPrice : upperPrice;
    if (refused.has(slot)) return [{ price, kind: "refused" }];
    return isUnknown ? [] : [{ price, kind: "empty" }];
  });
  const { breakEvenPrice } = grid;
  const lines: Level[] =
    breakEvenPrice === null ? [] : [{ price: breakEvenPrice, kind: "line", name: "break-even" }];
  const ends = isUnknown ? [] : rangeEnds(grid, levels);
  return [...levels, ...ends, ...lines, ...grid.stopPrices.map(stopLevel)];
}

export const ENDS = {
  stop_loss: "stop loss",
  trailing_stop: "trailing stop",
  take_profit: "take profit",
  trigger: "trigger",
} as const;

/** Returns a stop or trigger price as a level. */
const stopLevel = ({ reason, price }: Grid["stopPrices"][number]): Level => ({
  price,
  kind: reason === "trigger" ? "line" : "stop",
  name: ENDS[reason],
});

/** Returns the ends of the range that have no order. */
const rangeEnds = ({ lowerPrice, upperPrice }: Grid, levels: readonly Level[]): Level[] =>
  [lowerPrice, upperPrice]
    .filter((price) => !levels.some((level) => level.price === price))
    .map((price) => ({ price, kind: "empty" }));
