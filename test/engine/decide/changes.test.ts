import { describe, expect, it } from "vitest";
import { accountChanges, changesAnything, changesOf, remember } from "../../../src/engine/decide/changes.ts";
import { unchanged } from "../../../src/engine/decide/intents.ts";
import {
  describeReached,
  describeStopped,
  reachedEvent,
  stoppedEvents,
} from "../../../src/engine/decide/stop.ts";
import type { Reconciled } from "../../../src/engine/reconcile/reconcile.ts";
import { gridKind } from "../../../src/grid/kind.ts";
import { MINUTE } from "../../../src/kernel/time.ts";
import type { AccountMemory } from "../../../src/model/memory.ts";
import type { Order } from "../../../src/model/order.ts";
import type { Strategy } from "../../../src/model/strategy.ts";
import type { Kind } from "../../../src/ports/kind.ts";
import { NO_CHANGES } from "../../../src/ports/stores/pass-store.ts";
import { d, slot, state } from "../../support/grid.ts";
import {
  ACCOUNT,
  fill,
  idOf,
  NOW,
  observation,
  order,
  quote,
  SYMBOL,
  snapshot,
  strategy,
} from "../../support/made.ts";

const one = (over: Partial<Order> = {}, more: Partial<Reconciled> = {}): Reconciled => {
  const before = order(over);
  return { order: before, before, fills: [], ended: false, lost: false, adopted: false, ...more };
};
const event = { account: ACCOUNT, strategy: "g", at: NOW };
const written = (
  after: Strategy,
  reconciled: readonly Reconciled[] = [],
  more: object = {},
  before = strategy(),
) => changesOf(before, { ...unchanged(after, undefined), ...more }, reconciled, NOW);

describe("the changes that a strategy's turn writes", () => {
  it("are empty when nothing changed", () => {
    const before = strategy();
    const changes = written(before, [one()], {}, before);
    expect(changes).toEqual(NO_CHANGES);
    expect(changesAnything(changes)).toBe(false);
  });

  it("report once that a loss limit pauses it, and not that one ends it", () => {
    const at = strategy();
    const halted = (message: string, more: object = {}) => ({
      ...at,
      state: { ...at.state, halted: message, ...more },
    });
    const paused = halted("it lost 5 USDT");
    const alert = { account: ACCOUNT, strategy: at.id, at: NOW, kind: "error" };
    expect(written(paused, [], {}, at).events).toEqual([
      { ...alert, message: "it is paused: it lost 5 USDT" },
    ]);
    expect(written(halted("it lost 6 USDT"), [], {}, paused).events).toEqual([]);
    expect(written(at, [], {}, paused).events).toEqual([]);
    expect(
      written(halted("it lost 5 USDT", { exit: { reason: "loss", tries: 0 } }), [], {}, at).events,
    ).toEqual([]);
  });

  it.each([
    { state: state([slot()]) },
    { status: "error" as const },
    { phase: "placing" as const },
    { lastError: "it failed" },
    { stoppedAt: 7 },
  ])("include the whole strategy row when one field changed: %o", (over) => {
    const before = strategy();
    const { id, version, state: now, status, phase, lastError, stoppedAt } = { ...before, ...over };
    const changes = written({ ...before, ...over }, [], {}, before);
    expect(changes.strategy).toEqual({ id, version, state: now, status, phase, lastError, stoppedAt });
    expect(changesAnything(changes)).toBe(true);
  });

  it("depend on the requested state when the strategy has stopped", () => {
    const before = strategy();
    expect(written({ ...before, status: "stopped" }, [], {}, before).wish).toBe(before);
    expect(written({ ...before, status: "error" }, [], {}, before).wish).toBe(null);
  });

  it("include the new status and its reason", () => {
    const said = (over: Partial<Strategy>) => written(strategy(over)).events;
    expect(said({ status: "error", lastError: "it failed" })).toEqual([
      { ...event, kind: "status", message: "running to error: it failed" },
    ]);
    expect(said({ status: "stopped" })[0]?.message).toBe("running to stopped");
  });

  it("include each changed order, each fill and each intent", () => {
    const changed = one({}, { order: order({ misses: 1 }), fills: [fill()] });
    const intents = [order({ slot: 1 })];
    const more = { intents, terms: { version: 3 }, events: [{ ...event, kind: "exit", message: "so" }] };
    const changes = written(strategy(), [changed, one()], more);
    expect(changes).toMatchObject({ orders: [changed.order], fills: [fill()], adopted: [], ...more });
  });

  it("include each order that a stop leaves to the user", () => {
    const released = { ...order(), settled: true };
    const other = one({ slot: 1 });
    expect(written(strategy(), [one(), other], { released: [released] }).orders).toEqual([released]);
  });

  it("include a row and an event for each order known only to the venue", () => {
    const changes = written(strategy(), [one({}, { adopted: true, fills: [fill()] })]);
    expect(changes).toMatchObject({ orders: [], adopted: [order()], fills: [fill()] });
    expect(changes.events).toEqual([
      {
        ...event,
        kind: "adopted",
        message: `${idOf()}: found on the exchange, placed after the database backup`,
      },
    ]);
  });

  it("name the orders that were lost or rejected, with the reason", () => {
    const rejected = order({ state: "rejected", reason: "too small" });
    const said = (more: Partial<Reconciled>) =>
      written(strategy(), [one({}, more)]).events.map(({ kind, message }) => [kind, message]);
    expect(said({ order: rejected })).toEqual([["rejected", `${idOf()}: too small`]]);
    expect(said({ order: { ...rejected, reason: null } })).toEqual([["rejected", `${idOf()}: rejected`]]);
    expect(said({ order: rejected, lost: true })).toEqual([["lost", `${idOf()}: too small`]]);
    expect(said({ lost: true })).toEqual([["lost", `${idOf()}: not found`]]);
    expect(said({ order: rejected, before: rejected })).toEqual([]);
    expect(said({ order: order({ state: "canceled" }) })).toEqual([]);
  });

  it.each([
    ["fills", [fill()]],
    ["orders", [order()]],
    ["adopted", [order()]],
    ["intents", [order()]],
    ["events", [{ ...event, kind: "exit", message: "so" }]],
    ["cursors", { [SYMBOL]: { at: 1, ahead: null } }],
    ["memory", {}],
    ["strategy", {}],
  ])("are not empty with %s", (name, value) => {
    expect(changesAnything({ ...NO_CHANGES, [name]: value })).toBe(true);
    expect(changesAnything({ ...NO_CHANGES, terms: {} as never, wish: strategy() })).toBe(false);
  });
});

