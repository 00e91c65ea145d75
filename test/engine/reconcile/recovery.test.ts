import { describe, expect, it } from "vitest";
import {
  adopted,
  isBehind,
  isOfStrategy,
  nextId,
  recover,
  searchOf,
  sequenceOf,
} from "../../../src/engine/reconcile/recovery.ts";
import { gridKind } from "../../../src/grid/kind.ts";
import { NEW_ORDER } from "../../../src/model/order.ts";
import { EXIT_SLOT, type SlotSearch, type Strategy } from "../../../src/model/strategy.ts";
import { d, slot, state } from "../../support/grid.ts";
import { ACCOUNT, idOf, NOW, NUMBER, SYMBOL, strategy, TIMING, told } from "../../support/made.ts";

const slots = [slot({ sequence: 4 }), slot({ index: 1, sequence: 9 })];
const grid = (over: object = {}): Strategy => strategy({ state: state(slots, { epoch: 1, ...over }) });
const search = (index: number, sequence: number, misses: number): SlotSearch => ({ index, sequence, misses });
const recovering = (
  one: Strategy,
  over: { epoch?: number; searched?: readonly SlotSearch[] | undefined; tradesRead?: boolean } = {},
) => {
  const { epoch = 2, tradesRead = true } = over;
  const searched = "searched" in over ? over.searched : [search(0, 4, 2), search(1, 9, 2)];
  return recover(one, { kind: gridKind, epoch, searched, now: NOW, timing: TIMING, sight: { tradesRead } });
};

describe("a restored database", () => {
  it("is noted by a strategy once: until then it is behind", () => {
    expect(isBehind(grid(), 1)).toBe(false);
    expect(isBehind(grid(), 2)).toBe(true);
    const fresh = { ...grid({ epoch: null }), epoch: 2 };
    expect(isBehind(fresh, 2)).toBe(false);
    expect(isBehind(fresh, 3)).toBe(true);
  });

  it("is searched from each slot's next id on, and goes on where it was in the same epoch", () => {
    const before = [search(0, 6, 1)];
    expect(searchOf(grid(), 2)).toEqual([search(0, 4, 0), search(1, 9, 0)]);
    expect(searchOf(grid({ search: { epoch: 2, slots: before } }), 2)).toBe(before);
    expect(searchOf(grid({ search: { epoch: 1, slots: before } }), 2)).toEqual([
      search(0, 4, 0),
      search(1, 9, 0),
    ]);
    expect(nextId(grid({ generation: 3 }), search(1, 9, 0))).toBe(
      idOf({ generation: 3, slot: 1, sequence: 9 }),
    );
  });

  it("gives every slot other ids, and holds all orders until what was under way can be seen", () => {
    const { leaseTtl, expiry, skew, readLag } = TIMING;
    const after = recovering(grid());
    expect(after).toEqual({
      ...grid().state,
      epoch: 2,
      heldUntil: NOW + leaseTtl + expiry + skew + readLag,
      slots: [slot({ sequence: 4 + 2048 }), slot({ index: 1, sequence: 9 + 2048 })],
    });
    expect("search" in recovering(grid({ search: { epoch: 2, slots: [] } }), {})).toBe(false);
  });

  it("gives another range of ids for each time that the same backup was put back", () => {
    expect(recovering(grid(), { epoch: 4 }).slots[0]?.sequence).toBe(4 + 3 * 2048);
    expect(recovering(grid(), { epoch: 0 }).slots[0]?.sequence).toBe(4 + 2048);
  });

  it("lets a centered grid that is to be laid out anew be so well beyond its generation", () => {
    const centered = { ...grid(), config: { centered: {} } } as Strategy;
    expect(recovering(centered)).toMatchObject({ rebuild: { generation: 256 } });
  });

  it.each([
    ["that it has noted", { epoch: 1 }],
    ["that this pass did not search", { searched: undefined }],
  ])("changes nothing of a strategy %s", (_, over) => {
    const one = grid({ search: { epoch: 2, slots: [] } });
    expect(recovering(one, over)).toBe(one.state);
  });

  it.each([
    ["a slot has been missed once", { searched: [search(0, 4, 2), search(1, 10, 1)] }],
    ["trades were not read", { tradesRead: false }],
  ])("is searched further while %s", (_, over) => {
    const after = recovering(grid(), over);
    const searched = "searched" in over ? over.searched : [search(0, 4, 2), search(1, 9, 2)];
    expect(after).toEqual({ ...grid().state, search: { epoch: 2, slots: searched } });
  });

  it("keeps what was found of slots that this pass had no calls for", () => {
    const known = grid({ search: { epoch: 2, slots: [search(0, 5, 1), search(1, 12, 2)] } });
    const after = recovering(known, { searched: [search(0, 6, 1)] });
    expect(after.search?.slots).toEqual([search(0, 6, 1), search(1, 12, 2)]);
    expect(recovering(known, { searched: [search(0, 6, 2)] }).epoch).toBe(2);
  });
});

describe("an id", () => {
  it("tells whose order it is, and which", () => {
    expect(sequenceOf({ clientId: idOf({ sequence: 7 }) })).toBe(7);
    expect(sequenceOf({ clientId: "other" })).toBe(0);
    expect(isOfStrategy(told())).toBe(true);
    expect(isOfStrategy(told({ clientId: "other" }))).toBe(false);
    expect(isOfStrategy(told({ clientId: undefined }))).toBe(false);
  });
});

describe("the row of an order that the exchange alone knew", () => {
  it("is what the exchange tells, of the strategy that its id names", () => {
    const clientId = idOf({ generation: 2, slot: 1, sequence: 3 });
    const row = adopted(told({ clientId, side: "sell", price: d("110"), at: 70 }), [strategy()], NOW);
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

  it("is of an exit by its slot", () => {
    const row = adopted(told({ clientId: idOf({ slot: EXIT_SLOT }) }), [strategy()], NOW);
    expect(row).toMatchObject({ kind: "exit", timeInForce: "ioc" });
  });

  it.each([
    ["no id of ours", undefined],
    ["an id of another form", "em1"],
    ["the id of another strategy", idOf({ strategy: NUMBER + 1 })],
  ])("is none with %s", (_, clientId) => {
    expect(adopted(told({ clientId }), [strategy()], NOW)).toBeUndefined();
  });
});
