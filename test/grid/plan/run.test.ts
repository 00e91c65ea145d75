import { describe, expect, it } from "vitest";
import { gridKind } from "../../../src/grid/kind.ts";
import { advanceRunning } from "../../../src/grid/plan/run.ts";
import type { GridConfig, GridState, GridStrategy } from "../../../src/grid/state/state.ts";
import { MINUTE } from "../../../src/kernel/time.ts";
import type { Order } from "../../../src/model/order.ts";
import { d, market, slot, state } from "../../support/grid.ts";
import { idOf, judged, NOW, observedMarket, order, quote, strategy, turn } from "../../support/made.ts";

/** Levels 100, 110, 120; both slots buy below the market, which is at 130. */
const CONFIG = {
  lowerPrice: d("100"),
  upperPrice: d("120"),
  gridLevels: 2,
  gridSpacing: d("10"),
  orderSize: d("100"),
  spacingModel: "linear",
} as unknown as GridConfig;
const LOW = slot();
const HIGH = slot({ index: 1, lower: d("110"), upper: d("120") });
const at = (price: string, time = NOW) => quote({ bid: d(price), ask: d(price), at: time });
const AT_130 = { observed: observedMarket({ quote: at("130") }) };
const grid = (of: Partial<GridState> = {}, over: object = {}): GridStrategy =>
  strategy({ config: CONFIG, state: state([LOW, HIGH], { epoch: 1, ...of }), ...over }) as GridStrategy;
const running = (one = grid(), live: readonly Order[] = [], over: object = {}) =>
  advanceRunning(one, live, turn({ ...AT_130, ...over }));
const resting = [order({ slot: 0 }), order({ slot: 1, price: d("110"), clientId: idOf({ slot: 1 }) })];

describe("a grid in a pass", () => {
  it("places what its slots need, and is active once all of those orders are open", () => {
    const first = running();
    expect(first.intents).toMatchObject([
      { slot: 1, price: d("110"), createdAt: NOW, kind: "slot" },
      { slot: 0, price: d("100"), sendBy: NOW + 35_000 },
    ]);
    expect(first).toMatchObject({ placing: true, short: false, cancels: [] });
    expect(first.strategy).toMatchObject({ status: "running", phase: "placing", lastError: null });
    const next = running(grid(), resting);
    expect(next).toMatchObject({ intents: [], placing: false, strategy: { phase: "active" } });
    expect(next.strategy?.state).toEqual(grid().state);
  });

  it.each([
    ["quote", { quote: undefined }],
    ["market", { market: undefined }],
  ])("does nothing without a %s, and reports why", (_, over) => {
    const blind = { observed: observedMarket({ quote: at("130"), error: "no answer", ...over }) };
    expect(running(grid(), [], blind)).toEqual({ strategy: { ...grid(), lastError: "no answer" } });
  });

  it("places nothing before balances are known, then as many orders as allowed", () => {
    const unknown = running(grid(), [], { funds: undefined });
    expect(unknown).toMatchObject({
      intents: [],
      short: true,
      placing: false,
      strategy: { phase: "placing" },
    });
    const one = running(grid(), [], { limit: 1, slow: "so slow" });
    expect(one).toMatchObject({ short: true, placing: false, strategy: { lastError: "so slow" } });
    expect(one.intents).toHaveLength(1);
    expect(running(grid(), [], { slow: "so slow" }).strategy?.lastError).toBe(null);
  });

  it("waits for uncertain orders, and reports the exchange's response", () => {
    const unclear = { ...resting[0], state: "unknown", reason: "no answer" } as Order;
    const after = running(grid(), [unclear, resting[1] as Order]);
    expect(after.strategy).toMatchObject({
      phase: "placing",
      lastError: "the exchange has not confirmed an order: no answer",
      state: { refused: [{ slot: 0, reason: "unclear", detail: "no answer" }] },
    });
    const pending = { ...resting[0], state: "pending" } as Order;
    expect(running(grid(), [pending, resting[1] as Order]).strategy).toMatchObject({
      phase: "placing",
      lastError: null,
      state: { refused: [] },
    });
    const silent = { ...unclear, reason: null };
    expect(running(grid(), [silent, resting[1] as Order]).strategy?.state.refused).toEqual([]);
  });

  it("reports how many orders the exchange rejects", () => {
    const refused = [0, 1].map(
      (index) => ({ slot: index, reason: "rejected", detail: `why ${index}` }) as const,
    );
    const slots = [LOW, HIGH].map((one) => ({ ...one, retryAt: NOW + 1 }));
    expect(running(grid({ slots, refused })).strategy?.lastError).toBe(
      "the exchange refuses 2 orders: why 0",
    );
    const one = [{ slot: 0, reason: "rejected" } as const, refused[1] as (typeof refused)[1]];
    expect(running(grid({ slots, refused: one })).strategy?.lastError).toBe(
      "the exchange refuses an order: why 1",
    );
  });

  it.each([
    [
      { unshown: "em1", orphan: "em2" },
      "the exchange accepted order em1 but does not show it, so its data is old; nothing is placed until it does",
    ],
    [
      { orphan: "em2", stranger: "em3" },
      "order em2 on the exchange is not in the database; nothing is placed until edgemaker has recorded it",
    ],
  ])(
    "places nothing while the venue has orders that the grid does not know, and reports it",
    (over, lastError) => {
      const after = running(grid(), [], over);
      expect(after).toMatchObject({ intents: [], strategy: { lastError, phase: "active" } });
      expect(after.strategy?.state.refused.map(({ reason }) => reason)).toEqual(["recovering", "recovering"]);
    },
  );

  it("places beside another party's orders, and names one", () => {
    const after = running(grid(), [], { stranger: "em3" });
    expect(after.intents).toHaveLength(2);
    expect(after.strategy?.lastError).toMatch(
      /^order em3 on the exchange belongs to a strategy that is not in this database/,
    );
  });

  it("is paused while it is halted", () => {
    const after = running(grid({ halted: "it lost" }), resting);
    expect(after.strategy).toMatchObject({
      phase: "paused",
      state: { notices: [{ code: "loss_limit", message: "it lost" }] },
    });
  });

  it("cancels blocking orders, and is not done until they are gone", () => {
    const old = order({ slot: 0, generation: 4 });
    const after = running(grid(), [old]);
    expect(after).toMatchObject({ cancels: [old], intents: [], strategy: { phase: "placing" } });
    expect(after.strategy?.state.refused.map(({ reason }) => reason)).toEqual(["recovering", "recovering"]);
  });
});