describe("the changes that the account writes", () => {
  const reading = { from: NOW, ahead: null, until: NOW };
  const changes = (over: object = {}, of: object = { reading }) =>
    accountChanges(
      {
        reconciled: [],
        snapshot: snapshot(),
        observation: observation(of),
        memory: null,
        waiting: new Map(),
        live: [],
        events: [],
        ...over,
      },
      NOW,
    );

  it("include changed orders without a strategy, and their fills", () => {
    const before = order();
    const moved = one({}, { before, order: order({ state: "rejected", reason: "no" }), fills: [fill()] });
    const said = { ...event, kind: "unreadable", message: "so" } as const;
    const result = changes({ reconciled: [moved, one()], events: [said], memory: snapshot().memory });
    expect(result).toMatchObject({ orders: [moved.order], fills: [fill()], memory: snapshot().memory });
    expect(result.events.map(({ kind }) => kind)).toEqual(["unreadable", "rejected"]);
  });

  it("include the trade cursor, no further than the trades that are still expected", () => {
    const at = (over: object = {}, of?: object) => changes(over, of).cursors[SYMBOL]?.at;
    expect(at()).toBe(NOW - MINUTE);
    expect(at({ waiting: new Map([[SYMBOL, 70]]) })).toBe(70);
    const lacks = order({ behindSince: NOW - 5 });
    expect(at({ live: [lacks] })).toBe(NOW - 5 - 10 * MINUTE);
    expect(at({ live: [{ ...lacks, symbol: "ETH/USDT" }] })).toBe(NOW - MINUTE);
    expect(at({}, { reading: undefined })).toBeUndefined();
    expect(at({}, { reading: { ...reading, until: undefined } })).toBeUndefined();
    expect(at({ snapshot: snapshot({ cursors: { [SYMBOL]: { at: NOW - 2 * MINUTE, ahead: null } } }) })).toBe(
      undefined,
    );
  });
});

