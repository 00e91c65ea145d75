import { expect } from "vitest";
import { startingBalances } from "../../src/adapters/sandbox/listings.ts";
import { movedBase } from "../../src/grid/booking.ts";
import { asGrid } from "../../src/grid/state/state.ts";
import { mul, text } from "../../src/kernel/decimal.ts";
import { parseClientOrderId, strategyTag } from "../../src/kernel/ids.ts";
import { splitPair } from "../../src/kernel/pair.ts";
import { parseAccountKey } from "../../src/model/account.ts";
import type { OrderState } from "../../src/model/order.ts";
import type { Driven } from "../support/driven.ts";
import { EXCHANGES } from "../support/sandbox.ts";
import type { GridModel, Model } from "./model.ts";
import { isOpen, type Rows, readRows } from "./rows.ts";

/** States that an order may be seen in after one it has been seen in. */
const LATER: Record<OrderState, readonly OrderState[]> = {
  pending: [
    "pending",
    "submitted",
    "unknown",
    "open",
    "partially_filled",
    "filled",
    "canceled",
    "expired",
    "rejected",
  ],
  unknown: ["unknown", "submitted", "open", "partially_filled", "filled", "canceled", "expired", "rejected"],
  submitted: ["submitted", "open", "partially_filled", "filled", "canceled", "expired", "rejected"],
  open: ["open", "partially_filled", "filled", "canceled", "expired", "rejected"],
  partially_filled: ["partially_filled", "filled", "canceled", "expired"],
  filled: ["filled"],
  canceled: ["canceled"],
  expired: ["expired"],
  rejected: ["rejected"],
};

/** Everything that must hold between two commands. */
export async function check(model: Model, real: Driven): Promise<void> {
  const rows = await readRows(real);
  orderStates(model, rows);
  venueOrders(rows);
  kill(model, rows);
  for (const grid of model.grids) gridStates(grid, rows, real);
  persons(model, rows);
  for (const exchange of EXCHANGES) ledger(exchange, model, rows);
}

function orderStates({ states }: Model, { orders }: Rows): void {
  for (const { clientId, state } of orders) {
    const before = states.get(clientId) ?? "pending";
    expect(LATER[before], `${clientId} was ${before}`).toContain(state);
    states.set(clientId, state);
  }
}

/** Every order of ours has the intent that it was sent for, and no slot rests two. */
function venueOrders({ orders, venueOrders: results }: Rows): void {
  const intents = new Map(orders.map((order) => [order.clientId, order]));
  const observed = new Set<string>();
  const resting = new Set<string>();
  for (const order of results.filter(({ clientId }) => clientId.startsWith("em"))) {
    const { clientId, side, amount } = order;
    expect(observed.has(clientId), `${clientId} was taken twice`).toBe(false);
    observed.add(clientId);
    const intent = intents.get(clientId);
    expect(intent && { side: intent.side, amount: intent.amount }, clientId).toEqual({ side, amount });
    const key = parseClientOrderId(clientId);
    if (!key || !isOpen(order)) continue;
    const slot = `${key.tag} ${key.generation} ${key.slot}`;
    expect(resting.has(slot), `slot ${slot} rests two orders`).toBe(false);
    resting.add(slot);
  }
}

/** Nothing is placed between the answer to `on` and the request of `off`. */
function kill(model: Model, { venueOrders: results }: Rows): void {
  if (!model.killed) model.placed = undefined;
  else if (model.placed === undefined) model.placed = results.length;
  else expect(results.length, "orders placed while the kill switch was on").toBe(model.placed);
}

function gridStates(model: GridModel, rows: Rows, { time }: Driven): void {
  const row = rows.strategies.find(({ id }) => id === model.id);
  if (!row) throw new Error(`${model.id} is gone`);
  expect(row.status, `${model.id}: ${row.lastError}`).not.toBe("error");
  if (model.wants !== "either") expect(row.wants).toBe(model.wants);
  if (model.status === "stopped") expect(row.status).toBe("stopped");
  model.status = row.status;
  const mine = rows.orders.filter(({ strategy }) => strategy === model.id);
  if (row.wants === "stop") {
    const intents = mine.filter(({ kind }) => kind === "slot").length;
    model.intents ??= intents;
    expect(intents, `${model.id} placed after its stop`).toBe(model.intents);
  }
  if (row.status !== "stopped") return;
  expect(row.wants).toBe("stop");
  expect(row.stoppedAt).toBeLessThanOrEqual(time.now());
  expect(
    mine.filter(({ settled }) => !settled),
    `${model.id} is stopped`,
  ).toEqual([]);
  const open = rows.venueOrders.filter(
    (order) => isOpen(order) && parseClientOrderId(order.clientId)?.tag === strategyTag(row.number),
  );
  if (model.keeps === false) expect(open, `${model.id} is stopped`).toEqual([]);
}

function persons({ persons: kept, grids }: Model, { venueOrders: results }: Rows): void {
  const leaving = new Set(grids.filter(({ sells }) => sells).map(({ exchange }) => exchange));
  for (const { exchange, id, side, status } of results)
    if (kept.has(`${exchange} ${id}`) && !(side === "buy" && leaving.has(exchange)))
      expect(status, `the person's order ${id}`).not.toBe("canceled");
}

/** Per asset: what the account has changed by is what ledgers, unbooked and foreign fills and deposits tell. */
function ledger(exchange: string, { deposited }: Model, rows: Rows): void {
  const isHere = ({ account }: { account: string }) => parseAccountKey(account).exchange === exchange;
  const booked = new Set(rows.fills.filter((fill) => isHere(fill)).map(({ tradeId }) => tradeId));
  const expected = new Map(startingBalances(exchange).map(({ asset, total }) => [asset, total]));
  const add = (asset: string, amount: bigint) => expected.set(asset, (expected.get(asset) ?? 0n) + amount);
  for (const [key, amount] of deposited)
    if (key.startsWith(`${exchange} `)) add(key.split(" ")[1] ?? "", amount);
  for (const { symbol, state } of rows.strategies.filter(isHere).map(asGrid)) {
    const { base, quote } = splitPair(symbol);
    add(base, movedBase(state));
    add(quote, state.ledger.quote);
  }
  for (const fill of rows.venueFills.filter((one) => one.exchange === exchange && !booked.has(one.id))) {
    const { base, quote } = splitPair(fill.symbol);
    const sign = fill.side === "buy" ? 1n : -1n;
    add(base, sign * fill.amount);
    add(quote, -sign * mul(fill.price, fill.amount, "half"));
    add(fill.fee.asset, -fill.fee.amount);
  }
  const balances = rows.balances.filter((one) => one.exchange === exchange);
  for (const { asset, total } of balances)
    expect(`${text(total)} ${asset}`).toBe(`${text(expected.get(asset) ?? 0n)} ${asset}`);
}
