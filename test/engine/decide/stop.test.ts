import { describe, expect, it } from "vitest";
import type { StrategyPass } from "../../../src/engine/decide/intents.ts";
import { exitPlan, exitReach, leavingAgain, stop } from "../../../src/engine/decide/stop.ts";
import { gridKind } from "../../../src/grid/kind.ts";
import { DAY, HOUR } from "../../../src/kernel/time.ts";
import type { Order } from "../../../src/model/order.ts";
import { EXIT_SLOT, type Strategy } from "../../../src/model/strategy.ts";
import type { Kind } from "../../../src/ports/kind.ts";
import { d, market, slot, state } from "../../support/grid.ts";
import {
  ACCOUNT,
  bounds,
  idOf,
  NOW,
  observedMarket,
  order,
  quote,
  strategy,
  TIMING,
  turn,
} from "../../support/made.ts";

const KIND = gridKind as unknown as Kind;
const { readLag } = TIMING;
const holding = slot({ side: "sell", base: d("2"), cost: d("200") });
const EXIT = { reason: "stop", tries: 0 } as const;
/** A grid with 2 BTC that is wanted to stop. */
const stopping = (over: Partial<Strategy> = {}, of: object = {}): Strategy =>
  strategy({ state: state([holding], { epoch: 1, ...of }), wants: "stop", ...over });
const exiting = (of: object = {}, over: Partial<Strategy> = {}) => stopping(over, { exit: EXIT, ...of });

describe("a stop", () => {
  it("requests a cancel for every order on the exchange, and waits for all orders", () => {
    const live = [order(), order({ exchangeId: null, state: "pending" })];
    const after = stop(stopping(), live, turn());
    expect(after).toEqual({
      strategy: { ...stopping(), status: "running", phase: "stopping" },
      cancels: [live[0]],
    });
  });

  it("completes when no order is left, at the market's time, which for a real exchange is now", () => {
    const { strategy: after, released, cancels } = stop(stopping(), [], turn());
    expect(after).toEqual({ ...stopping(), status: "stopped", phase: "done", stoppedAt: NOW });
    expect([released, cancels]).toEqual([[], undefined]);
    const quoteAt = (at: number) => observedMarket({ quote: { bid: d("100"), ask: d("101"), at } });
    const stoppedAt = (over: Partial<StrategyPass>) => stop(stopping(), [], turn(over)).strategy?.stoppedAt;
    expect(stoppedAt({ observed: quoteAt(NOW - HOUR) })).toBe(NOW);
    expect(stoppedAt({ observed: observedMarket({ quote: undefined }) })).toBe(NOW);
    expect(stoppedAt({ observed: quoteAt(700), isSimulated: true })).toBe(700);
    expect(stoppedAt({ observed: observedMarket({ quote: undefined }), isSimulated: true })).toBe(500);
  });

  it("on a pair that is not listed completes, and says what stays in the account", () => {
    const gone = observedMarket({
      market: undefined,
      quote: undefined,
      error: "BTC/USDT is not listed",
      isUnlisted: true,
    });
    const left = "BTC/USDT is not listed; 2 BTC stay in the account";
    const stopped = (one: Strategy) => stop(one, [], turn({ observed: gone })).strategy;
    expect(stopped(stopping())).toMatchObject({ status: "stopped", lastError: left });
    const waiting = { status: "running", lastError: "BTC/USDT is not listed" };
    expect(stopped(exiting({ closedSince: NOW - DAY + 1 }))).toMatchObject(waiting);
    expect(stopped(exiting({ closedSince: NOW - DAY }, { wants: "run" }))).toMatchObject(waiting);
    expect(stopped(exiting({ closedSince: NOW - DAY }))).toMatchObject({
      status: "stopped",
      lastError: left,
    });
  });

  it("does not complete while one of its orders may still be open", () => {
    const after = stop(stopping(), [], turn({ orphan: "em1" }));
    expect(after).toMatchObject({ strategy: { status: "running", phase: "stopping" }, cancels: [] });
  });
});

