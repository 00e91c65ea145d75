import { describe, expect, it } from "vitest";
import { forgotten, forgottenEvent } from "../../../src/engine/pass/pass.ts";
import { strategyTag } from "../../../src/kernel/ids.ts";
import type { Strategy } from "../../../src/model/strategy.ts";
import type { VenueOrder } from "../../../src/ports/venue.ts";
import { slot, state } from "../../support/grid.ts";
import {
  ACCOUNT,
  idOf,
  NOW,
  NUMBER,
  observation,
  reportedOrder,
  snapshot,
  strategy,
} from "../../support/made.ts";

/** The grid `g`, which has noted the epoch at serial 7. */
const grid = (over: object = {}): Strategy =>
  strategy({ state: state([slot(), slot({ index: 1 })], { epoch: 1, epochSerial: 7, serial: 9, ...over }) });

const found = (orders: readonly VenueOrder[], strategies: readonly Strategy[] = [grid()]) =>
  forgotten(snapshot({ strategies }), observation({}, { found: orders }))?.clientId;

const at = (over: Parameters<typeof idOf>[0]) => reportedOrder({ clientId: idOf(over) });

describe("an order on the exchange that the database does not know", () => {
  it("proves a loss if its strategy planned it after the last recorded serial", () => {
    expect(found([at({ serial: 7 })])).toBeUndefined();
    expect(found([at({ serial: 7 }), at({ serial: 8 })])).toBe(idOf({ serial: 8 }));
    expect(found([at({ serial: 1 })], [grid({ epochSerial: undefined })])).toBe(idOf({ serial: 1 }));
  });

  it("proves nothing before its strategy has recorded the epoch, or if no strategy has its tag", () => {
    expect(found([at({ serial: 8 })], [grid({ epoch: 0 })])).toBeUndefined();
    expect(found([at({ serial: 8, tag: strategyTag(NUMBER + 1) })])).toBeUndefined();
    expect(
      found([reportedOrder({ clientId: "other" }), reportedOrder({ clientId: undefined })]),
    ).toBeUndefined();
  });

  it("is checked against its strategy among several", () => {
    const other = { ...grid({ epochSerial: 90 }), id: "h", number: NUMBER + 1 };
    for (const strategies of [
      [other, grid()],
      [grid(), other],
    ])
      expect(found([at({ serial: 8 })], strategies)).toBe(idOf({ serial: 8 }));
    expect(found([at({ serial: 8, tag: strategyTag(NUMBER + 1) })], [grid(), other])).toBeUndefined();
  });

  it("is named in the event", () => {
    expect(forgottenEvent(snapshot(), reportedOrder())).toEqual({
      account: ACCOUNT,
      strategy: null,
      at: NOW,
      kind: "error",
      message: `the database has lost its last commits: it does not know order ${idOf()} on the exchange; every strategy waits until all orders can be seen`,
    });
  });
});