describe("the account memory", () => {
  const EMPTY: AccountMemory = { ...snapshot().memory, tradesAt: {}, foreign: [] };
  const balances = [{ asset: "USDT", free: d("3"), used: d("4") }];
  const remembered = (
    over: object = {},
    { memory = EMPTY, of = {}, fills = [fill()], waiting = new Map() } = {},
  ) => remember(memory, observation(of, over), { fills, waiting, now: NOW });

  it("stores the last price of each market, and when its trades were read", () => {
    const mark = { mid: d("105"), at: NOW, lot: d("0.00001"), observedAt: NOW };
    expect(remembered()).toMatchObject({ marks: { [SYMBOL]: mark }, tradesAt: { [SYMBOL]: NOW } });
    const known = { ...EMPTY, marks: { "ETH/USDT": mark }, tradesAt: { "ETH/USDT": 1 } };
    const blind = remembered({}, { memory: known, of: { quote: undefined, tradesRead: false } });
    expect([blind.marks, blind.tradesAt]).toEqual([known.marks, known.tradesAt]);
    expect(Object.keys(remembered({}, { memory: known }).marks)).toEqual(["ETH/USDT", SYMBOL]);
    expect(remembered({}, { waiting: new Map([[SYMBOL, 1]]) }).tradesAt).toEqual({});
    expect(remembered({}, { of: { market: undefined, quote: quote() } }).marks[SYMBOL]?.lot).toBeUndefined();
  });

  it("stores the amounts that strategy fills have moved", () => {
    expect(remembered().moved).toEqual({ BTC: d("1"), USDT: d("-100.1") });
    const others = [fill({ strategy: null }), fill({ superseded: true })];
    expect(remembered({}, { fills: others }).moved).toEqual({});
  });

  it("stores balances, the first of which are the baseline", () => {
    const first = remembered({ balances });
    expect(first).toMatchObject({ baseline: { USDT: d("7") }, balances, movedBefore: first.moved });
    expect(remembered({ balances }, { memory: { ...EMPTY, baseline: { USDT: 1n } } }).baseline).toEqual({
      USDT: 1n,
    });
    expect(remembered()).toMatchObject({ baseline: null, balances: null });
    expect("movedBefore" in remembered()).toBe(false);
  });

  it("stores the newest two hundred foreign orders", () => {
    const known = Array.from({ length: 200 }, (_, i) => `k${i}`);
    expect(remembered({ foreign: ["n"] }, { memory: { ...EMPTY, foreign: known } }).foreign).toEqual([
      ...known.slice(1),
      "n",
    ]);
    expect(remembered().foreign).toBe(EMPTY.foreign);
  });

  it("stores the price confidence if a strategy needs it", () => {
    const value = { value: d("1"), source: "a", at: 1, requestedAt: 1 };
    const known = { ...EMPTY, confidence: { "ETH/USDT": value } } as AccountMemory;
    const accountMemory = remembered({ confidence: new Map([[SYMBOL, value]]) }, { memory: known });
    expect(accountMemory.confidence).toEqual({ "ETH/USDT": value, [SYMBOL]: value });
    expect("confidence" in remembered({ confidence: new Map() })).toBe(false);
    expect("confidence" in remembered()).toBe(false);
  });
});

describe("the description of an exit", () => {
  const KIND = gridKind as unknown as Kind;
  const reached = { mid: d("54"), price: d("55") };
  const exit = { reason: "stop_loss", tries: 1, baseAtStart: d("2"), reached } as const;
  const left = (over: object | null, halted: string | null = null) =>
    strategy({
      state: state([slot({ base: d("0.5"), cost: d("50.005") })], { exit: over as never, halted }),
    });

  it("names the reached price or limit", () => {
    expect(describeReached(exit)).toBe("stop_loss at 54 (armed at 55)");
    expect(describeReached({ reason: "loss", tries: 0 }, "it lost")).toBe("loss (it lost)");
    expect(describeReached({ reason: "loss", tries: 0 })).toBe("loss");
    expect(reachedEvent(left(exit), exit, { at: NOW, total: d("-12.3456") })).toEqual({
      ...event,
      kind: "exit",
      message: "stop_loss at 54 (armed at 55), P&L -12.35 USDT: all orders are canceled, and 2 BTC are sold",
    });
    const unpriced = reachedEvent(left(exit), { reason: "loss", tries: 0 }, { at: NOW, total: undefined });
    expect(unpriced.message).toBe("loss: all orders are canceled, and 0 BTC are sold");
  });

  it("names the amount sold and its proceeds, except for a stop that the user requested", () => {
    const format = (over: object | null) => describeStopped(KIND, left(over), d("100.01"));
    expect(format(exit)).toBe("stopped: stop_loss at 54 (armed at 55), sold 1.5 BTC, 50.01 USDT in all");
    expect(format({ ...exit, baseAtStart: undefined })).not.toContain("sold");
    expect(format({ ...exit, reason: "stop" })).toBeUndefined();
    expect(format(null)).toBeUndefined();
    const when = { mark: d("100.01"), at: NOW };
    expect(stoppedEvents(KIND, left(null), when)).toEqual([]);
    expect(stoppedEvents(KIND, left(exit), when)).toEqual([
      { ...event, kind: "exit", message: format(exit) },
    ]);
  });
});