describe("a stop that leaves its orders open", () => {
  const keeping = (of: object = {}) => stopping({ keepOrders: true }, of);
  const due = { releaseAt: NOW };
  const live = [order(), order({ slot: 1, state: "partially_filled" })];

  it("waits a read lag for earlier fills, and cancels nothing", () => {
    const after = stop(keeping(), live, turn());
    expect(after).toMatchObject({
      strategy: { status: "running", phase: "stopping", state: { releaseAt: NOW + readLag } },
      cancels: [],
    });
    const before = stop(keeping({ releaseAt: NOW + 1 }), live, turn());
    expect(before.strategy?.state.releaseAt).toBe(NOW + 1);
    expect(before.released).toBeUndefined();
  });

  it("hands all orders to the user at once", () => {
    const after = stop(keeping(due), live, turn());
    expect(after).toMatchObject({
      strategy: { status: "stopped", phase: "done" },
      released: live.map((one) => ({ ...one, settled: true })),
    });
    expect(after.cancels).toBeUndefined();
  });

  it.each(["submitted", "pending", "unknown", "filled"] as const)("waits for an order that is %s", (is) => {
    const after = stop(keeping(due), [...live, order({ slot: 2, state: is })], turn());
    expect(after).toMatchObject({ strategy: { status: "running" }, cancels: [] });
  });

  it("cancels its orders if the base is sold", () => {
    const after = stop({ ...keeping(due), sellBase: true }, live, turn());
    expect(after.cancels).toEqual(live);
    expect(after.strategy?.state.exit).toEqual(EXIT);
    expect(stop(keeping({ ...due, exit: EXIT }), live, turn()).cancels).toEqual(live);
  });
});

describe("a stop that sells the base", () => {
  const order_ = (of: Partial<Order> = {}) => ({
    kind: "exit",
    slot: EXIT_SLOT,
    side: "sell",
    price: d("102.96"),
    amount: d("2"),
    timeInForce: "ioc",
    createdAt: NOW,
    ...of,
  });

  it("sells all of it at once, 1 % below the bid", () => {
    const after = stop(stopping({ sellBase: true, lastError: "before" }), [], turn());
    expect(after.intents).toMatchObject([order_()]);
    expect(after.funds?.BTC).toBe(d("98"));
    expect(after.strategy).toMatchObject({
      status: "running",
      lastError: null,
      state: { exit: { reason: "stop", tries: 1 }, idle: [{ base: d("2"), cost: d("200") }] },
    });
    expect(stop(exiting(), [], turn()).intents).toHaveLength(1);
  });

  it("continues an exit that has started instead of starting another", () => {
    const stopLoss = { exit: { reason: "stop_loss", tries: 1 } };
    const after = stop(stopping({ sellBase: true }, stopLoss), [], turn());
    expect(after.strategy?.state.exit).toEqual({ reason: "stop_loss", tries: 2 });
  });

  it("completes when no base is left that the venue accepts", () => {
    const dust = { slots: [slot({ base: d("0.001"), cost: d("1") })] };
    const after = stop(exiting(dust), [], turn());
    expect(after).toMatchObject({ strategy: { status: "stopped", lastError: null } });
  });

  it.each([
    ["without a quote", { observed: observedMarket({ quote: undefined, error: "no answer" }) }, "no answer"],
    [
      "without a market",
      { observed: observedMarket({ market: undefined, error: "no answer" }) },
      "no answer",
    ],
    [
      "while the switch is on, without balances",
      { killed: true, funds: undefined },
      "the kill switch is on: the base is not sold",
    ],
    [
      "while the market is closed",
      { observed: observedMarket({ market: market({ active: false }) }) },
      "the market is closed: the base is not sold",
    ],
  ])("waits %s", (_, over, lastError) => {
    const after = stop(exiting(), [], turn(over));
    expect(after.strategy).toMatchObject({ status: "running", phase: "stopping", lastError });
    expect(after.intents).toBeUndefined();
    expect(after.short).toBeUndefined();
  });

  it("waits while it is paused, counts no try, and cancels no order of others", () => {
    const buy = order({ strategy: "h", price: d("103") });
    const resting = [{ side: buy.side, price: buy.price, order: buy }];
    const after = stop(exiting({}, { wants: "pause" }), [], turn({ resting }));
    const lastError = "the grid is paused: the base is not sold";
    expect(after.strategy).toMatchObject({ status: "running", lastError, state: { exit: EXIT } });
    expect([after.intents, after.cancels]).toEqual([undefined, undefined]);
  });

  it("waits for balances and for open-order capacity", () => {
    const unknown = stop(exiting({}, { lastError: "before" }), [], turn({ funds: undefined }));
    expect(unknown).toMatchObject({ short: true, strategy: { lastError: null, status: "running" } });
    const dust = exiting({ slots: [slot({ base: d("0.001"), cost: d("1") })] });
    expect(stop(dust, [], turn({ funds: undefined, killed: true })).strategy?.status).toBe("stopped");
    expect(stop(exiting(), [], turn({ limit: 0 }))).toEqual({ short: true });
    expect(stop(exiting(), [], turn({ limit: 1 })).intents).toHaveLength(1);
  });

  it("bypasses the kill switch in a panic, but not the collar", () => {
    const over = { killed: true, panics: true, bounds: bounds({ collarPercent: d("1") }) };
    const after = stop(exiting(), [], turn(over));
    expect(after.intents).toMatchObject([{ price: d("103.95") }]);
    expect(after.strategy?.state.notices).toEqual([]);
  });

  it("deliberately goes beyond the collar, and reports that once", () => {
    const over = { bounds: bounds({ collarPercent: d("1") }) };
    const notices = [
      { code: "exit_beyond_collar", message: "before" },
      { code: "wide_spread", message: "so wide" },
    ];
    const after = stop(exiting({ notices }), [], turn(over)).strategy?.state.notices;
    expect(after).toEqual([
      notices[1],
      {
        code: "exit_beyond_collar",
        message: expect.stringContaining(
          "an exit sells beyond the collar on purpose: the limit collarPercent is 1",
        ),
      },
    ]);
    expect(stop(exiting({ notices }), [], turn()).strategy?.state.notices).toBe(notices);
  });
});

