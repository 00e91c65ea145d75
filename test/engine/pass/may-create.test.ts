import { describe, expect, it } from "vitest";
import { mayCreate } from "../../../src/engine/pass/own-offers.ts";
import type { OrderReport } from "../../../src/engine/reconcile/order-fills.ts";
import type { MarketSnapshot } from "../../../src/engine/reconcile/reconcile.ts";
import { gridKind } from "../../../src/grid/kind.ts";
import type { Pair } from "../../../src/kernel/pair.ts";
import type { OrderState, OrderStatus } from "../../../src/model/order.ts";
import type { Strategy } from "../../../src/model/strategy.ts";
import type { Kinds } from "../../../src/ports/kind.ts";
import type { Snapshot } from "../../../src/ports/stores/pass-store.ts";
import { slot, state } from "../../support/grid.ts";
import {
  idOf,
  NOW,
  observedMarket,
  order,
  reportedOrder,
  SYMBOL,
  snapshot,
  strategy,
} from "../../support/made.ts";

const kinds = (() => gridKind) as unknown as Kinds;
const TWO = [slot(), slot({ index: 1 })];
const EXIT = { reason: "stop", tries: 0 } as const;

/** The two slots' orders. */
const both = [order({ slot: 0 }), order({ slot: 1, exchangeId: "x2" })];

/** Whether a pass over a grid of two slots, each of which has its order, may place another one. */
function may(
  over: Omit<Partial<Snapshot>, "strategies"> & {
    readonly grid?: Partial<Strategy>;
    readonly state?: object;
    readonly slots?: readonly ReturnType<typeof slot>[];
    readonly more?: readonly Strategy[];
    readonly reports?: Readonly<Record<string, OrderReport>>;
    readonly markets?: readonly Pair[];
  } = {},
): Promise<boolean> {
  const {
    grid = {},
    state: own = {},
    slots = TWO,
    more = [],
    reports = {},
    markets = [SYMBOL],
    ...rest
  } = over;
  const observed = new Map<Pair, MarketSnapshot>(markets.map((symbol) => [symbol, observedMarket()]));
  const one = strategy({ state: state(slots, { epoch: 1, ...own }), ...grid });
  const whole = snapshot({ orders: both, strategies: [...more, one], ...rest });
  return mayCreate(whole, observed, new Map(Object.entries(reports)), kinds);
}

const kill = (over: object = {}) => ({ on: true, cancels: false, sells: false, ...over });

describe("the check whether a pass may place an order", () => {
  it("is true if a slot has no order", async () => {
    expect(await may()).toBe(false);
    expect(await may({ orders: both.slice(1) })).toBe(true);
    expect(await may({ orders: [] })).toBe(true);
  });

  it.each<[OrderState, boolean]>([
    ["pending", false],
    ["open", false],
    ["unknown", false],
    ["filled", true],
    ["canceled", true],
  ])("uses the stored order state if it was not read: %s", async (stored, free) => {
    expect(await may({ orders: [order({ slot: 0, state: stored }), ...both.slice(1)] })).toBe(free);
  });

  it.each<[OrderStatus | "missing", boolean]>([
    ["missing", false],
    ["open", false],
    ["partially_filled", false],
    ["filled", true],
    ["canceled", true],
    ["expired", true],
  ])("uses the order state on the exchange: %s", async (status, free) => {
    const observed: OrderReport = status === "missing" ? status : reportedOrder({ status });
    expect(await may({ reports: { [idOf({ slot: 0 })]: observed } })).toBe(free);
  });

  it("ignores an order that has ended here but appears open on the exchange", async () => {
    const ended = [order({ slot: 0, state: "canceled" }), ...both.slice(1)];
    expect(await may({ orders: ended, reports: { [idOf({ slot: 0 })]: reportedOrder() } })).toBe(true);
  });

  it("ignores orders of another strategy or another generation", async () => {
    expect(await may({ orders: [order({ slot: 0, strategy: "h" }), ...both.slice(1)] })).toBe(true);
    expect(await may({ orders: [order({ slot: 0, generation: 1 }), ...both.slice(1)] })).toBe(true);
  });

  it("is true if it is true for any strategy of the pass", async () => {
    const other = strategy({ id: "h", state: state([slot()], { epoch: 1 }) });
    expect(await may({ more: [other] })).toBe(true);
    expect(await may({ more: [{ ...other, wants: "pause" }] })).toBe(false);
  });

  it("is false for a slot rejected by a limit, until the wait is over or limits change", async () => {
    const limited = (over: object = {}) => [
      slot({ limited: { times: 1, until: NOW + 1, version: 7, ...over } }),
      slot({ index: 1 }),
    ];
    const limits = { version: 7, set: {} } as unknown as Snapshot["limits"];
    const orders = both.slice(1);
    expect(await may({ slots: limited(), orders, limits })).toBe(false);
    expect(await may({ slots: limited({ until: NOW }), orders, limits })).toBe(true);
    expect(await may({ slots: limited({ version: 6 }), orders, limits })).toBe(true);
    // One that has its order all the same is counted once.
    expect(await may({ slots: limited(), orders: both.slice(0, 1), limits })).toBe(true);
    expect(await may({ slots: [...limited(), slot({ index: 2 })], limits })).toBe(true);
  });

  it("is false for a market that this pass has not read", async () => {
    expect(await may({ orders: [], markets: [] })).toBe(false);
    expect(await may({ grid: { wants: "stop", sellBase: true }, markets: ["ETH/USDT"] })).toBe(false);
  });

  it.each([
    ["pause", {}, false],
    ["stop", {}, false],
    ["stop", { sellBase: true }, true],
    ["pause", { sellBase: true }, false],
  ] as const)("is, for a strategy that is requested to %s %o, %s", async (wants, over, free) => {
    expect(await may({ grid: { wants, ...over }, orders: [] })).toBe(free);
  });

  it("is true for an exit, whatever else is requested", async () => {
    expect(await may({ state: { exit: EXIT } })).toBe(true);
    expect(await may({ state: { exit: EXIT }, grid: { wants: "stop" } })).toBe(true);
  });

  it("is true for a strategy that moves, although each slot has its order", async () => {
    expect(await may({ state: { rebuild: { generation: 1 } } })).toBe(true);
  });

  it("is false while the kill switch is on, except for exits that it allows", async () => {
    expect(await may({ orders: [], kill: kill() })).toBe(false);
    expect(await may({ state: { exit: EXIT }, kill: kill() })).toBe(false);
    expect(await may({ state: { exit: EXIT }, kill: kill({ sells: true }) })).toBe(true);
    expect(await may({ orders: [], kill: kill({ sells: true }) })).toBe(false);
    expect(await may({ state: { rebuild: { generation: 1 } }, kill: kill({ sells: true }) })).toBe(false);
  });
});
