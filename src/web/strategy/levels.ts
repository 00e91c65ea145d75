import type { Level } from "../chart/levels.ts";
import type { Grid, HistoricOrders } from "../types.ts";

type ShownOrder = HistoricOrders["orders"][number];

export const isResting = ({ status }: ShownOrder): boolean =>
  status === "open" || status === "partially_filled";

/** Returns each level of a grid with its open order, and the other important prices. */
export function gridLevels(grid: Grid, orders: readonly ShownOrder[]): Level[] {
  const resting = new Map(orders.filter(isResting).map((order) => [order.slot, order]));
  const refused = new Set(grid.refused.map(({ slot }) => slot));
  const levels = (grid.slots ?? []).map(({ slot, side, lowerPrice, upperPrice }): Level => {
    const order = resting.get(slot);
    if (order) return { price: order.price, kind: order.side };
    return {
      price: side === "buy" ? lowerPrice : upperPrice,
      kind: refused.has(slot) ? "refused" : "empty",
    };
  });
  const known = [
    [grid.markPrice, "price"],
    [grid.breakEvenPrice, "break-even"],
  ] as const;
  const lines = known.flatMap(([price, name]): Level[] =>
    price === null ? [] : [{ price, kind: "line", name }],
  );
  return [...levels, ...rangeEnds(grid, levels), ...lines, ...grid.stopPrices.map(stopLevel)];
}

export const ENDS = { stop_loss: "stop loss", take_profit: "take profit", trigger: "trigger" } as const;

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