describe("an exit that would cross its account's own orders", () => {
  const buy = (over: Partial<Order> = {}) => order({ price: d("103"), ...over });
  const resting = (one: Order) => ({ side: one.side, price: one.price, order: one });

  it("cancels the orders that have a row, and notifies their owners", () => {
    const met = [buy(), buy({ exchangeId: "x2", strategy: null }), buy({ exchangeId: null })];
    const others = [buy({ price: d("102.95"), exchangeId: "x7" }), buy({ side: "sell", exchangeId: "x8" })];
    const after = stop(exiting(), [], turn({ resting: [...met, ...others].map(resting) }));
    const lastError = `the base is sold when it can no longer fill against this account's own x1, x2, ${idOf()}`;
    expect(after).toMatchObject({ strategy: { status: "running", lastError }, cancels: met.slice(0, 2) });
    expect(after.intents).toBeUndefined();
    const event = { account: ACCOUNT, strategy: "g", at: NOW, kind: "made_way" };
    expect(after.events).toEqual([
      {
        ...event,
        message: "x1: the buy at 103 of g is canceled, because the exit of g could fill against it",
      },
      {
        ...event,
        message:
          "x2: the buy at 103 placed manually is canceled, because the exit of g could fill against it",
      },
    ]);
    const again = stop(exiting({}, { lastError }), [], turn({ resting: met.map(resting) }));
    expect(again.events).toEqual([]);
  });

  it("names at most three of them", () => {
    const met = ["a", "b", "c", "e"].map((exchangeId) => resting(buy({ exchangeId })));
    const after = stop(exiting(), [], turn({ resting: met }));
    expect(after.strategy?.lastError).toMatch(/a, b, c$/);
  });

  it("sells at the exit price only if they are below it", () => {
    const at = (price: string) => stop(exiting(), [], turn({ resting: [resting(buy({ price: d(price) }))] }));
    expect(at("102.96").cancels).toHaveLength(1);
    expect(at("102.95").intents).toHaveLength(1);
  });

  const placed = (price: string, side: "buy" | "sell" = "buy", id = "y1") => ({ side, price: d(price), id });

  it("sells above orders that were placed elsewhere", () => {
    const at = (...one: ReturnType<typeof placed>[]) => stop(exiting(), [], turn({ resting: one }));
    expect(at(placed("103"), placed("102")).intents).toMatchObject([{ price: d("103.01") }]);
    expect(at(placed("102"), placed("103")).intents).toMatchObject([{ price: d("103.01") }]);
    expect(at(placed("102")).intents).toMatchObject([{ price: d("102.96") }]);
    expect(at(placed("103", "sell")).intents).toMatchObject([{ price: d("102.96") }]);
    expect(at(placed("103.99")).intents).toMatchObject([{ price: d("104") }]);
  });

  it("waits for orders at the bid", () => {
    const after = stop(
      exiting(),
      [],
      turn({ resting: [placed("104", "buy", "y1"), placed("104", "buy", "y2")] }),
    );
    expect(after.intents).toBeUndefined();
    expect(after.strategy?.lastError).toMatch(/own y1$/);
  });
});

