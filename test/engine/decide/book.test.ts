import { describe, expect, it } from "vitest";
import { book } from "../../../src/engine/decide/advance.ts";
import type { Reconciled } from "../../../src/engine/reconcile/reconcile.ts";
import { gridKind } from "../../../src/grid/kind.ts";
import type { GridState } from "../../../src/grid/state/state.ts";
import type { Fill, Order } from "../../../src/model/order.ts";
import { EXIT_SLOT, type Strategy } from "../../../src/model/strategy.ts";
import type { Kind } from "../../../src/ports/kind.ts";
import { d, slot, state } from "../../support/grid.ts";
import { fill, idOf, NOW, order, strategy, TIMING } from "../../support/made.ts";

const { backoff } = TIMING;
const KIND = gridKind as unknown as Kind;
const grid = (slots = [slot(), slot({ index: 1 })], over: Partial<GridState> = {}): Strategy =>
  strategy({ state: state(slots, over) });
const one = (over: Partial<Order> = {}, more: Partial<Reconciled> = {}): Reconciled => {
  const now = order(over);
  return { order: now, before: now, fills: [], ended: false, lost: false, adopted: false, ...more };
};
const filled = (serial: number, over: Partial<Order> = {}, fills: Fill[] = []): Reconciled =>
  one(
    {
      clientId: idOf({ serial }),
      state: "filled",
      amount: d("1"),
      filled: d("1"),
      booked: d("1"),
      ...over,
    },
    { fills, ended: true },
  );
const booked = (reconciled: readonly Reconciled[], before = grid(), now = NOW) =>
  book(KIND, before, reconciled, { now, backoff }).state as GridState;

describe("booking order changes", () => {
  it("returns the same strategy object when nothing has changed", () => {
    const before = grid();
    expect(book(KIND, before, [one()], { now: NOW, backoff })).toBe(before);
    expect(book(KIND, before, [], { now: NOW, backoff })).toBe(before);
  });

  it("books a change to its slot and to the moved amounts", () => {
    const after = booked([one({}, { fills: [fill()] })]);
    expect(after.slots[0]).toEqual(slot({ bought: d("1"), base: d("1"), cost: d("100.1") }));
    expect(after.ledger).toMatchObject({ quote: d("-100.1"), moved: { BTC: d("1"), USDT: d("-100.1") } });
  });

  it("moves nothing for a fill that was booked from the order's sums before", () => {
    expect(booked([one({}, { fills: [fill({ superseded: true })] })])).toEqual(grid().state);
  });

  it("books to the whole strategy when the slot no longer exists", () => {
    const after = booked([filled(0, { generation: 3 }, [fill()])]);
    expect(after.slots).toEqual(grid().state.slots);
    expect(after.idle).toEqual([{ base: d("1"), cost: d("100.1"), first: false }]);
  });

  it("books in the order in which the slot had its orders", () => {
    const buy = filled(3, {}, [fill({ fees: [] })]);
    const sell = filled(4, { side: "sell" }, [fill({ side: "sell", notional: d("110"), fees: [] })]);
    const after = booked([sell, buy]);
    expect(after.slots[0]).toEqual(slot({ cycles: 1 }));
    expect(after.ledger).toMatchObject({ realized: d("10"), cycles: 1, filledOrders: 2 });
    const earlier = filled(9, { generation: -1 }, [fill({ fees: [], notional: d("90") })]);
    expect(booked([buy, earlier]).ledger.quote).toBe(d("-190"));
  });

  it("flips the slot of a filled order and resets its rejection counts", () => {
    const before = grid([slot({ rejects: 2, lost: 1 }), slot({ index: 1, rejects: 5, lost: 6 })]);
    const [first, second] = booked([filled(0)], before).slots;
    expect(first).toEqual(slot({ side: "sell" }));
    expect(second).toEqual(slot({ index: 1, rejects: 5, lost: 6 }));
    const open = booked([one()], before).slots[0];
    expect(open).toMatchObject({ rejects: 2, lost: 1 });
  });
});

