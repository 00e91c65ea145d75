import { describe, expect, it } from "vitest";
import { decide } from "../../../src/engine/decide/decide.ts";
import { gridKind } from "../../../src/grid/kind.ts";
import { DAY } from "../../../src/kernel/time.ts";
import type { Order } from "../../../src/model/order.ts";
import type { Strategy } from "../../../src/model/strategy.ts";
import type { Kinds } from "../../../src/ports/kind.ts";
import { d, market, slot, state } from "../../support/grid.ts";
import {
  bounds,
  describeFilled,
  idOf,
  NOW,
  observation,
  observedMarket,
  order,
  quote,
  reportedOrder,
  SYMBOL,
  snapshot,
  strategy,
  TIMING,
  trade,
} from "../../support/made.ts";

const kinds = (() => gridKind) as unknown as Kinds;
const balances = [
  { asset: "USDT", free: d("1000"), used: 0n },
  { asset: "BTC", free: d("1"), used: 0n },
];
const FREE = { limit: 9, slow: null as string | null, bounds: bounds(), kinds };
/** One slot that wants to buy 1 at 100. */
const grid = (over: Partial<Strategy> = {}, of: object = {}): Strategy =>
  strategy({ state: state([slot()], { epoch: 1, ...of }), ...over });
const deciding = (
  one: Strategy | readonly Strategy[] = grid(),
  { orders = [] as readonly Order[], of = {}, more = {}, snap = {}, passTerms = FREE } = {},
) => {
  const strategies = Array.isArray(one) ? one : [one];
  return decide(
    snapshot({ strategies, orders, ...snap }),
    observation(of, { balances, balancesFirst: true, ...more }),
    passTerms,
  );
};
const updateOf = ({ changes }: ReturnType<typeof decide>) =>
  changes.find((one) => one.strategy !== null)?.strategy;

