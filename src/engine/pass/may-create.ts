import type { Pair } from "../../kernel/pair.ts";
import { isKeptBack } from "../../model/kill.ts";
import type { Order } from "../../model/order.ts";
import type { Kinds } from "../../ports/kind.ts";
import type { Snapshot } from "../../ports/stores/step-store.ts";
import { waitsForLimit } from "../decide/limited.ts";
import type { MarketSight } from "../reconcile/observation.ts";
import { isFinal, type Sight } from "../reconcile/order-life.ts";

/** Whether a slot may want an order: only then are balances and other venues worth a call. */
export function mayCreate(
  { strategies, orders, kill, lease: { now }, limits: { version } }: Snapshot,
  markets: ReadonlyMap<Pair, MarketSight>,
  sights: ReadonlyMap<string, Sight>,
  kinds: Kinds,
): boolean {
  if (isKeptBack(kill, "exit")) return false;
  const isLive = (order: Order) => {
    const sight = sights.get(order.clientId);
    return (
      !isFinal(order) &&
      (sight === undefined ||
        sight === "missing" ||
        sight.status === "open" ||
        sight.status === "partially_filled")
    );
  };
  return strategies.some(({ id, symbol, kind, wants, state, sellBase }) => {
    if (!markets.has(symbol)) return false;
    if (state.exit || (wants === "stop" && sellBase)) return true;
    if (wants !== "run" || kill.on) return false;
    if (kinds(kind).isMoving(state)) return true;
    const busy = orders.filter(
      (order) => order.strategy === id && order.generation === state.generation && isLive(order),
    );
    const waiting = state.slots.filter(
      (slot) => waitsForLimit(slot, { now, version }) && !busy.some((order) => order.slot === slot.index),
    );
    return busy.length + waiting.length < state.slots.length;
  });
}