describe("the notices that a grid reports", () => {
  const notices = (one = grid(), live = resting, over: object = {}) =>
    running(one, live, over).strategy?.state.notices.map(({ code }) => code);

  it("are empty while all is well, and the state object stays the same", () => {
    expect(notices()).toEqual([]);
    const known = grid({ notices: [{ code: "loss_limit", message: "it lost" }], halted: "it lost" });
    expect(running(known, resting).strategy?.state).toBe(known.state);
  });

  it("name a wide book, or a spacing below the fees", () => {
    expect(
      notices(grid(), resting, {
        observed: observedMarket({ quote: quote({ bid: d("120"), ask: d("140") }) }),
      }),
    ).toEqual(["wide_spread"]);
    const dear = market({ maker: d("0.06"), taker: d("0.06") });
    expect(
      notices(grid(), resting, { observed: observedMarket({ quote: at("130"), market: dear }) }),
    ).toContain("below_break_even");
  });

  it("name the break-even price of its position when no order is open", () => {
    const idle = [{ base: d("1"), cost: d("200"), first: false }];
    const one = grid({ idle, ledger: { ...grid().state.ledger, quote: d("-200") } });
    const killed = { killed: true };
    expect(running(one, [], killed).strategy?.state.notices).toEqual([
      {
        code: "all_below_cost",
        message:
          "no orders, because every sell would be below cost; it breaks even at 200: wait for that price, or let it sell for less with `edgemaker grid edit --allow-loss`",
      },
    ]);
    expect(notices(one, resting, killed)).toEqual([]);
    expect(notices(one, [])).toEqual([]);
    expect(notices(grid(), [], killed)).toEqual([]);
    const other = grid({ ...one.state, notices: [{ code: "all_below_cost", message: "another" }] });
    expect(running(other, [], killed).strategy?.state.notices[0]?.message).toMatch(/ 200: /);
  });
});

