import type { Level } from "../chart/chart.tsx";
import { digitsOf, number } from "../format.ts";
import type { AnyStrategy, OwnStatus, RunningGrid } from "../types.ts";

export const ENDS = {
  stop_loss: "stop loss",
  trailing_stop: "trailing stop",
  take_profit: "take profit",
  trigger: "trigger",
} as const;

/** Returns a strategy's open orders, a grid's levels without one, and the other important prices. */
export function chartLevels(one: AnyStrategy): Level[] {
  const sizes = digitsOf(one.orders.map(({ amount }) => amount));
  const open = one.orders.map(
    ({ side, price, amount }): Level => ({
      price: Number(price),
      kind: side,
      amount: number(amount, sizes),
    }),
  );
  const levels = one.kind === "grid" ? [...open, ...emptyLevels(one)] : open;
  const ends = one.kind === "grid" ? rangeEnds(one, levels) : [];
  const notes = one.kind === "strategy" && one.status !== "stopped" ? notedPrices(one) : [];
  const reference = one.kind === "quote" && one.status !== "stopped" ? one.reference : null;
  const lines = [
    // That of the dust of a stopped one can be far from all prices.
    [one.status === "stopped" ? null : one.breakEvenPrice, "break-even"],
    [reference, "reference price"],
    ...notes,
  ] as const;
  return [
    ...levels,
    ...ends,
    ...lines.flatMap(([price, name]): Level[] =>
      // A remainder that sales have paid for breaks even below zero.
      Number(price ?? 0) > 0 ? [{ price: Number(price), kind: "line", name }] : [],
    ),
    ...one.stopPrices.map(
      ({ reason, price }): Level => ({
        price: Number(price),
        kind: reason === "trigger" ? "line" : "stop",
        name: ENDS[reason],
      }),
    ),
  ];
}

/** Maximum distance from the price, as a share of it, at which a noted number counts as a price. */
const MAX_NOTE_DISTANCE = 0.2;

/** Returns the prices among the notes of a user's own strategy. */
const notedPrices = ({ notes, price }: OwnStatus) =>
  Object.entries(notes).flatMap(([name, value]) => {
    const isPrice =
      typeof value !== "boolean" && Math.abs(Number(value) / Number(price) - 1) <= MAX_NOTE_DISTANCE;
    return isPrice ? [[value, name] as const] : [];
  });

/** Returns the levels of slots without an order. */
function emptyLevels({ slots, orders, waiting }: RunningGrid): Level[] {
  const [open, waits] = [orders, waiting].map((all) => new Set(all.map(({ id }) => id)));
  return slots
    .filter(({ slot }) => !open?.has(String(slot)))
    .map(({ slot, side, lowerPrice, upperPrice }) => ({
      price: Number(side === "buy" ? lowerPrice : upperPrice),
      kind: waits?.has(String(slot)) ? "refused" : "empty",
    }));
}

/** Returns the ends of the range that have no order. */
const rangeEnds = ({ lowerPrice, upperPrice }: RunningGrid, levels: readonly Level[]): Level[] =>
  [lowerPrice, upperPrice]
    .map(Number)
    .filter((price) => !levels.some((level) => level.price === price))
    .map((price) => ({ price, kind: "empty" }));
