import { gridPosition } from "../../src/grid/booking.ts";
import { asGrid } from "../../src/grid/state/state.ts";
import { differences, type Execution, movedBy } from "../invariants/venue.ts";
import { type Executed, isResting } from "./exchange.ts";
import { firstExchange, KEY, SYMBOL } from "./setting.ts";
import { type State, strategyOf } from "./state.ts";

/** What has to hold where nothing is left to happen: ledgers are the account, and every slot has its order. */
export function atRest(state: State): string[] {
  return [...sums(state), ...loose(state), ...slots(state)];
}

function sums(state: State): string[] {
  const { exchange, tables } = state;
  const strategy = asGrid(strategyOf(state));
  const executed: Execution[] = exchange.executions.map((one) => ({
    ...one,
    symbol: SYMBOL,
    fees: [{ asset: "USDT", amount: one.fee }],
  }));
  const all = movedBy(executed);
  // What fills of an order that a stop has left to the person is the person's, but for what was booked before.
  const moved = movedBy(executed.filter((_, i) => !isTheirs(state, exchange.executions[i] as Executed)));
  const booked = movedBy([...tables.fills.values()].filter(({ superseded }) => !superseded));
  const before = firstExchange();
  const account = { AAA: exchange.base - before.base, USDT: exchange.quote - before.quote };
  const { ledger } = strategy.state;
  const { memory } = tables.accounts.get(KEY) ?? {};
  const own = { AAA: gridPosition(strategy.state) - ledger.firstBase, USDT: ledger.quote };
  return [
    ...differences("the account", account, all),
    ...differences("the fills", booked, moved),
    ...differences("the ledger", own, moved),
    ...(memory?.baseline ? differences("the account's memory", memory.moved, moved) : []),
  ];
}

function isTheirs({ tables, exchange }: State, { id, orderId }: Executed): boolean {
  const placed = exchange.orders.find((one) => one.id === orderId);
  const row = tables.orders.get(placed?.clientId ?? "");
  const isLeft = row?.settled === true && (row.state === "open" || row.state === "partially_filled");
  return isLeft && !tables.fills.has(`${KEY} ${SYMBOL} ${id}`);
}

/** Nothing is left in doubt, and nothing rests that nobody looks after. */
function loose(state: State): string[] {
  const { exchange, tables } = state;
  const { status, wants, keepOrders, lastError } = strategyOf(state);
  const doubts = [...tables.unsettled].flatMap((id) => {
    const { state: is } = tables.orders.get(id) ?? {};
    return is === "pending" || is === "unknown" ? [`${id} is ${is} for ever`] : [];
  });
  const open = exchange.orders.filter(isResting);
  const left =
    status === "stopped" && !keepOrders ? open.map(({ clientId }) => `${clientId} rests after the stop`) : [];
  const unknown = open.filter(({ clientId }) => !tables.orders.has(clientId));
  return [
    ...doubts,
    ...left,
    ...unknown.map(({ clientId }) => `${clientId} rests and has no row any more`),
    ...(status === "error" ? [`the grid is in error: ${lastError}`] : []),
    ...(wants === "stop" && status !== "stopped" ? [`the grid is to stop and is ${status}`] : []),
  ];
}

/** Every slot rests one right order, or says why it does not. */
function slots(state: State): string[] {
  const { exchange, tables } = state;
  const { wants, state: grid, status } = asGrid(strategyOf(state));
  if (wants !== "run" || status !== "running") return [];
  const open = exchange.orders.filter(isResting);
  return grid.slots.flatMap((slot) => {
    const mine = open.filter(({ clientId }) => tables.orders.get(clientId)?.slot === slot.index);
    const why = grid.refused.find((one) => one.slot === slot.index);
    if (mine.length === 1 && mine[0]?.side === slot.side) return [];
    // Orders that were lost are tried again, but not under the kill switch.
    const isRetried = slot.lost !== undefined && why?.reason !== "killed";
    const isOpen = why && (["recovering", "unclear"].includes(why.reason) || isRetried);
    if (mine.length === 0 && why && !isOpen) return [];
    return [
      `slot ${slot.index} (${slot.side}) rests ${mine.map(({ clientId, side }) => `${clientId} ${side}`).join() || "nothing"}, for ${why?.reason ?? "no reason"}`,
    ];
  });
}