describe("a grid that starts", () => {
  const sells = [slot({ side: "sell" }), HIGH];
  const starting = (of: object = {}, over: object = {}) =>
    grid({ slots: sells, laidAt: NOW, ...of }, { phase: "starting", ...over });
  const own = (least: string, isSure = true) => ({ ownBase: { least: d(least), isSure } });

  it("waits for its trigger, from either side", () => {
    const waiting = (startPrice: string) =>
      starting(
        { startPrice: d(startPrice) },
        { status: "idle", config: { ...CONFIG, triggerPrice: d("130") } },
      );
    const begun = (startPrice: string, mid: string) =>
      running(waiting(startPrice), [], { observed: observedMarket({ quote: at(mid) }), ...own("0") }).strategy
        ?.status;
    expect(begun("105", "129")).toBe("idle");
    expect(begun("105", "130")).toBe("running");
    expect(begun("150", "131")).toBe("idle");
    expect(begun("150", "130")).toBe("running");
    expect(running(waiting("105"), [], { observed: observedMarket({ quote: at("129") }) })).toEqual({
      strategy: { ...waiting("105"), status: "idle", phase: "starting" },
    });
  });

  it("starts at its trigger price, with its sides as of that moment", () => {
    const one = starting(
      { startPrice: d("200") },
      { status: "idle", config: { ...CONFIG, triggerPrice: d("115") } },
    );
    const notices = [{ code: "wide_spread", message: "before" }] as const;
    const { strategy: after } = running({ ...one, state: { ...one.state, notices } }, [], {
      observed: observedMarket({ quote: at("105", 77) }),
      ...own("0"),
    });
    expect(after?.state).toMatchObject({ startPrice: d("105"), center: d("105"), laidAt: 77 });
    expect(after?.state.slots.map(({ side }) => side)).toEqual(["buy", "sell"]);
    expect(after?.state.notices).toEqual([]);
  });

  it("stays within its capital limit, including the base it has just acquired", () => {
    // The base of its selling slot is worth 130 at the start price.
    const capital = { whole: d("870"), quote: d("870"), position: d("0"), openBuys: d("0") };
    const placed = (maxPosition: string) =>
      running(
        starting({ startPrice: d("130") }, { config: { ...CONFIG, maxPosition: d(maxPosition) } }),
        [],
        {
          ...own("1"),
          capital,
        },
      ).intents?.map(({ side }) => side);
    expect(placed("0.3")).toEqual(["buy"]);
    expect(placed("0.2")).toEqual([]);
  });

  it("gives its first base to selling slots once the amount is known", () => {
    expect(running(starting(), [], { ownBase: undefined })).toEqual({ short: true });
    const { strategy: after, intents } = running(starting(), [], own("1"));
    expect(after).toMatchObject({ phase: "placing", state: { slots: [{ first: true }, {}] } });
    expect(intents).toMatchObject([{ slot: 1, side: "buy" }]);
    const none = starting({}, { config: { ...CONFIG, useOwnBase: false } });
    expect(running(none, [], own("1", false)).strategy?.state.slots[0]?.first).toBe(false);
  });

  it("waits five minutes for a certain amount, if there can be more", () => {
    const lastError = "it starts when the balances show the open and recent orders of the account";
    expect(running(starting(), [], own("0.1", false))).toEqual({ strategy: { ...starting(), lastError } });
    const late = starting({ laidAt: NOW - 5 * MINUTE });
    expect(running(late, [], own("0.1", false)).strategy?.phase).not.toBe("starting");
    const enough = running(starting(), [], own("1", false));
    expect(enough.strategy?.phase).toBe("placing");
    expect(running(starting({ laidAt: NOW - 5 * MINUTE + 1 }), [], own("0", false)).strategy?.phase).toBe(
      "starting",
    );
  });

  it("waits while the venue can have unknown orders", () => {
    const after = running(starting(), [], { ...own("1"), orphan: "em2" });
    expect(after.strategy).toMatchObject({ phase: "starting", lastError: expect.stringContaining("em2") });
    expect(after.intents).toBeUndefined();
  });
});

