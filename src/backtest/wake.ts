import { rebuildEdges, trailEnds } from "../grid/plan/watch.ts";
import { sellPrice } from "../grid/plan/wish.ts";
import type { GridConfig } from "../grid/state/config.ts";
import type { GridState, GridStrategy, Slot } from "../grid/state/state.ts";
import { type Decimal, div } from "../kernel/decimal.ts";
import type { Order } from "../model/order.ts";
import type { RefusalReason } from "../model/strategy.ts";
import { canSkip } from "./fast-options.ts";
import type { TickReach } from "./ticks.ts";

/** No price asks for a pass. */
const NEVER: TickReach = { below: -Infinity, above: Infinity };

/**
 * The prices in ticks from which on a pass could do something beside booking what has filled: until one is seen no
 * pass changes anything. Undefined where time alone may, or something is under way: then every pass is made.
 * `lastTicks` is the price of the pass before, where one price is all that a pass goes by.
 */
export function wakeOf(
  { strategy, orders }: { strategy: GridStrategy; orders: readonly Order[] },
  tick: Decimal,
  lastTicks = Infinity,
): TickReach | undefined {
  const { config, state, status, phase } = strategy;
  if (status === "stopped") return NEVER;
  if (status === "idle") return triggerOf(strategy, tick);
  const isSettled = status === "running" && (phase === "active" || phase === "placing");
  if (!isSettled || isUnderWay(state) || config.centered?.volatility) return undefined;
  if (!canSkip("wake", config)) return undefined;
  if (!orders.every((order) => isAtLevel(order, state))) return undefined;
  const busy = new Set(orders.map(({ slot }) => slot));
  const idle = state.slots.filter(({ index }) => !busy.has(index));
  if (!idle.every((slot) => isRefusedForGood(slot, state))) return undefined;
  const reaches = idle.map((slot) =>
    nearer(sideTurn(slot, tick), cheaperBuy(slot, state, { tick, lastTicks })),
  );
  return [...reaches, movesOf(config, state, tick)].reduce(nearer, NEVER);
}

const isUnderWay = ({ exit, rebuild, trail, firstBuy, signal, unexplained, halted }: GridState): boolean =>
  Boolean(exit || rebuild || trail.way || firstBuy || signal || unexplained || halted);

/** It rests where its slot wants it, whole or what is left of it; any other is replaced as soon as the price allows. */
function isAtLevel({ slot: index, generation, side, price, state: life }: Order, state: GridState): boolean {
  const slot = state.slots.find((one) => one.index === index);
  if (!slot || generation !== state.generation || slot.side !== side) return false;
  const isOpen = life === "submitted" || life === "open" || life === "partially_filled";
  return isOpen && price === (side === "buy" ? slot.lower : sellPrice(slot));
}

/**
 * Refusals that stay while nothing fills: what is lacked is of the account, not of the price. A buy that would meet an
 * own sell is not among them: it rests below that as soon as the price allows.
 */
const LASTING: readonly RefusalReason[] = [
  "no_base",
  "no_quote",
  "below_minimum",
  "inventory_missing",
  "max_position",
  "safety_reserve",
];

const isRefusedForGood = ({ index, retryAt }: Slot, { refused }: GridState): boolean =>
  retryAt === 0 && LASTING.includes(refused.find(({ slot }) => slot === index)?.reason ?? "rejected");

/** A selling slot without base buys as soon as the market is above its lower price. */
const sideTurn = ({ side, lower, base, bought }: Slot, tick: Decimal): TickReach =>
  side === "sell" && base === 0n && bought === 0n ? { ...NEVER, above: ticks(lower, tick) } : NEVER;

const FUNDED: readonly RefusalReason[] = ["no_quote", "max_position", "safety_reserve"];

/**
 * A buy that lacks quote is placed below its level once the level would take: it then costs less, and may fit. Where it
 * did not fit at the last price, it fits at none above that.
 */
function cheaperBuy(
  { index, side, lower }: Slot,
  { refused }: GridState,
  { tick, lastTicks }: { readonly tick: Decimal; readonly lastTicks: number },
): TickReach {
  const isFunded = refused.some(({ slot, reason }) => slot === index && FUNDED.includes(reason));
  return side === "buy" && isFunded
    ? { ...NEVER, below: Math.min(ticks(lower, tick), lastTicks - 1) }
    : NEVER;
}

/** The same of a grid whose slots know themselves when to act: only what moves all of it. */
export const gridWakeOf = ({ config, state }: GridStrategy, tick: Decimal): TickReach =>
  movesOf(config, state, tick);

/** What moves the whole grid: stop prices, the ends of a trail, the edges of a centered grid. */
function movesOf(config: GridConfig, state: GridState, tick: Decimal): TickReach {
  const { stopLossPrice, takeProfitPrice, centered, trail } = config;
  const stops = priceReach(stopLossPrice, takeProfitPrice, tick);
  if (centered) {
    const { lowest, highest } = rebuildEdges(centered, state);
    return nearer(stops, priceReach(lowest, highest, tick));
  }
  if (!trail) return stops;
  const { up, down } = trailEnds(config, state, tick);
  return nearer(stops, priceReach(down, up, tick));
}

const priceReach = (below: Decimal | undefined, above: Decimal | undefined, tick: Decimal): TickReach => ({
  below: below === undefined ? -Infinity : ticks(below, tick) + 1,
  above: above === undefined ? Infinity : ticks(above, tick),
});

/** A grid that waits for its trigger waits for nothing else. */
function triggerOf({ config, state }: GridStrategy, tick: Decimal): TickReach {
  const { triggerPrice } = config;
  if (triggerPrice === undefined) return NEVER;
  return state.startPrice < triggerPrice
    ? priceReach(undefined, triggerPrice, tick)
    : priceReach(triggerPrice, undefined, tick);
}

/** Rounded down; a pass too many does nothing. */
const ticks = (price: Decimal, tick: Decimal): number => Number(div(price, tick, "down") / 10n ** 18n);

export const nearer = (a: TickReach, b: TickReach): TickReach => ({
  below: Math.max(a.below, b.below),
  above: Math.min(a.above, b.above),
});