describe("a pass over an account", () => {
  it("records an intent with the limits that allowed it, and requests its order", () => {
    const done = deciding();
    expect(done.creates).toMatchObject([{ slot: 0, side: "buy", amount: d("1") }]);
    expect(done.changes[0]).toMatchObject({ intents: done.creates, terms: { version: 1, asset: "USDT" } });
    expect(done).toMatchObject({ placing: ["g"], cancels: [], short: false });
  });

  it("does not give up base that an unconfirmed order of an unread market could have used", () => {
    const exit = { reason: "stop", tries: 0, lacksSince: NOW - 1 } as const;
    const one = grid({ wants: "stop" }, { exit, slots: [slot({ base: d("2"), cost: d("200") })] });
    const sale = order({ strategy: null, symbol: "BTC/EUR", side: "sell", state: "pending" });
    const arriving = { ...sale, notAfter: NOW + 1 };
    const more = {
      balances: [{ asset: "BTC", free: 0n, used: d("2") }],
      timing: { ...TIMING, readLag: 0 },
    } as object;
    const lastError = "an unconfirmed order could have used the base; edgemaker looks it up first";
    const waits = { status: "running", lastError };
    expect(updateOf(deciding(one, { orders: [arriving], more }))).toMatchObject(waits);
    // From then on, the balances show what it locks.
    const over = { ...sale, notAfter: NOW };
    expect(updateOf(deciding(one, { orders: [over], more }))).toMatchObject({ status: "stopped" });
  });

  it("does not give up base that a buy has brought since the balances were read", () => {
    const exit = { reason: "stop", tries: 0 } as const;
    const done = deciding(grid({ wants: "stop" }, { exit }), {
      orders: [order()],
      of: { trades: [trade({ amount: d("2"), notional: d("200") })] },
      more: {
        reports: { [idOf()]: describeFilled() },
        balances: [{ asset: "BTC", free: 0n, used: 0n }],
        timing: { ...TIMING, readLag: 0 },
      } as object,
    });
    expect(updateOf(done)).toMatchObject({ status: "running", state: { exit: { lacksSince: NOW } } });
  });

  it("leaves no order to the user while the kill switch cancels every order", () => {
    const keeping = grid({ wants: "stop", keepOrders: true }, { releaseAt: NOW });
    const orders = [order()];
    const more = { reports: { [idOf()]: reportedOrder() } };
    expect(updateOf(deciding(keeping, { orders, more }))).toMatchObject({ status: "stopped" });
    const snap = { kill: { on: true, cancels: true, sells: false } } as object;
    const done = deciding(keeping, { orders, more, snap });
    expect(updateOf(done)).toMatchObject({ status: "running", phase: "stopping" });
    expect(done.cancels).toHaveLength(1);
  });

  it("sells the same free base for one strategy only", () => {
    const exit = { reason: "stop", tries: 0 } as const;
    const slots = [slot({ base: d("1"), cost: d("100") })];
    const one = grid({ wants: "stop" }, { exit, slots });
    const done = deciding([one, { ...one, id: "h", number: 2 }]);
    expect(done.creates).toMatchObject([{ strategy: "g", side: "sell", amount: d("1") }]);
  });

  it("writes only its memory when nothing changed", () => {
    const live = order({ amount: d("1") });
    const quiet = deciding(grid(), {
      orders: [live],
      snap: { memory: { ...snapshot().memory, baseline: {} } },
    });
    expect(quiet).toMatchObject({ changes: [], creates: [], cancels: [], placing: [], short: false });
    expect(quiet.memory.marks[SYMBOL]?.mid).toBe(d("105"));
  });

  it("books the fills of an order, and values fees in third assets", () => {
    const fees = [{ asset: "KCS", amount: d("2") }];
    const more = {
      reports: { [idOf()]: describeFilled({ filled: d("1"), amount: d("1") }) },
      feePrices: new Map([["KCS/USDT", d("3")]]),
    };
    const done = deciding(grid(), {
      orders: [order({ amount: d("1") })],
      of: { trades: [trade({ fees })] },
      more: more as never,
    });
    expect(done.changes[0]).toMatchObject({
      fills: [{ fees: [{ asset: "KCS", value: d("6") }] }],
      orders: [{ state: "filled", settled: true }],
    });
    expect(done.creates).toMatchObject([{ side: "sell", price: d("110") }]);
    expect(done.memory.moved).toEqual({ BTC: d("1"), USDT: d("-100"), KCS: d("-2") });
  });

  it("shares the free and allowed funds among its strategies in turn", () => {
    const other = grid({ id: "h", number: 1_700_000_000_001 });
    const poor = { balances: [{ asset: "USDT", free: d("150"), used: 0n }] };
    expect(deciding([grid(), other], { more: poor }).creates.map((one) => one.strategy)).toEqual(["g"]);
    expect(deciding([grid(), other]).creates.map((one) => one.strategy)).toEqual(["g", "h"]);
    const one = deciding([grid(), other], { passTerms: { ...FREE, limit: 1, slow: "so slow" } });
    expect(one.creates.map(({ strategy: whose }) => whose)).toEqual(["g"]);
    expect(one.short).toBe(true);
    const few = deciding([grid(), other], { passTerms: { ...FREE, bounds: bounds({ openOrders: 1 }) } });
    expect(few.creates).toHaveLength(1);
  });

  it("reserves funds for orders on other markets that it has not observed", () => {
    const config = { ...grid().config, safetyReserve: d("0.5") } as Strategy["config"];
    const other = grid({ id: "g2", number: 2, symbol: "ETH/USDT" });
    const placed = (amount: string) => {
      const unseen = order({ strategy: "g2", symbol: "ETH/USDT", state: "pending", amount: d(amount) });
      return deciding([grid({ config }), other], { orders: [unseen] }).creates.length;
    };
    // Of 1000 half is to stay: this one takes 100, the other one as many hundreds.
    expect([placed("3.9"), placed("4.5")]).toEqual([1, 0]);
  });

  it("leaves orders on unobserved markets untouched", () => {
    const away = grid({ symbol: "ETH/USDT" });
    const live = order({ symbol: "ETH/USDT" });
    expect(deciding(away, { orders: [live] })).toMatchObject({ creates: [], cancels: [] });
    expect(updateOf(deciding(away))).toBeUndefined();
    const refused = deciding(away, { more: { refused: new Map([["ETH/USDT", "no such market"]]) } as never });
    expect(updateOf(refused)).toMatchObject({ lastError: "ETH/USDT cannot be read: no such market" });
  });

  it("ends a stop a day after its pair became unreadable, and says what is left", () => {
    const refused = { refused: new Map([["ETH/USDT", "not listed"]]) } as never;
    const orders = [order({ symbol: "ETH/USDT", state: "unknown" }), order({ slot: 1, strategy: "h" })];
    const LATE = 2 * DAY;
    const snap = { lease: { ...snapshot().lease, now: LATE } };
    const stopping = (closedSince: number, more: Partial<Strategy> = {}) => {
      const held = [{ ...slot(), base: d("2") }];
      const away = grid({ symbol: "ETH/USDT", wants: "stop", state: state(held, { closedSince }), ...more });
      return deciding(away, { orders, more: refused, snap }).changes[0];
    };
    expect(stopping(LATE - DAY + 1)?.strategy).toMatchObject({
      status: "running",
      lastError: "ETH/USDT cannot be read: not listed; the stop ends by itself after a day",
    });
    const left =
      "ETH/USDT cannot be read: not listed, for a day now; 2 ETH stay in the account, and 1 order could still be open: check the exchange";
    const ended = stopping(LATE - DAY, { status: "error" });
    expect(ended).toMatchObject({
      strategy: { status: "stopped", phase: "done", stoppedAt: LATE, lastError: left },
      orders: [{ clientId: orders[0]?.clientId, settled: true }],
      events: [{ kind: "status", message: `error to stopped: ${left}` }],
    });
    expect(ended?.wish).toMatchObject({ wants: "stop" });
    expect(stopping(LATE - DAY, { wants: "pause" })?.strategy).toMatchObject({ status: "error" });
  });

  it("writes changes of manual orders and of orders without a local strategy", () => {
    const by = order({ strategy: null, kind: "hand", clientId: "em0000000000000001" });
    const ended = reportedOrder({ status: "canceled", clientId: by.clientId });
    const done = deciding(grid(), { orders: [by], more: { reports: { [by.clientId]: ended } } });
    expect(done.changes.at(-1)?.orders).toMatchObject([
      { clientId: by.clientId, state: "canceled", settled: true },
    ]);
  });

  it("names unreadable rows once", () => {
    const of = { unreadable: [{ id: "t9", orderId: "x1", at: 1, reason: "no price" }] };
    const done = deciding(grid(), { orders: [order({ amount: d("1") })], of });
    expect(done.changes.at(-1)?.events).toMatchObject([{ kind: "unreadable" }]);
    expect(done.memory.unreadable).toEqual(["t9"]);
    expect(done.changes.at(-1)?.memory).not.toBe(null);
  });
});

