import { describe, expect, it } from "vitest";
import { forgotten, forgottenEvent } from "../../../src/engine/pass/lost-tail.ts";
import { gridKind } from "../../../src/grid/kind.ts";
import { EXIT_SLOT, type Strategy } from "../../../src/model/strategy.ts";
import type { Kinds } from "../../../src/ports/kind.ts";
import type { VenueOrder } from "../../../src/ports/venue.ts";
import { slot, state } from "../../support/grid.ts";
import { ACCOUNT, idOf, NOW, NUMBER, observation, snapshot, strategy, told } from "../../support/made.ts";

const kinds = (() => gridKind) as unknown as Kinds;

/** The grid `g` in generation 2, whose two slots have come to their orders 4 and 9. */
const grid = (over: object = {}): Strategy =>
  strategy({
    state: state([slot({ sequence: 4 }), slot({ index: 1, sequence: 9 })], {
      epoch: 1,
      generation: 2,
      ...over,
    }),
  });

const found = (orders: readonly VenueOrder[], strategies: readonly Strategy[] = [grid()]) =>
  forgotten(snapshot({ strategies }), observation({}, { found: orders }), kinds)?.clientId;

const at = (over: Parameters<typeof idOf>[0]) => told({ clientId: idOf({ generation: 2, ...over }) });

describe("an order on the exchange that the database does not know", () => {
  it.each([
    ["of a slot, from its next id on", { slot: 0, sequence: 4 }, { slot: 0, sequence: 3 }],
    ["of another slot", { slot: 1, sequence: 9 }, { slot: 1, sequence: 8 }],
    [
      "of the grid as a whole, from its highest id on",
      { slot: EXIT_SLOT, sequence: 9 },
      { slot: EXIT_SLOT, sequence: 8 },
    ],
    [
      "of a later generation",
      { generation: 3, slot: 0, sequence: 0 },
      { generation: 1, slot: 0, sequence: 90 },
    ],
  ])("has been forgotten: %s", (_, ahead, behind) => {
    expect(found([at(behind)])).toBeUndefined();
    expect(found([at(behind), at(ahead)])).toBe(at(ahead).clientId);
  });

  it("is counted on from those of an exit that has been tried", () => {
    const exiting = [grid({ exit: { reason: "stop", tries: 3 } })];
    expect(found([at({ slot: EXIT_SLOT, sequence: 11 })], exiting)).toBeUndefined();
    expect(found([at({ slot: EXIT_SLOT, sequence: 12 })], exiting)).toBeDefined();
  });

  it("is judged by the strategy whose it is, among others", () => {
    const other = { ...grid(), id: "h", number: NUMBER + 1 };
    expect(found([at({ sequence: 5 })], [other, grid()])).toBeDefined();
    expect(found([at({ sequence: 5 })], [grid(), other])).toBeDefined();
    expect(found([at({ strategy: NUMBER + 2, generation: 9 })])).toBeUndefined();
  });

  it("is nobody's where its id is of another form, or its strategy looks for its orders already", () => {
    expect(found([told({ clientId: "other" }), told({ clientId: undefined })])).toBeUndefined();
    expect(found([at({ sequence: 5 })], [grid({ epoch: 0 })])).toBeUndefined();
  });

  it("is named in what people are told", () => {
    expect(forgottenEvent(snapshot(), told())).toEqual({
      account: ACCOUNT,
      strategy: null,
      at: NOW,
      kind: "error",
      message: `the database has lost what it wrote last: it does not know order ${idOf()} on the exchange; every strategy looks up its orders before it places any`,
    });
  });
});
