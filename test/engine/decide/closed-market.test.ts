import { describe, expect, it } from "vitest";
import { book } from "../../../src/engine/decide/advance.ts";
import { noteMarketClosed, noteUnreadable } from "../../../src/engine/decide/stop.ts";
import type { Reconciled } from "../../../src/engine/reconcile/reconcile.ts";
import { gridKind } from "../../../src/grid/kind.ts";
import { layOut } from "../../../src/grid/ladder/levels.ts";
import { NEW_STATE } from "../../../src/grid/state/state.ts";
import { decimal as d } from "../../../src/kernel/decimal.ts";
import { DAY, MINUTE, SECOND } from "../../../src/kernel/time.ts";
import { NEW_ORDER, type Order } from "../../../src/model/order.ts";
import type { Strategy } from "../../../src/model/strategy.ts";

const slots = layOut([d("90"), d("100"), d("110")], d("50"), d("105"));
const grid = (over: Partial<Strategy> = {}): Strategy =>
  ({
    id: "g",
    symbol: "AAA/USDT",
    status: "running",
    phase: "active",
    wants: "run",
    lastError: null,
    state: { ...NEW_STATE, slots, startPrice: d("105"), center: d("105"), laidAt: 0 },
    ...over,
  }) as Strategy;

describe("a closed market", () => {
  it("puts its grid in error only after a day", () => {
    const noted = noteMarketClosed(grid(), "AAA/USDT is closed on the exchange", 1000);
    expect(noted).toMatchObject({ status: "running", state: { closedSince: 1000 } });
    expect(noteMarketClosed(noted, "AAA/USDT is closed on the exchange", 1000 + DAY - 1)).toBe(noted);
    const over = noteMarketClosed(noted, "AAA/USDT is closed on the exchange", 1000 + DAY);
    expect(over).toMatchObject({ status: "error", lastError: expect.stringContaining("resume it") });
  });

  it("is cleared when it opens, and keeps counting while its state is unknown", () => {
    const noted = noteMarketClosed(grid(), "closed", 1000);
    expect(noteMarketClosed(noted, undefined, 2000)).toBe(noted);
    expect(noteMarketClosed(noted, null, 2000).state).not.toHaveProperty("closedSince");
    expect(noteMarketClosed(noteUnreadable(grid(), "unknown symbol", 5), null, 6).lastError).toBeNull();
  });

  it("does not prevent a grid from stopping", () => {
    const stopping = noteMarketClosed(grid({ wants: "stop" }), "closed", 0);
    expect(noteMarketClosed(stopping, "closed", 2 * DAY).status).toBe("running");
  });

  it("without data from the venue reports the reason once", () => {
    const result = noteUnreadable(grid(), "unknown symbol", 5);
    expect(result.lastError).toBe("AAA/USDT cannot be read: unknown symbol");
    expect(noteUnreadable(result, "unknown symbol", 6)).toBe(result);
  });
});

describe("a slot whose orders are rejected", () => {
  const backoff = { first: 15 * SECOND, max: 5 * MINUTE };
  const ended = (state: Order["state"]): Reconciled => {
    const order = {
      ...NEW_ORDER,
      clientId: "em1",
      strategy: "g",
      generation: 0,
      slot: 1,
      side: "buy",
      amount: 1n,
      state,
    } as unknown as Order;
    return { order, before: order, fills: [], ended: true, lost: false, adopted: false };
  };
  const changed = (one: Strategy, state: Order["state"], now: number) =>
    book(gridKind, one, [ended(state)], { now, backoff });

  it("doubles its wait each time, up to the maximum, until an order is accepted", () => {
    let one = grid();
    const waits = Array.from({ length: 7 }, () => {
      one = changed(one, "rejected", 0);
      return one.state.slots[1]?.retryAt;
    });
    expect(waits).toEqual([15, 30, 60, 120, 240, 300, 300].map((seconds) => seconds * SECOND));
    one = changed(changed(one, "canceled", 0), "rejected", 0);
    expect(one.state.slots[1]).toMatchObject({ rejects: 1, retryAt: 15 * SECOND });
    expect(one.state.slots[0]).not.toHaveProperty("rejects");
  });
});