describe("the cancels that a pass decides on", () => {
  it("include each order of a stop once, and all of our orders if the switch requests that", () => {
    const live = [
      order(),
      order({ strategy: null, kind: "hand", clientId: "em0000000000000001", exchangeId: "x2" }),
    ];
    const stop = grid({ wants: "stop" });
    expect(deciding(stop, { orders: live }).cancels).toEqual([live[0]]);
    const kill = (over: object) => ({ kill: { on: true, cancels: true, sells: false, ...over } }) as never;
    expect(deciding(stop, { orders: live, snap: kill({}) }).cancels).toEqual(live);
    expect(deciding(grid(), { orders: [], snap: kill({}) }).creates).toEqual([]);
    expect(deciding(stop, { orders: live, snap: kill({ on: false }) }).cancels).toEqual([live[0]]);
    expect(deciding(stop, { orders: live, snap: kill({ cancels: false }) }).cancels).toEqual([live[0]]);
  });

  it("begin with the orders that the exchange lists as open", () => {
    const live = [0, 1, 2].map((index) =>
      order({ slot: index, clientId: idOf({ slot: index }), exchangeId: `x${index}` }),
    );
    const open = [reportedOrder({ id: "x2", clientId: idOf({ slot: 2 }) })];
    const stop = grid({ wants: "stop" });
    const ids = deciding(stop, { orders: live, of: { open } }).cancels.map(({ exchangeId }) => exchangeId);
    expect(ids).toEqual(["x2", "x0", "x1"]);
  });

  it("include an order that was given up but is still open", () => {
    const lost = order({ state: "rejected", settled: true });
    const late = (one: Order, open = [reportedOrder()]) =>
      deciding(grid(), { of: { open }, more: { late: [one] } }).cancels.map(({ exchangeId }) => exchangeId);
    expect(late(lost)).toEqual(["x1"]);
    expect(late(lost, [])).toEqual([]);
    expect(late({ ...lost, strategy: null })).toEqual([]);
    expect(late({ ...lost, state: "open" })).toEqual([]);
    expect(late({ ...lost, exchangeId: null })).toEqual([]);
  });
});

