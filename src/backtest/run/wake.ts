import { rebuildEdges, trailEnds } from "../../grid/plan/watch.ts";
import { sellPrice } from "../../grid/plan/wish.ts";
import type { GridConfig } from "../../grid/state/config.ts";
import type { GridState, GridStrategy, Slot } from "../../grid/state/state.ts";
import { type Decimal, div } from "../../kernel/decimal.ts";
import type { Order } from "../../model/order.ts";
import type { RefusalReason } from "../../model/strategy.ts";
import { canSkip } from "../fast/fast-options.ts";
import type { TickReach } from "../tape/ticks.ts";

/** Value if no price needs a pass. */
const NEVER: TickReach = { below: -Infinity, above: Infinity };

/**
 * Returns the prices in ticks at which a pass could do more than book fills: until the price reaches one, no pass
 * changes anything. Undefined if time alone could, or if an action is in progress; then every pass runs. `lastTicks`
 * is the price of the previous pass, if a pass depends on a single price.
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

/**
 * Returns whether the order is at its slot's price with its remaining amount; otherwise it is replaced when the price
 * allows.
 */
function isAtLevel({ slot: index, generation, side, price, state: life }: Order, state: GridState): boolean {
  const slot = state.slots.find((slot) => slot.index === index);
  if (!slot || generation !== state.generation || slot.side !== side) return false;
  const isOpen = life === "submitted" || life === "open" || life === "partially_filled";
  return isOpen && price === (side === "buy" ? slot.lower : sellPrice(slot));
}

/**
 * Refusals that last while nothing fills, because the account lacks something at any price. A buy that would meet an
 * own sell is not among them: it is placed when the price allows.
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

/** Returns the price above which a selling slot without base begins to buy. */
const sideTurn = ({ side, lower, base, bought }: Slot, tick: Decimal): TickReach =>
  side === "sell" && base === 0n && bought === 0n ? { ...NEVER, above: ticks(lower, tick) } : NEVER;

const FUNDED: readonly RefusalReason[] = ["no_quote", "max_position", "safety_reserve"];

/**
 * Returns the price below which a buy that lacks quote could fit: it is placed below its level when the level would
 * be a taker price. If it did not fit at the last price, it fits at none above that.
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

/** Returns the prices for a grid whose slots know when to act: only those that move the whole grid. */
export const gridWakeOf = ({ config, state }: GridStrategy, tick: Decimal): TickReach =>
  movesOf(config, state, tick);

/** Returns prices that move the whole grid: stop prices, the ends of a trail, the edges of a centered grid. */
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

/** Returns the trigger price of a waiting grid; nothing else matters until then. */
function triggerOf({ config, state }: GridStrategy, tick: Decimal): TickReach {
  const { triggerPrice } = config;
  if (triggerPrice === undefined) return NEVER;
  return state.startPrice < triggerPrice
    ? priceReach(undefined, triggerPrice, tick)
    : priceReach(triggerPrice, undefined, tick);
}

/** Rounds down; an additional pass has no effect. */
const ticks = (price: Decimal, tick: Decimal): number => Number(div(price, tick, "down") / 10n ** 18n);

export const nearer = (a: TickReach, b: TickReach): TickReach => ({
  below: Math.max(a.below, b.below),
  above: Math.min(a.above, b.above),
});
