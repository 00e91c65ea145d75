import { describe, expect, it } from "vitest";
import { isStopping, leavingPairs, unread, urgentCancels } from "../../../src/engine/pass/urgent.ts";
import type { Strategy } from "../../../src/model/strategy.ts";
import { slot, state } from "../../support/grid.ts";
import { ACCOUNT, NOW, order, snapshot, strategy } from "../../support/made.ts";

const EXIT = { exit: { reason: "stop", tries: 0 } as const };
const stopping = (over: Partial<Strategy> = {}) => strategy({ wants: "stop", ...over });
const exiting = (over: Partial<Strategy> = {}) => strategy({ state: state([slot()], EXIT), ...over });
const kill = (on: boolean, cancels: boolean) => ({ on, cancels, sells: false });

const orders = [
  order({ slot: 0 }),
  order({ slot: 1, exchangeId: "x2" }),
  order({ slot: 2, exchangeId: "x3", strategy: "h" }),
  order({ slot: 3, exchangeId: "x4", strategy: null }),
];
const cancels = (over: object, calls = 100) =>
  urgentCancels(snapshot({ orders, ...over }), calls).map(({ exchangeId }) => exchangeId);

describe("the cancels before any read", () => {
  it.each([
    ["nothing of one that runs", strategy(), []],
    ["nothing of one that pauses", strategy({ wants: "pause" }), []],
    ["all of one that stops", stopping(), ["x1", "x2"]],
    ["nothing of a stop that keeps its orders", stopping({ keepOrders: true }), []],
    ["all of one that keeps them and sells", stopping({ keepOrders: true, sellBase: true }), ["x1", "x2"]],
    ["all of an exit", exiting(), ["x1", "x2"]],
    ["all of an exit that pauses", exiting({ wants: "pause" }), ["x1", "x2"]],
  ])("are %s", (_, one, ids) => {
    expect(cancels({ strategies: [one] })).toEqual(ids);
    expect(isStopping(snapshot({ strategies: [one], orders }))).toBe(ids.length > 0);
    expect(isStopping(snapshot({ strategies: [one, strategy()], orders }))).toBe(ids.length > 0);
  });

  it("are all of our orders if the kill switch requests that", () => {
    const strategies = [strategy()];
    expect(cancels({ strategies, kill: kill(true, true) })).toEqual(["x1", "x2", "x3", "x4"]);
    expect(cancels({ strategies, kill: kill(true, false) })).toEqual([]);
    expect(cancels({ strategies, kill: kill(false, true) })).toEqual([]);
    expect(isStopping(snapshot({ strategies, orders, kill: kill(true, true) }))).toBe(true);
    expect(isStopping(snapshot({ strategies, kill: kill(true, true) }))).toBe(false);
    expect(isStopping(snapshot({ strategies, kill: kill(true, false) }))).toBe(false);
  });

  it("never include manual orders, whatever stops", () => {
    const byHand = [order({ strategy: null })];
    expect(cancels({ strategies: [stopping({ id: "" })], orders: byHand })).toEqual([]);
  });

  it("use at most half of the pass's calls", () => {
    const strategies = [stopping()];
    expect(cancels({ strategies }, 3)).toEqual(["x1"]);
    expect(cancels({ strategies }, 4)).toEqual(["x1", "x2"]);
    expect(cancels({ strategies }, 1)).toEqual([]);
    expect(cancels({ strategies }, -4)).toEqual([]);
  });

  it("go on with other orders while their results cannot be read", () => {
    const all = [0, 1, 2, 3, 4].map((index) => order({ slot: index, exchangeId: `x${index}` }));
    const sent = (over: object) => cancels({ strategies: [stopping()], orders: all, ...over }, 4);
    const atTurn = (turn: number) => ({ memory: { ...snapshot().memory, turn } });
    expect([0, 1, 2].map((failures) => sent({ ...atTurn(0), failures }))).toEqual([
      ["x0", "x1"],
      ["x2", "x3"],
      ["x4", "x0"],
    ]);
    expect(sent({ ...atTurn(1), failures: 0 })).toEqual(["x2", "x3"]);
  });
});

describe("a strategy that has only a sale left", () => {
  const sold = order({ kind: "exit", state: "rejected", exchangeId: null });
  const closed = { state: { ...exiting().state, closedSince: NOW } };

  it.each([
    ["is urgent", {}, {}, true],
    ["is urgent while an order is unsettled, although its pair is closed", closed, { orders }, true],
    ["leaves the calls to others while its pair is closed", closed, {}, false],
    ["leaves the calls to others after the exchange refused its sale", {}, { orders: [sold] }, false],
    ["leaves the calls to others while it is paused", { wants: "pause" }, {}, false],
    ["leaves the calls to others while the kill switch is on", {}, { kill: kill(true, false) }, false],
    ["is urgent in a panic", {}, { kill: { on: true, cancels: true, sells: true } }, true],
  ] as const)("%s", (_, own, over, isUrgent) => {
    const one = exiting(own as Partial<Strategy>);
    expect(isStopping(snapshot({ strategies: [one], ...over }))).toBe(isUrgent);
    // In a panic every strategy leaves.
    const pairs = leavingPairs(snapshot({ strategies: [one, strategy({ symbol: "ETH/USDT" })], ...over }));
    expect([...pairs]).toEqual(isUrgent ? ["BTC/USDT"] : []);
  });
});

describe("a stop whose orders could not be read again", () => {
  const format = (one: Strategy, requests = orders, failures = 0) =>
    unread(snapshot({ strategies: [one], failures }), requests, "no answer");

  it("reports once what was requested", () => {
    const event = {
      account: ACCOUNT,
      strategy: "g",
      at: NOW,
      kind: "error",
      message: "2 cancels were sent, then reading failed: no answer",
    };
    const phases = [{ id: "g", phase: "stopping" }];
    expect(format(stopping())).toEqual({ events: [event], phases });
    expect(format(stopping({ phase: "stopping" }))).toEqual({ events: [event], phases });
    expect(format(stopping(), orders, 1)).toEqual({ events: [event], phases });
    expect(format(stopping({ phase: "stopping" }), orders, 1)).toEqual({ events: [], phases });
  });

  it("reports nothing if none of it was requested, or if the strategy does not stop", () => {
    expect(format(stopping(), [])).toEqual({ events: [], phases: [] });
    expect(format(stopping(), orders.slice(2))).toEqual({ events: [], phases: [] });
    expect(format(strategy())).toEqual({ events: [], phases: [] });
  });
});