describe("a grid that moves", () => {
  const observed = (move: NonNullable<GridState["signal"]>["move"]) => ({
    signal: { move, at: NOW - 5_000 },
  });
  const trailing = { ...CONFIG, trail: { up: d("200"), down: d("50") } };

  it("records a move, and follows it when it is observed again", () => {
    const one = grid({}, { config: trailing });
    const first = running(one, resting).strategy;
    expect(first?.state.signal).toEqual({ move: "trail_up", at: NOW });
    const confirmed = running(grid(observed("trail_up"), { config: trailing }), resting);
    expect(confirmed.strategy?.state).toMatchObject({ signal: null, trail: { way: "up", steps: 0 } });
    expect(confirmed.cancels).toEqual([resting[0]]);
    const moving = grid({ trail: { way: "up", steps: 0 } }, { config: trailing });
    const waiting = running(moving, resting);
    expect(waiting.strategy?.state.trail.way).toBe("up");
    const moved = running(moving, [resting[1] as Order]).strategy?.state;
    expect(moved).toMatchObject({ trail: { way: null, steps: 1 } });
    expect(moved?.slots[0]).toMatchObject({ index: 0, lower: d("120"), upper: d("130") });
  });

  it("follows the market down only if it can pay for it", () => {
    const down = grid(observed("trail_down"), { config: trailing });
    const low = { observed: observedMarket({ quote: at("90") }) };
    expect(running(down, resting, low).strategy?.state.trail.way).toBe("down");
    const poor = running(down, resting, { ...low, funds: { USDT: d("50") } }).strategy;
    expect(poor).toMatchObject({
      lastError: "the grid does not follow the market down: there is no free USDT for another buy",
      state: { trail: { way: null } },
    });
    expect(running(down, resting, { ...low, funds: undefined }).strategy?.state.trail.way).toBe(null);
  });

  it("does not follow while it is halted, in doubt or already changing", () => {
    const signal = (of: object, over: object = {}, config: object = {}) =>
      running(grid(of, { config: { ...trailing, ...config } }), resting, over).strategy?.state.signal;
    expect(signal({ halted: "it lost" })).toBe(null);
    expect(signal({}, { confidence: d("0.4") }, { confidence: d("0.5") })).toBe(null);
    expect(signal({}, { confidence: d("0.5") }, { confidence: d("0.5") })).not.toBe(null);
    expect(signal({}, {}, { confidence: d("0.5") })).not.toBe(null);
    expect(signal({ trail: { way: "up", steps: 0 } })).toBe(null);
  });

  it.each([
    ["stop_loss", { stopLossPrice: d("130") }],
    ["take_profit", { takeProfitPrice: d("130") }],
  ] as const)("exits at its %s price, whatever else applies", (move, prices) => {
    const stopObserved = { move, at: NOW - 5_000 };
    const one = grid({ stopObserved, halted: "it lost" }, { config: { ...CONFIG, ...prices } });
    const after = running(one, resting, { confidence: 0n, judge: judged(gridKind) });
    expect(after.strategy).toMatchObject({
      status: "running",
      phase: "stopping",
      state: {
        exit: { reason: move, tries: 0, reached: { mid: d("130"), price: d("130") }, baseAtStart: 0n },
      },
    });
    expect(after.intents).toBeUndefined();
    expect(after.events).toHaveLength(1);
  });

  const CENTERED = {
    ...CONFIG,
    centered: {
      levels: 1,
      spacing: d("0.1"),
      spacingModel: "linear",
      spacingFactor: d("2"),
      sizeModel: "flat",
      deviation: d("0.05"),
      deviationFrom: "edge",
      debounce: 0,
    },
  };

  it("is rebuilt once its orders are gone", () => {
    const first = running(grid(observed("rebuild"), { config: CENTERED }), resting);
    expect(first).toMatchObject({
      cancels: resting,
      strategy: {
        phase: "rebuilding",
        status: "running",
        state: { rebuild: { generation: 1 }, generation: 0 },
      },
    });
    expect(first.intents).toBeUndefined();
    const used = [{ ...LOW }, HIGH];
    const laid = running(grid({ slots: used, rebuild: { generation: 3 } }, { config: CENTERED }), []);
    expect(laid.strategy?.state).toMatchObject({
      rebuild: null,
      generation: 3,
      center: d("130"),
      laidAt: NOW,
      slots: [
        { lower: d("117"), upper: d("130") },
        { lower: d("130"), upper: d("143") },
      ],
    });
  });

  it("stays where it is if it cannot be rebuilt, and reports why", () => {
    const coarse = { observed: observedMarket({ quote: at("130"), market: market({ tick: d("100") }) }) };
    const after = running(grid(observed("rebuild"), { config: CENTERED }), resting, coarse).strategy;
    expect(after).toMatchObject({
      lastError: "the grid is not rebuilt: two of the new levels fall on one price",
      state: { rebuild: null },
    });
    const small = {
      observed: observedMarket({ quote: at("130"), market: market({ minNotional: d("1000") }) }),
    };
    expect(
      running(grid(observed("rebuild"), { config: CENTERED }), resting, small).strategy?.lastError,
    ).toMatch(/^the grid is not rebuilt: /);
  });

  it("reports in every pass why it cannot be rebuilt", () => {
    const small = (time: number) => ({
      observed: observedMarket({ quote: at("130", time), market: market({ minNotional: d("1000") }) }),
      judge: judged(gridKind),
    });
    const first = running(grid(observed("rebuild"), { config: CENTERED }), resting, small(NOW)).strategy;
    const next = running(first, resting, small(NOW + 5000)).strategy;
    expect(next?.lastError).toMatch(/^the grid is not rebuilt: /);
    expect(next?.state).toEqual(first?.state);
  });

  it("returns to its levels if the market's rules change while its orders are canceled", () => {
    const coarse = { observed: observedMarket({ quote: at("130"), market: market({ tick: d("100") }) }) };
    const canceled = grid({ rebuild: { generation: 1 } }, { config: CENTERED });
    const after = running(canceled, [], coarse);
    expect(after.strategy).toMatchObject({
      phase: "placing",
      state: { rebuild: null, generation: 0, slots: [LOW, HIGH] },
    });
    expect(after.intents).toMatchObject([{ price: d("100") }, { price: d("100") }]);
    expect(after.events).toBeUndefined();
  });

  it("observes its stop price after a rebuild that the market's rules prevented", () => {
    const small = (time: number) => ({
      observed: observedMarket({ quote: at("130", time), market: market({ minNotional: d("1000") }) }),
      judge: judged(gridKind),
    });
    const config = { ...CENTERED, stopLossPrice: d("130") };
    const canceled = grid({ rebuild: { generation: 1 } }, { config });
    const passes = [NOW, NOW + 5000, NOW + 10_000].map(small);
    const after = passes.reduce((one, over) => running(one, [], over).strategy ?? one, canceled);
    expect(after).toMatchObject({ phase: "stopping", state: { exit: { reason: "stop_loss" } } });
  });
});