describe("base that is missing in the account", () => {
  const none = { funds: { USDT: d("1") } };
  const since = (lacksSince: number) => exiting({ exit: { ...EXIT, lacksSince } });
  const lastError = "the exchange shows less free base than there is to sell; edgemaker retries";

  it("is checked again for a read lag", () => {
    const after = stop(exiting(), [], turn(none));
    expect(after.strategy).toMatchObject({
      status: "running",
      lastError,
      state: { exit: { lacksSince: NOW } },
    });
    const later = stop(since(NOW - readLag + 1), [], turn(none));
    expect(later.strategy).toMatchObject({ lastError, state: { exit: { lacksSince: NOW - readLag + 1 } } });
  });

  it("is checked again once without a read lag, because the balances can be older than the last fill", () => {
    const unlagged = turn({ ...none, timing: { ...TIMING, readLag: 0 } });
    const after = stop(exiting(), [], unlagged).strategy;
    expect(after).toMatchObject({ status: "running", lastError, state: { exit: { lacksSince: NOW } } });
    expect(stop(since(NOW), [], unlagged).strategy?.status).toBe("stopped");
  });

  it("is checked again as long as an unconfirmed order could have used it", () => {
    const after = stop(since(NOW - readLag), [], turn({ ...none, doubted: new Set(["BTC"]) }));
    expect(after.strategy).toMatchObject({
      status: "running",
      lastError: "an unconfirmed order could have used the base; edgemaker looks it up first",
      state: { exit: { lacksSince: NOW } },
    });
    const timing = { ...turn().timing, readLag: 0 };
    const unlagged = stop(exiting(), [], turn({ ...none, timing, doubted: new Set(["BTC"]) }));
    expect(unlagged.strategy?.status).toBe("running");
    const quotes = stop(since(NOW - readLag), [], turn({ ...none, doubted: new Set(["USDT"]) }));
    expect(quotes.strategy?.status).toBe("stopped");
  });

  it("is then reported as not sold", () => {
    const after = stop(since(NOW - readLag), [], turn(none));
    expect(after.strategy).toMatchObject({
      status: "stopped",
      lastError: "2 BTC of the grid were not free in the account and were not sold; sell them manually",
    });
  });
});

