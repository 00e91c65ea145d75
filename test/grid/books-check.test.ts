import { describe, expect, it } from "vitest";
import { booksChecked, noteUnexplained } from "../../src/engine/reconcile/books-check.ts";
import { bookFill } from "../../src/grid/booking.ts";
import { gridKind } from "../../src/grid/kind.ts";
import { MINUTE } from "../../src/kernel/time.ts";
import { NEW_ORDER, type Order } from "../../src/model/order.ts";
import type { Strategy } from "../../src/model/strategy.ts";
import { d, slot, state } from "../support/grid.ts";

const fill = { side: "buy", amount: d("1"), notional: d("100"), fees: [] } as const;
const bought = bookFill(state([slot()]), "BTC/USDT", fill, 0);
const booked = { ...bought, ledger: { ...bought.ledger, moved: { BTC: d("1"), USDT: d("-100") } } };
const grid = (over: Partial<Strategy> = {}): Strategy =>
  ({
    symbol: "BTC/USDT",
    status: "running",
    wants: "run",
    state: booked,
    lastError: null,
    ...over,
  }) as Strategy;
/** One base more in a slot than its fills have brought. */
const wrong = { ...booked, slots: booked.slots.map((one) => ({ ...one, base: one.base + d("1") })) };
const order = (over: Partial<Order> = {}): Order =>
  ({ ...NEW_ORDER, clientId: "em1", strategy: "g", generation: 0, slot: 3, ...over }) as Order;
const reconciled = {
  order: order(),
  before: order(),
  fills: [fill],
  ended: true,
  lost: false,
  adopted: false,
};

describe("a balance that fills do not explain", () => {
  it("is zero when slots, cash and fills agree, and the strategy is returned unchanged", () => {
    const one = grid();
    expect(booksChecked(gridKind, one, { live: [], now: 0 })).toBe(one);
    expect(noteUnexplained(gridKind, one, [reconciled as never])).toBe(one);
  });

  it("becomes an error only after ten minutes, naming asset and order", () => {
    const first = booksChecked(
      gridKind,
      noteUnexplained(gridKind, grid({ state: wrong }), [reconciled as never]),
      {
        live: [],
        now: 1000,
      },
    );
    expect(first).toMatchObject({
      status: "running",
      state: { unexplained: { order: "em1", since: 1000, assets: { BTC: d("1") } } },
    });
    expect(booksChecked(gridKind, first, { live: [], now: 1000 + 10 * MINUTE - 1 })).toBe(first);
    const after = booksChecked(gridKind, first, { live: [], now: 1000 + 10 * MINUTE });
    expect(after).toMatchObject({ status: "error", lastError: expect.stringMatching(/em1.*1 BTC/) });
  });

  it("includes an order booked below its filled amount, open or ended, and its slot shows it", () => {
    const short = order({ state: "partially_filled", filled: d("2"), booked: d("0.5"), behindSince: 0 });
    const found = booksChecked(gridKind, grid(), { live: [short], now: 0 });
    expect(found.state.unexplained).toMatchObject({ order: "em1", assets: { BTC: d("1.5") } });
    expect(booksChecked(gridKind, found, { live: [short], now: 10 * MINUTE })).toMatchObject({
      status: "error",
      state: { refused: [{ slot: short.slot, reason: "fills_missing", detail: "em1" }] },
    });
    expect(booksChecked(gridKind, found, { live: [], now: 10 * MINUTE })).toMatchObject({
      status: "running",
      state: { unexplained: null },
    });
  });

  it("is no error if the order's totals are known: the next pass that reads its trades books them", () => {
    const sums = { notional: d("200"), fees: [] };
    const short = order({ filled: d("2"), booked: d("0.5"), behindSince: 0, ...sums });
    const found = booksChecked(gridKind, grid(), { live: [short], now: 0 });
    expect(booksChecked(gridKind, found, { live: [short], now: 11 * MINUTE })).toBe(found);
    const other = order({ ...short, filled: d("0.5"), behindSince: null });
    const first = booksChecked(
      gridKind,
      noteUnexplained(gridKind, grid({ state: wrong }), [reconciled as never]),
      {
        live: [other],
        now: 0,
      },
    );
    expect(booksChecked(gridKind, first, { live: [other], now: 11 * MINUTE }).status).toBe("error");
  });

  it("does not prevent a grid from stopping", () => {
    const stopping = booksChecked(gridKind, grid({ state: wrong, wants: "stop" }), { live: [], now: 0 });
    expect(booksChecked(gridKind, stopping, { live: [], now: 20 * MINUTE }).status).toBe("running");
  });
});
