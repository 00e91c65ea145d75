import { max } from "../../kernel/decimal.ts";
import type { Pair } from "../../kernel/pair.ts";
import { isKeptBack } from "../../model/kill.ts";
import type { Order } from "../../model/order.ts";
import type { Kinds } from "../../ports/kind.ts";
import type { Snapshot } from "../../ports/stores/step-store.ts";
import { waitsForLimit } from "../decide/limited.ts";
import { rhythmOf } from "../decide/turn.ts";
import type { MarketSight } from "../reconcile/observation.ts";
import { isFinal, type OrderReport } from "../reconcile/order-life.ts";

/** Returns whether a slot could need an order; only then does the pass read balances and other venues. */
export function mayCreate(
  snapshot: Snapshot,
  markets: ReadonlyMap<Pair, MarketSight>,
  sights: ReadonlyMap<string, OrderReport>,
  kinds: Kinds,
): boolean {
  const { strategies, orders, kill, lease, limits } = snapshot;
  const { now } = lease;
  const { version } = limits;
  if (isKeptBack(kill, "exit")) return false;
  return strategies.some((strategy) => {
    const { id, symbol, wants, state, sellBase } = strategy;
    const sight = markets.get(symbol);
    if (!sight) return false;
    if (state.exit || (wants === "stop" && sellBase)) return true;
    if (wants !== "run" || kill.on) return false;
    const live = orders
      .filter((order) => order.strategy === id && isLive(order, sights))
      .map((order) => asSeen(order, sights));
    const busy = live.filter(({ generation }) => generation === state.generation);
    const waiting = state.slots.filter(
      (slot) => waitsForLimit(slot, { now, version }) && !busy.some((order) => order.slot === slot.index),
    );
    const free = state.slots.length - busy.length - waiting.length;
    return kinds(strategy.kind).mayPlace(strategy, { sight, now, ...rhythmOf(snapshot), free, live });
  });
}

function isLive(order: Order, sights: ReadonlyMap<string, OrderReport>): boolean {
  const sight = sights.get(order.clientId);
  const isSeenToRest =
    typeof sight !== "object" || sight.status === "open" || sight.status === "partially_filled";
  return !isFinal(order) && isSeenToRest;
}

function asSeen(order: Order, sights: ReadonlyMap<string, OrderReport>): Order {
  const sight = sights.get(order.clientId);
  return typeof sight === "object" && sight.filled > order.filled
    ? { ...order, filled: max(order.filled, sight.filled) }
    : order;
}