describe("an exit order", () => {
  const exit = (over: object = {}, tries = 0, more: object = {}) =>
    exitPlan(KIND, state([holding], { exit: { reason: "stop", tries }, ...more }), {
      market: market(),
      quote: quote(),
      funds: undefined,
      ...over,
    });

  it.each([
    [0, "102.96"],
    [1, "101.92"],
    [2, "99.84"],
    [9, "99.84"],
  ])("sells after %d tries down to %s", (tries, price) => {
    const { intent, next } = exit({}, tries);
    expect(intent).toEqual({ slot: EXIT_SLOT, side: "sell", price: d(price), amount: d("2") });
    expect(next.exit).toEqual({ reason: "stop", tries: tries + 1 });
  });

  it("goes no further than a tenth below the mid, or below its permitted price", () => {
    const wide = quote({ bid: d("80"), ask: d("120") });
    expect(exit({ quote: wide }).intent?.price).toBe(d("90"));
    expect(exit({ minPrice: d("103.001") }).intent?.price).toBe(d("103.01"));
    expect(exit({ above: d("103") }).intent?.price).toBe(d("103.01"));
    expect(exit({ above: d("103"), minPrice: d("104") }).intent?.price).toBe(d("104"));
  });

  it("sells the available base in whole lots", () => {
    expect(exit({ funds: { BTC: d("1.000019") } }).intent?.amount).toBe(d("1.00001"));
    expect(exit({ funds: { BTC: d("9") } }).intent?.amount).toBe(d("2"));
    expect(exit({ funds: {} }).intent).toBeUndefined();
  });

  it("sells at most one order's limit, valued at the mid, or everything if the limit is too small", () => {
    const most = (amount: string) => ({ bounds: bounds({ orderNotional: { USDT: d(amount) } }) });
    expect(exit(most("105")).intent?.amount).toBe(d("1"));
    expect(exit(most("4")).intent?.amount).toBe(d("2"));
    const above = { ...most("105"), above: d("209.99") };
    expect(exit(above).intent).toMatchObject({ price: d("210"), amount: d("0.5") });
    const between = { ...most("5.05"), market: market({ minNotional: d("5") }) };
    expect(exit(between).intent?.amount).toBe(d("2"));
  });

  it("is not created if no base is sold, or too little", () => {
    expect(
      exitPlan(KIND, state([holding]), { market: market(), quote: quote(), funds: undefined }).intent,
    ).toBe(undefined);
    const { intent, next } = exit({ market: market({ minNotional: d("900") }) });
    expect(intent).toBeUndefined();
    expect(next.exit).toEqual(EXIT);
  });
});

describe("the lowest sell price of an exiting strategy", () => {
  const reach = (one: Strategy, over = {}) => exitReach(KIND, one, observedMarket(over));

  it("is reported while it exits or is about to, and has base", () => {
    expect(reach(exiting())).toEqual([{ side: "sell", price: d("102.96") }]);
    expect(reach(exiting({ exit: { reason: "stop", tries: 1 } }))).toEqual([
      { side: "sell", price: d("101.92") },
    ]);
    expect(reach(stopping({ sellBase: true }))).toEqual([{ side: "sell", price: d("102.96") }]);
    expect(reach(stopping())).toEqual([]);
    expect(reach(exiting({}, { wants: "pause" }))).toEqual([]);
    expect(reach(stopping({ sellBase: true, wants: "run" }))).toEqual([]);
    expect(reach(exiting({ slots: [slot()] }))).toEqual([]);
    expect(reach(exiting(), { market: undefined })).toEqual([]);
    expect(reach(exiting(), { quote: undefined })).toEqual([]);
  });
});

describe("an exit order that a restored database has lost", () => {
  const again = (price: string, config: object = {}, over: Partial<Strategy> = {}) =>
    leavingAgain(KIND, { ...stopping({ wants: "run", config }), ...over } as Strategy, { price: d(price) });
  const BETWEEN = { stopLossPrice: d("90"), takeProfitPrice: d("120") };

  it.each([
    ["90", "stop_loss"],
    ["90.01", "stop"],
    ["107.99", "stop"],
    ["108", "take_profit"],
  ])("at %s marks the exit as a %s", (price, reason) => {
    const after = again(price, BETWEEN);
    expect(after.exit).toEqual({ reason, tries: 1 });
    expect(after.slots[0]).toMatchObject({ base: 0n });
  });

  it("marks the exit as a stop if the user requested one, or no price was set", () => {
    expect(again("90", BETWEEN, { wants: "stop" }).exit?.reason).toBe("stop");
    expect(again("1").exit?.reason).toBe("stop");
    expect(again("1000").exit?.reason).toBe("stop");
  });

  it("does not change a known exit", () => {
    const { state: known } = exiting();
    expect(again("90", BETWEEN, { state: known })).toBe(known);
  });
});