describe("the buy of missing base", () => {
  const lacking = (of: object = {}) =>
    grid({
      slots: [slot({ side: "sell", lower: d("150"), upper: d("200") })],
      firstBuy: { tries: 0 },
      ...of,
    });
  const wide = { observed: observedMarket({ quote: quote({ bid: d("100"), ask: d("100.01") }) }) };
  const buying = (over: object = {}, one = lacking(), live: readonly Order[] = []) =>
    running(one, live, { ...wide, ...over });

  it("uses the available funds for what the selling slots lack", () => {
    const { intents, strategy: after } = buying();
    expect(intents).toMatchObject([
      { slot: 1000, side: "buy", amount: d("0.5"), price: d("101.02"), timeInForce: "ioc" },
    ]);
    expect(after?.state.firstBuy).toEqual({ tries: 0 });
  });

  it("leaves less of the capital to the slots", () => {
    const slots = [...lacking().state.slots, slot({ index: 1, lower: d("90"), upper: d("95") })];
    const capital = { whole: d("300"), quote: d("300"), position: d("0"), openBuys: d("0") };
    const bought = (maxPosition: string) =>
      running(
        grid({ slots, firstBuy: { tries: 0 } }, { config: { ...CONFIG, maxPosition: d(maxPosition) } }),
        [],
        {
          ...wide,
          capital,
        },
      ).intents?.map((intent) => intent.slot);
    expect(bought("0.6")).toEqual([1000, 1]);
    expect(bought("0.4")).toEqual([1000]);
  });

  it("waits for the buy in flight", () => {
    const under = order({ slot: 1000 });
    expect(buying({}, lacking(), [under]).intents).toEqual([]);
  });

  it.each([
    ["the switch is on", { killed: true }],
    ["the venue may know more", { orphan: "em2" }],
    ["balances are unknown", { funds: undefined }],
    ["there is no room", { limit: 0 }],
    [
      "the market is closed",
      { observed: observedMarket({ ...wide.observed, market: market({ active: false }) }) },
    ],
  ])("waits while %s", (_, over) => {
    const after = buying(over);
    expect(after.intents).toEqual([]);
    expect(after.strategy?.state).toMatchObject({ firstBuy: { tries: 0 } });
  });

  it("ends if it cannot be paid for or is no longer needed", () => {
    const left = (over: object, one = lacking()) =>
      (buying(over, one).strategy as GridStrategy).state.firstBuy;
    expect(left({ funds: { USDT: d("50.5") } })).toBe(null);
    const full = slot({ side: "sell", base: d("1"), cost: d("1"), upper: d("200") });
    expect(left({}, lacking({ slots: [full] }))).toBe(null);
    expect(left({}, lacking({ firstBuy: { tries: 5 } }))).toBe(null);
    expect(left({})).toEqual({ tries: 0 });
  });

  it("does not cross the account's own sells", () => {
    const at_ = (price: string) =>
      buying({
        resting: [
          { side: "sell", price: d("300") },
          { side: "sell", price: d(price) },
          { side: "buy", price: d("1") },
        ],
      });
    expect(at_("100.01")).toMatchObject({
      intents: [],
      strategy: { lastError: "the base is not bought yet: an order of this account sells at the ask" },
    });
    expect(at_("100.02").intents).toMatchObject([{ price: d("100.01") }]);
  });
});