describe("a strategy in a pass", () => {
  it("places nothing in error, but stops on request", () => {
    const failed = grid({ status: "error", lastError: "it failed" });
    expect(deciding(failed)).toMatchObject({ creates: [], placing: [] });
    expect(updateOf(deciding({ ...failed, wants: "stop" }))).toMatchObject({ status: "stopped" });
    const exiting = grid({ status: "error" }, { exit: { reason: "stop", tries: 0 } });
    expect(updateOf(deciding(exiting))).toMatchObject({ status: "stopped" });
  });

  it("is resumed once per user request", () => {
    const failed = grid({ status: "error", lastError: "it failed", resumes: 1 });
    expect(updateOf(deciding(failed))).toMatchObject({ status: "running", lastError: null });
  });

  it("places nothing while paused, but finishes its cancels", () => {
    const orders = [order({ clientId: "old", generation: 4 }), order()];
    const paused = deciding(grid({ wants: "pause", keepOrders: true }), { orders });
    expect(updateOf(paused)).toMatchObject({ phase: "paused" });
    expect(paused.cancels.map(({ clientId }) => clientId)).toEqual(["old"]);
    expect(paused.creates).toEqual([]);
    expect(deciding(grid({ wants: "pause" }), { orders }).cancels).toHaveLength(2);
    expect(updateOf(deciding(grid({ wants: "pause", phase: "starting" })))).toBeUndefined();
  });

  it("records the start of a market's closure if the venue reports it", () => {
    const closed = deciding(grid(), { of: { market: market({ active: false }) } });
    expect(updateOf(closed)?.state.closedSince).toBe(NOW);
    const unreported = deciding(grid({}, { closedSince: 5 }), {
      of: { market: undefined, error: "no answer" },
    });
    expect(updateOf(unreported)?.state.closedSince).toBe(5);
    expect(updateOf(deciding(grid({}, { closedSince: 5 })))?.state.closedSince).toBeUndefined();
  });

  it("that fails is the only one in error, with its reason", () => {
    const broken = grid({ id: "b", number: 1 }, { serial: 2 ** 40 });
    const done = deciding([broken, grid()]);
    expect(done.changes[0]?.strategy).toMatchObject({
      id: "b",
      status: "error",
      lastError: "no client order id is left for this slot",
    });
    expect(done.creates.map((one) => one.strategy)).toEqual(["g"]);
  });

  it("places nothing while an accepted order is missing on the exchange", () => {
    const other = order({ slot: 7, clientId: idOf({ slot: 7 }), state: "submitted", notAfter: NOW - 61_000 });
    const done = deciding(grid(), { orders: [other], more: { reports: { [other.clientId]: "missing" } } });
    expect(done.creates).toEqual([]);
    expect(updateOf(done)?.lastError).toContain(`accepted order ${other.clientId} but does not show it`);
  });

  it("places nothing before its market's trades are read completely", () => {
    expect(deciding(grid(), { of: { tradesRead: false } })).toMatchObject({ creates: [], short: true });
    const leaves = grid({ wants: "stop", sellBase: true }, { slots: [slot({ base: d("1"), side: "sell" })] });
    expect(deciding(leaves).creates).toMatchObject([{ kind: "exit" }]);
    expect(deciding(leaves, { of: { tradesRead: false } })).toMatchObject({ creates: [], short: true });
  });

  it("records a restore once all trades are read", () => {
    const restored = { snap: { epoch: 2 } };
    expect(updateOf(deciding(grid(), restored))?.state.epoch).toBe(2);
    const waiting = { unlooked: new Map([[SYMBOL, 1]]) } as never;
    expect(deciding(grid(), { ...restored, more: waiting }).creates).toEqual([]);
    expect(updateOf(deciding(grid(), { ...restored, more: waiting }))?.state.epoch).not.toBe(2);
  });

  it("is halted by its account's loss, which is stored", () => {
    const passTerms = { ...FREE, bounds: bounds({ accountLoss: { USDT: d("1") } }) };
    const lost = grid({}, { ledger: { ...grid().state.ledger, quote: d("-2"), moved: { USDT: d("-2") } } });
    const done = deciding(lost, { passTerms });
    expect(done.creates).toEqual([]);
    expect(updateOf(done)).toMatchObject({ phase: "paused" });
    expect(done.memory.losses?.USDT?.watch?.over).toContain("accountLoss");
    const gone = { ...snapshot().memory, losses: done.memory.losses };
    const stopped = deciding({ ...lost, wants: "stop" }, { passTerms, snap: { memory: gone } as never });
    expect(stopped.memory.losses?.USDT?.closed).toBe(d("-2"));
  });

  it("keeps the loss of a strategy whose pair became unreadable in its account's loss", () => {
    const LATE = 2 * DAY;
    const ledger = { ...grid().state.ledger, quote: d("-2") };
    const away = grid({ symbol: "ETH/USDT", wants: "stop" }, { ledger, closedSince: LATE - DAY });
    const memory = { ...snapshot().memory, marks: { "ETH/USDT": { mid: d("5"), at: 1 } } };
    const done = deciding([grid({ id: "h" }), away], {
      more: { refused: new Map([["ETH/USDT", "not listed"]]) } as never,
      snap: { lease: { ...snapshot().lease, now: LATE }, memory } as never,
      passTerms: { ...FREE, bounds: bounds({ accountLoss: { USDT: d("1") } }) },
    });
    expect(done.memory.losses?.USDT).toMatchObject({ closed: d("-2") });
  });

  it("starts with base that no strategy owns, also while the market of one of them cannot be read", () => {
    const starting = strategy({
      phase: "starting",
      state: state([slot({ side: "sell" })], { epoch: 1, laidAt: NOW, startPrice: d("105") }),
    });
    expect(deciding(starting).creates).toMatchObject([{ side: "sell" }]);
    const hidden = strategy({ id: "h", symbol: "BTC/EUR" });
    expect(deciding([starting, hidden]).creates).toMatchObject([{ side: "sell" }]);
    const slots = [slot({ base: d("1000"), cost: d("100000") })];
    const owner = { ...hidden, state: state(slots, { epoch: 1 }) };
    const waiting = deciding([starting, owner]);
    expect(waiting.creates).toEqual([]);
    expect(updateOf(waiting)?.lastError).toContain("it starts when the balances show");
    const elsewhere = strategy({ id: "h", symbol: "ETH/EUR" });
    expect(deciding([starting, elsewhere]).creates).toHaveLength(1);
    const observed = new Map([
      [SYMBOL, observedMarket()],
      ["BTC/EUR", observedMarket({ quote: quote() })],
    ]);
    expect(
      deciding([starting, { ...hidden, wants: "pause" }], { more: { markets: observed } as never }).creates,
    ).toHaveLength(1);
  });
});
