import { describe, expect, it } from "vitest";
import { tradesAreDue } from "../../../src/engine/pass/observe-markets.ts";
import type { Order } from "../../../src/model/order.ts";
import type { Snapshot } from "../../../src/ports/stores/step-store.ts";
import type { VenueOrder } from "../../../src/ports/venue.ts";
import { d, slot, state } from "../../support/grid.ts";
import { idOf, NOW, order, reportedOrder, SYMBOL, snapshot, strategy, TIMING } from "../../support/made.ts";

const EVERY = 60_000;

/** Whether trades are asked for that were read `ago`, of an order that rests and shows. */
function due({
  ago = EVERY - 1,
  orders = [order()],
  open = [reportedOrder()],
  ...over
}: Partial<Snapshot> & {
  readonly ago?: number | undefined;
  readonly orders?: readonly Order[];
  readonly open?: readonly VenueOrder[];
} = {}): boolean {
  const memory = { ...snapshot().memory, tradesAt: { [SYMBOL]: NOW - ago } };
  const all = snapshot({ orders, memory, ...over });
  return tradesAreDue(all, SYMBOL, open, { ...TIMING, tradesEvery: EVERY });
}

describe("the trades of a market", () => {
  it("are requested at intervals, and if they were never read", () => {
    expect(due()).toBe(false);
    expect(due({ ago: EVERY })).toBe(true);
    expect(due({ memory: snapshot().memory })).toBe(true);
    expect(due({ memory: { ...snapshot().memory, tradesAt: { "ETH/USDT": NOW } } })).toBe(true);
  });

  it("are requested after a restore, until pending trades are visible", () => {
    const grid = (over: object, more: object = {}) =>
      strategy({ state: state([slot()], { epoch: 1, ...over }), ...more });
    expect(due({ strategies: [grid({ epoch: 0 })] })).toBe(true);
    expect(due({ strategies: [grid({ recoversUntil: NOW + 1 })] })).toBe(true);
    expect(due({ strategies: [grid({ recoversUntil: NOW })] })).toBe(false);
    expect(due({ strategies: [grid({ epoch: 0, recoversUntil: NOW + 1 }, { symbol: "ETH/USDT" })] })).toBe(
      false,
    );
    expect(due({ strategies: [grid({}), grid({ epoch: 0 })] })).toBe(true);
  });

  it("are requested if the open list has a strategy order without a row", () => {
    expect(due({ open: [reportedOrder(), reportedOrder({ id: "x5" })] })).toBe(true);
    expect(due({ open: [reportedOrder(), reportedOrder({ id: "x5", clientId: "mine" })] })).toBe(false);
  });

  it("are requested if an order has left the open list or has new fills", () => {
    expect(due({ open: [] })).toBe(true);
    expect(due({ open: [reportedOrder({ filled: d("1") })] })).toBe(true);
    expect(due({ orders: [order({ filled: d("1") })] })).toBe(true);
    expect(due({ orders: [order(), order({ filled: d("1") })] })).toBe(true);
    const other = reportedOrder({ id: "x9", clientId: "mine" });
    expect(due({ open: [other, reportedOrder({ filled: d("1") })] })).toBe(true);
    expect(due({ open: [other] })).toBe(true);
    const half = { filled: d("1"), booked: d("1") };
    expect(due({ orders: [order(half)], open: [reportedOrder({ filled: d("1") })] })).toBe(false);
    expect(due({ orders: [order(half)], open: [reportedOrder({ filled: d("2") })] })).toBe(true);
  });

  it("match an order on the list by either of its ids", () => {
    expect(due({ open: [reportedOrder({ clientId: undefined })] })).toBe(false);
    const submitted = [order({ exchangeId: null }), order({ clientId: idOf({ slot: 4 }), exchangeId: "x1" })];
    expect(
      due({ orders: submitted, open: [reportedOrder(), reportedOrder({ clientId: idOf({ slot: 4 }) })] }),
    ).toBe(false);
  });

  it("are not requested for an ended order with all of it booked", () => {
    expect(due({ orders: [order({ state: "canceled" })], open: [] })).toBe(false);
    expect(due({ orders: [order({ state: "canceled", filled: d("1") })], open: [] })).toBe(true);
  });

  it("are not requested for another market, a user's order, or an order whose wait is over", () => {
    expect(due({ orders: [order({ symbol: "ETH/USDT" })], open: [] })).toBe(false);
    expect(due({ orders: [order({ strategy: null })], open: [] })).toBe(false);
    const long = order({ state: "filled", filled: d("2"), behindSince: NOW - 3_600_000 });
    expect(due({ orders: [long], open: [] })).toBe(false);
    expect(due({ orders: [{ ...long, behindSince: NOW - 1 }], open: [] })).toBe(true);
  });
});
