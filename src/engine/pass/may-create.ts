import { max } from "../../kernel/decimal.ts";
import type { Pair } from "../../kernel/pair.ts";
import { isKeptBack } from "../../model/kill.ts";
import type { Order } from "../../model/order.ts";
import type { Kinds } from "../../ports/kind.ts";
import type { Snapshot } from "../../ports/stores/step-store.ts";
import { waitsForLimit } from "../decide/limited.ts";
import { rhythmOf } from "../decide/turn.ts";
import type { MarketSnapshot } from "../reconcile/observation.ts";
import { isFinal, type OrderReport } from "../reconcile/order-life.ts";

/** Returns whether a slot could need an order; only then does the pass read balances and other venues. */
export function mayCreate(
  snapshot: Snapshot,
  markets: ReadonlyMap<Pair, MarketSnapshot>,
  reports: ReadonlyMap<string, OrderReport>,
  kinds: Kinds,
): boolean {
  const { strategies, orders, kill, lease, limits } = snapshot;
  const { now } = lease;
  const { version } = limits;
  if (isKeptBack(kill, "exit")) return false;
  return strategies.some((strategy) => {
    const { id, symbol, wants, state, sellBase } = strategy;
    const observed = markets.get(symbol);
    if (!observed) return false;
    if (state.exit || (wants === "stop" && sellBase)) return true;
    if (wants !== "run" || kill.on) return false;
    const live = orders
      .filter((order) => order.strategy === id && isLive(order, reports))
      .map((order) => asReported(order, reports));
    const busy = live.filter(({ generation }) => generation === state.generation);
    const waiting = state.slots.filter(
      (slot) => waitsForLimit(slot, { now, version }) && !busy.some((order) => order.slot === slot.index),
    );
    const free = state.slots.length - busy.length - waiting.length;
    return kinds(strategy.kind).mayPlace(strategy, { observed, now, ...rhythmOf(snapshot), free, live });
  });
}

function isLive(order: Order, reports: ReadonlyMap<string, OrderReport>): boolean {
  const report = reports.get(order.clientId);
  const isReportedOpen =
    typeof report !== "object" || report.status === "open" || report.status === "partially_filled";
  return !isFinal(order) && isReportedOpen;
}

function asReported(order: Order, reports: ReadonlyMap<string, OrderReport>): Order {
  const report = reports.get(order.clientId);
  return typeof report === "object" && report.filled > order.filled
    ? { ...order, filled: max(order.filled, report.filled) }
    : order;
}
