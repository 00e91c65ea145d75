import { describe, expect, it } from "vitest";
import {
  adopted,
  isBehind,
  isOfStrategy,
  recover,
  serialOf,
} from "../../../src/engine/reconcile/recovery.ts";
import { gridKind } from "../../../src/grid/kind.ts";
import { serialAt, strategyTag } from "../../../src/kernel/ids.ts";
import { HOUR } from "../../../src/kernel/time.ts";
import { NEW_ORDER } from "../../../src/model/order.ts";
import { EXIT_SLOT, type Strategy } from "../../../src/model/strategy.ts";
import { d, slot, state } from "../../support/grid.ts";
import { ACCOUNT, idOf, NUMBER, reportedOrder, SYMBOL, strategy, TIMING } from "../../support/made.ts";

const NOW = Date.UTC(2026, 10, 24);
const grid = (over: object = {}): Strategy =>
  strategy({ state: state([slot(), slot({ index: 1 })], { epoch: 1, ...over }) });
const recovering = (
  one: Strategy,
  over: {
    epoch?: number;
    isWaiting?: boolean;
    tradesRead?: boolean;
    searched?: boolean;
    readAt?: number;
  } = {},
) => {
  const { epoch = 2, isWaiting = false, tradesRead = true, searched = false, readAt } = over;
  const observed = { tradesRead, searched };
  return recover(one, { kind: gridKind, epoch, isWaiting, now: NOW, timing: TIMING, observed, readAt });
};

describe("a restored database", () => {
  it("is recorded once by each strategy, which is behind until then", () => {
    expect(isBehind(grid(), 1)).toBe(false);
    expect(isBehind(grid(), 2)).toBe(true);
    const fresh = { ...grid({ epoch: null }), epoch: 2 };
    expect(isBehind(fresh, 2)).toBe(false);
    expect(isBehind(fresh, 3)).toBe(true);
  });

  it("blocks all orders until those in flight are readable, then records the current serial", () => {
    const { leaseTtl, expiry, skew, readLag } = TIMING;
    expect(recovering(grid())).toEqual({
      ...grid().state,
      epoch: 2,
      epochSerial: serialAt(NOW),
      recoversUntil: NOW + leaseTtl + expiry + skew + readLag,
      searchSince: grid().startedAt - TIMING.overlap,
    });
  });

  it("searches ended orders from the last full trade read before the restore", () => {
    const readAt = NOW - HOUR;
    expect(recovering(grid(), { readAt }).searchSince).toBe(readAt - TIMING.overlap);
    // Restored again, it searches from the earlier one.
    const twice = recovering(grid({ searchSince: 5 }), { readAt });
    expect(twice.searchSince).toBe(5 - TIMING.overlap);
  });

  it("completes its search once the last page is read and every order found has a row", () => {
    const one = grid({ searchSince: 5 });
    expect(recovering(one, { epoch: 1 }).searchSince).toBe(5);
    expect(recovering(one, { epoch: 1, searched: true, isWaiting: true }).searchSince).toBe(5);
    expect(recovering(one, { epoch: 1, searched: true })).not.toHaveProperty("searchSince");
    // The page was read for another strategy of the pair, whose wait ended earlier.
    const later = grid({ searchSince: 5, recoversUntil: NOW + 1 });
    expect(recovering(later, { epoch: 1, searched: true }).searchSince).toBe(5);
  });

  it("records the stored serial if the clock is behind it", () => {
    const ahead = serialAt(NOW) + 5;
    expect(recovering(grid({ serial: ahead }))).toMatchObject({ serial: ahead, epochSerial: ahead });
  });

  it("moves a centered grid's next rebuild well past its current generation", () => {
    const centered = { ...grid(), config: { centered: {} } } as Strategy;
    expect(recovering(centered)).toMatchObject({ rebuild: { generation: 100 } });
  });

  it.each([
    ["has noted it", { epoch: 1 }],
    ["has trades still to read", { tradesRead: false }],
    ["has an order that waits for its row", { isWaiting: true }],
  ])("changes nothing in a strategy that %s", (_, over) => {
    const one = grid();
    expect(recovering(one, over)).toBe(one.state);
  });
});

describe("an order id", () => {
  it("contains its strategy and its serial", () => {
    expect(serialOf({ clientId: idOf({ serial: 7 }) })).toBe(7);
    expect(serialOf({ clientId: "other" })).toBe(0);
    expect(isOfStrategy(reportedOrder())).toBe(true);
    expect(isOfStrategy(reportedOrder({ clientId: "other" }))).toBe(false);
    expect(isOfStrategy(reportedOrder({ clientId: undefined }))).toBe(false);
  });
});

describe("the row of an order that only the exchange knew", () => {
  it("holds what the exchange reports, for the strategy in its id", () => {
    const clientId = idOf({ generation: 2, slot: 1, serial: 3 });
    const row = adopted(
      reportedOrder({ clientId, side: "sell", price: d("110"), at: 70 }),
      [strategy()],
      NOW,
    );
    expect(row).toEqual({
      ...NEW_ORDER,
      clientId,
      account: ACCOUNT,
      strategy: "g",
      kind: "slot",
      generation: 2,
      slot: 1,
      symbol: SYMBOL,
      side: "sell",
      type: "limit",
      price: d("110"),
      amount: d("2"),
      timeInForce: "post_only",
      state: "submitted",
      exchangeId: "x1",
      createdAt: 70,
      sendBy: NOW,
      notAfter: NOW,
    });
  });

  it("is recognized as an exit by its slot", () => {
    const row = adopted(reportedOrder({ clientId: idOf({ slot: EXIT_SLOT }) }), [strategy()], NOW);
    expect(row).toMatchObject({ kind: "exit", timeInForce: "ioc" });
  });

  it.each([
    ["no id of ours", undefined],
    ["an id of another form", "em1"],
    ["the id of another strategy", idOf({ tag: strategyTag(NUMBER + 1) })],
  ])("is not created with %s", (_, clientId) => {
    expect(adopted(reportedOrder({ clientId }), [strategy()], NOW)).toBeUndefined();
  });
});