describe("an order that its exchange rejected", () => {
  const refused = (reason: string | null = "too small", over: Partial<Order> = {}, lost = false) =>
    one({ state: "rejected", reason, ...over }, { ended: true, lost });

  it("is retried with growing delays up to the maximum, and its slot shows the reason", () => {
    let before = grid(undefined, {
      refused: [
        { slot: 0, reason: "no_quote" },
        { slot: 1, reason: "no_base" },
      ],
    });
    const waits: number[] = [];
    for (let times = 1; times <= 7; times++) {
      const after = booked([refused()], before);
      expect(after.slots[0]).toMatchObject({ rejects: times });
      waits.push((after.slots[0]?.retryAt ?? 0) - NOW);
      expect(after.refused).toEqual([
        { slot: 1, reason: "no_base" },
        { slot: 0, reason: "rejected", detail: "too small" },
      ]);
      expect(after.slots[1]).toEqual(slot({ index: 1 }));
      before = strategy({ state: after });
    }
    expect(waits).toEqual([15_000, 30_000, 60_000, 120_000, 240_000, 300_000, 300_000]);
  });

  it("reports the exchange's reason only", () => {
    expect(booked([refused(null)]).refused).toEqual([{ slot: 0, reason: "rejected" }]);
  });

  it.each([
    ["it never left", "not sent"],
    ["it would have taken", "would take: the ask is 99"],
  ])("is planned again immediately if %s", (_, reason) => {
    expect(booked([refused(reason)])).toEqual(grid().state);
  });

  it("counts as rejected if the exchange's text is only similar to that", () => {
    expect(booked([refused("it would take: ")]).slots[0]?.rejects).toBe(1);
  });

  it("is reported as rejected from the third unconfirmed attempt in a row", () => {
    let before = grid();
    const retries: number[] = [];
    for (let times = 1; times <= 5; times++) {
      const after = booked([refused("no answer", {}, true)], before);
      expect(after.slots[0]).toMatchObject({ lost: times });
      expect(after.slots[0]?.rejects).toBeUndefined();
      retries.push((after.slots[0]?.retryAt ?? 0) - NOW);
      expect(after.refused).toEqual(times < 3 ? [] : [{ slot: 0, reason: "rejected", detail: "no answer" }]);
      before = strategy({ state: after });
    }
    expect(retries).toEqual([-NOW, -NOW, 15_000, 30_000, 60_000]);
  });

  it("is reported even if its slot no longer exists", () => {
    const after = booked([refused("too small", { slot: 7 })]);
    expect(after.slots).toEqual(grid().state.slots);
    expect(after.refused).toEqual([{ slot: 7, reason: "rejected", detail: "too small" }]);
    expect(booked([refused("no answer", { slot: 7 }, true)])).toEqual(grid().state);
  });
});

describe("an order known only to the exchange", () => {
  const found = (over: Partial<Order> = {}, more: Partial<Reconciled> = {}) =>
    one({ clientId: idOf({ slot: over.slot ?? 0, serial: 5 }), ...over }, { adopted: true, ...more });

  it("raises the serial of its strategy, but never lowers it", () => {
    for (const [before, after] of [
      [4, 5],
      [5, 5],
      [9, 9],
    ] as const)
      expect(booked([found()], grid(undefined, { serial: before })).serial).toBe(after);
  });

  it("sets the side of its slot while it is open", () => {
    expect(booked([found({ side: "sell" })]).slots.map(({ side }) => side)).toEqual(["sell", "buy"]);
    const ended = found({ side: "sell", state: "canceled" }, { ended: true });
    expect(booked([ended]).slots.map(({ side }) => side)).toEqual(["buy", "buy"]);
  });

  it("changes nothing for slots that no longer exist", () => {
    expect(booked([found({ side: "sell", generation: 4 })])).toEqual({ ...grid().state, serial: 5 });
  });

  it("provides the base of its slot if the grid has only started", () => {
    const starting = { ...grid(), phase: "starting" } as const;
    const sell = found({ side: "sell" });
    expect(booked([sell], starting).slots[0]).toMatchObject({ base: d("2"), cost: d("210"), first: true });
    expect(booked([sell]).slots[0]?.base).toBe(0n);
    expect(booked([found()], starting).slots[0]?.base).toBe(0n);
  });

  it("of an exit marks the exit as started", () => {
    const exit = found({ kind: "exit", slot: EXIT_SLOT, side: "sell" });
    expect(booked([exit]).exit).toEqual({ reason: "stop", tries: 1 });
    expect(booked([found({ slot: EXIT_SLOT, side: "sell" })]).exit).toBe(null);
  });
});
