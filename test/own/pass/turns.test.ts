import { describe, expect, it } from "vitest";
import { text } from "../../../src/kernel/decimal.ts";
import { MINUTE, SECOND } from "../../../src/kernel/time.ts";
import { arrange } from "../../../src/own/pass/run.ts";
import type { OwnStrategy } from "../../../src/own/state.ts";
import { aroundBook, named, ownKindHere, ownStrategyExample, passOver, run } from "../../support/declared.ts";
import { d } from "../../support/grid.ts";
import { ACCOUNT, bounds, NOW, order } from "../../support/made.ts";

const BUY = { id: "a", side: "buy", price: 90, size: 1 } as const;
const BOOK = aroundBook("99.95", "100.05");
const buying = named(() => [BUY]);
const withState = (state: object, over: object = {}) =>
  ownStrategyExample("own", {
    ...over,
    state: { ...ownStrategyExample("own").state, ...state },
  } as Partial<OwnStrategy>);

describe("the sells of a strategy", () => {
  const sell = (id: string, price: number) => ({ id, side: "sell", price, size: 1 }) as const;
  const selling = named(() => [sell("b", 110), sell("a", 111), sell("c", 112)]);
  const ownBases = (live: Parameters<typeof run>[2] = []) => {
    const held = withState({ base: d("3"), first: { base: d("1.5"), price: d("100") }, ids: ["a"] });
    return run(selling, held, live, passOver(BOOK)).intents.map(({ ownBase = 0n }) => text(ownBase));
  };

  it("count what it bought once, so that a limit counts the base of the account", () => {
    expect(ownBases()).toEqual(["1", "0.5", "0"]);
  });

  it("leave it to the sells that are open already", () => {
    const open = order({ side: "sell", price: d("111"), amount: d("1") });
    expect(ownBases([open])).toEqual(["0.5", "0"]);
    expect(ownBases([{ ...open, filled: d("1"), booked: d("1") }])).toEqual(["1", "0.5"]);
  });
});

describe("before a strategy's function is called", () => {
  const starting = ownStrategyExample("own", { phase: "starting" });

  it("waits for the balances that show its base, and then begins", () => {
    const kind = ownKindHere([buying]);
    expect(kind.run(starting, [], passOver(BOOK, { ownBase: undefined }))).toEqual({ short: true });
    const recovering = kind.run(starting, [], passOver(BOOK, { orphan: "x9" }));
    expect(recovering).toMatchObject({
      strategy: { phase: "starting", lastError: expect.stringContaining("x9") },
    });
    expect(recovering.intents).toBeUndefined();
    const begun = run(buying, starting, [], passOver(BOOK, { ownBase: { least: d("3"), isSure: true } }));
    expect([begun.strategy.phase, begun.intents.length]).toEqual(["placing", 1]);
  });

  it("names what was not read: the market, or candles", () => {
    const unread = passOver(BOOK);
    const failed = { ...unread, observed: { ...unread.observed, market: undefined, error: "no answer" } };
    expect(run(buying, starting, [], failed).strategy.lastError).toBe("no answer");
    const candles = named(() => [BUY], { candles: { timeframe: "1h", count: 2 } });
    expect(run(candles, ownStrategyExample("own")).strategy.lastError).toBe(
      "candles of 1h were not read, so the strategy is not called",
    );
  });

  it("leaves the market although its file is missing or its candles were not read", () => {
    const exit = { reason: "stop_loss", tries: 0 } as const;
    const context = passOver(BOOK, { judge: (one) => ({ ...one, state: { ...one.state, exit } }) as never });
    const withCandles = named(() => [BUY], { candles: { timeframe: "1h", count: 2 } });
    for (const definitions of [[], [withCandles], undefined]) {
      const live = [order({ slot: 0 })];
      const { strategy, cancels } = ownKindHere(definitions).run(withState({ ids: ["a"] }), live, context);
      expect([strategy?.phase, cancels]).toEqual(["stopping", live]);
    }
  });

  it("reports a missing file once, and leaves the orders open in a program that loads no files", () => {
    const live = [order({ slot: 0 })];
    const kind = ownKindHere([]);
    const first = kind.run(withState({ ids: ["a"] }), live, passOver(BOOK));
    expect([first.cancels, first.events]).toEqual([
      live,
      [expect.objectContaining({ kind: "error", message: expect.stringContaining("is not loaded") })],
    ]);
    const second = kind.run(first.strategy as OwnStrategy, [], passOver(BOOK));
    expect(second.events).toEqual([]);
    const unloaded = ownKindHere(undefined).run(withState({ ids: ["a"] }), live, passOver(BOOK));
    expect([unloaded.cancels, unloaded.events, unloaded.strategy?.lastError]).toEqual([
      undefined,
      undefined,
      null,
    ]);
  });

  it("cancels its orders when a loss limit has halted it, and shows the reason", () => {
    const context = passOver(BOOK, {
      judge: (one) => ({ ...one, state: { ...one.state, halted: "it lost 5 USDT" } }) as never,
    });
    const live = [order({ slot: 0 })];
    const { strategy, intents, cancels } = run(buying, withState({ ids: ["a"] }), live, context);
    expect([intents, cancels, strategy.phase, strategy.status]).toEqual([[], live, "paused", "running"]);
    expect([strategy.lastError, strategy.state.notices]).toEqual([
      null,
      [{ code: "loss_limit", message: "it lost 5 USDT" }],
    ]);
    const again = run(buying, { ...strategy, state: { ...strategy.state, halted: null } });
    expect(again.events).toMatchObject([{ kind: "recovered", message: "its orders are placed again" }]);
    expect(again.strategy.state.notices).toEqual([]);
  });

  it("cancels its orders when it leaves the market", () => {
    const exit = { reason: "stop_loss", tries: 0 } as const;
    const context = passOver(BOOK, { judge: (one) => ({ ...one, state: { ...one.state, exit } }) as never });
    const live = [order({ slot: 0 })];
    const { strategy, intents, cancels, events } = run(buying, withState({ ids: ["a"] }), live, context);
    expect([strategy.phase, intents, cancels, events.length]).toEqual(["stopping", [], live, 1]);
  });
});

describe("whether an order could be missing", () => {
  const may = (one: OwnStrategy, over: object = {}, definition = buying) =>
    ownKindHere([definition]).mayPlace(one, { ...passOver(BOOK), free: 1, live: [], ...over });
  const lacking = ownStrategyExample("own");

  it.each<[string, boolean, boolean]>([
    ["is missing", may(lacking), true],
    [
      "is open",
      may(withState({ slots: [{ index: 0, retryAt: 0 }], ids: ["a"] }), {
        live: [order({ amount: d("1"), price: d("90") })],
      }),
      false,
    ],
    ["starts", may(ownStrategyExample("own", { phase: "starting" }), passOver(undefined)), true],
    ["has no book", may(lacking, passOver(undefined)), false],
    ["has one side", may(lacking, passOver({ ...BOOK, asks: [] })), false],
    ["is not loaded", may(lacking, {}, { ...buying, name: "other" }), false],
    ["has failed", may(withState({ fault: { message: "boom", resumes: 0 } })), false],
    ["lacks candles", may(lacking, {}, { ...buying, candles: { timeframe: "1h", count: 2 } }), false],
    ["waits", may(withState({ slots: [{ index: 0, retryAt: NOW + SECOND }], ids: ["a"] })), false],
  ])("of a strategy that %s", (_what, answer, expected) => {
    expect(answer).toBe(expected);
  });
});

describe("an order that was refused", () => {
  const refused = [{ slot: 0, reason: "limit_day", detail: "the day is used up" }];
  const limited = (version: number) =>
    withState({
      ids: ["a"],
      refused,
      slots: [{ index: 0, retryAt: 0, limited: { times: 1, until: NOW + MINUTE, version } }],
    });

  it("waits as long as the limits are the same, and is placed under others", () => {
    const context = passOver(BOOK);
    const { version } = context.bounds.standings;
    const waiting = run(buying, limited(version), [], context);
    expect([waiting.intents, waiting.strategy.state.refused]).toEqual([[], refused]);
    expect(run(buying, limited(version + 1), [], context).intents).toHaveLength(1);
  });

  it("shows in the error of its strategy if the exchange rejected it", () => {
    const slots = [{ index: 0, retryAt: NOW + MINUTE }];
    const rejected = [{ slot: 0, reason: "rejected", detail: "too small" }];
    const { strategy } = run(buying, withState({ ids: ["a"], slots, refused: rejected }));
    expect(strategy.lastError).toBe("the exchange refuses an order: too small");
  });
});

describe("a pass that cannot place everything", () => {
  it("shows that the loss limit waits for a narrower spread", () => {
    const limited = { bounds: bounds({ strategyLoss: { USDT: d("10") } }) };
    const { intents, strategy } = run(
      buying,
      ownStrategyExample("own"),
      [],
      passOver(aroundBook("98.9", "101.1"), limited),
    );
    expect([intents.length, strategy.lastError]).toEqual([
      1,
      expect.stringContaining("the limit strategyLoss waits for a narrower spread"),
    ]);
    expect(run(buying, strategy, [], passOver(BOOK, limited)).strategy.lastError).toBe(null);
  });

  it("places what fits, and shows why the rest waits", () => {
    const two = named(() => [BUY, { ...BUY, id: "b" }]);
    const { intents, short, placing, strategy } = run(
      two,
      ownStrategyExample("own"),
      [],
      passOver(BOOK, { limit: 1, slow: "the exchange is slow" }),
    ) as ReturnType<typeof run> & { short: boolean; placing: boolean };
    expect([intents.length, short, placing, strategy.phase, strategy.lastError]).toEqual([
      1,
      true,
      false,
      "placing",
      "the exchange is slow",
    ]);
  });

  it("is placing until its orders are confirmed, and active afterwards", () => {
    const first = run(buying, ownStrategyExample("own"));
    expect([first.strategy.phase, first.placing, first.events]).toEqual(["placing", true, []]);
    const [intent] = first.intents;
    const of = (state: "open" | "unknown") =>
      run(buying, first.strategy, [order({ ...intent, state })]).strategy.phase;
    expect([of("unknown"), of("open")]).toEqual(["placing", "active"]);
  });

  it("is active without an order to place, and shows no slowness then", () => {
    const first = run(buying, ownStrategyExample("own"));
    const live = first.intents.map((intent) => order({ ...intent, state: "open" }));
    const quiet = run(buying, first.strategy, live, passOver(BOOK, { slow: "the exchange is slow" }));
    expect([quiet.strategy.phase, quiet.placing, quiet.short, quiet.strategy.lastError]).toEqual([
      "active",
      false,
      false,
      null,
    ]);
  });

  it("is placing while an order that is no longer declared is canceled", () => {
    const live = [order({ slot: 0, price: d("80") })];
    const moved = run(buying, withState({ slots: [{ index: 0, retryAt: 0 }], ids: ["a"] }), live);
    expect([moved.cancels, moved.intents, moved.strategy.phase, moved.placing]).toEqual([
      live,
      [],
      "placing",
      false,
    ]);
    const other = named(() => [{ ...BUY, id: "b" }]);
    const both = run(other, withState({ slots: [{ index: 0, retryAt: 0 }], ids: ["a"] }), live);
    expect([both.cancels.length, both.intents.length, both.placing]).toEqual([1, 1, false]);
  });

  it("shares its funds between its orders, and leaves the rest to other strategies", () => {
    const two = named(() => [
      { ...BUY, size: 6 },
      { ...BUY, id: "b", size: 6 },
      { id: "c", side: "sell", price: 110, size: 2 },
    ]);
    const result = run(two, ownStrategyExample("own"));
    // Of 1,000 USDT, the first takes 540.54 with the fee of 0.1 %. One costs 90.09, so the rest pays for 5.10001.
    expect(result.intents.map(({ amount }) => text(amount))).toEqual(["6", "5.1", "2"]);
    // The account has 10,000 USDT and 100 BTC. The second takes 459.459 USDT, and the third 2 BTC.
    expect(result.funds).toEqual({ USDT: d("9000.001"), BTC: d("98") });
    expect(
      run(two, ownStrategyExample("own"), [], passOver(BOOK, { funds: undefined })).funds,
    ).toBeUndefined();
  });

  it("records the terms of its orders", () => {
    const { intents, priced } = run(buying, ownStrategyExample("own"));
    expect(intents).toMatchObject([
      {
        account: ACCOUNT,
        strategy: "g",
        kind: "slot",
        generation: 0,
        slot: 0,
        symbol: "BTC/USDT",
        side: "buy",
        type: "limit",
        price: d("90"),
        amount: d("1"),
        timeInForce: "post_only",
        createdAt: NOW,
        sendBy: NOW + 35_000,
        notAfter: NOW + 51_000,
        state: "pending",
      },
    ]);
    expect(priced).toEqual({ bid: d("99.95"), ask: d("100.05"), at: NOW });
  });
});

describe("slots of declared orders", () => {
  const how = { tolerance: { price: d("0.001"), amount: d("0.5") }, now: NOW, version: 1 };
  const wish = (id: string, over: object = {}) => ({
    id,
    side: "buy" as const,
    price: d("100"),
    amount: d("2"),
    ...over,
  });
  const slots = [0, 1].map((index) => ({ index, retryAt: 0 }));

  it("keep their ids; a new id gets the first free slot, or a new one", () => {
    const live = [order({ slot: 0 })];
    const next = arrange({ slots, ids: ["a", "b"] }, [wish("b"), wish("c"), wish("d")], live, how);
    expect(next.ids).toEqual(["a", "b", "c", "d"]);
    expect(next.slots.map(({ index, retryAt }) => [index, retryAt])).toEqual([0, 1, 2, 3].map((i) => [i, 0]));
    expect(next.lacking.map(({ wish: { id }, slot }) => [id, slot.index])).toEqual([
      ["b", 1],
      ["c", 2],
      ["d", 3],
    ]);
    expect(next.misplaced).toEqual(live);
    expect(arrange({ slots, ids: ["a", "b"] }, [wish("c")], [], how).ids).toEqual(["c", "b"]);
    const beside = arrange({ slots: [], ids: [] }, [wish("c")], [order({ slot: 1 })], how);
    expect([beside.ids, beside.slots.length]).toStrictEqual([["c"], 1]);
    const after = arrange({ slots: [], ids: [] }, [wish("c")], live, how);
    expect([after.ids, after.slots.map(({ index }) => index)]).toStrictEqual([
      ["", "c"],
      [0, 1],
    ]);
  });

  it("keep an order within the tolerance, also one that is filled in part", () => {
    const of = (over: object) =>
      arrange({ slots, ids: ["a", "b"] }, [wish("a")], [order({ slot: 0, ...over })], how);
    const kept = (over: object) => [of(over).misplaced.length, of(over).lacking.length];
    expect([kept({}), kept({ price: d("100.1") }), kept({ filled: d("1") })]).toEqual([
      [0, 0],
      [0, 0],
      [0, 0],
    ]);
    expect([kept({ price: d("100.11") }), kept({ filled: d("1.001") })]).toEqual([
      [1, 0],
      [1, 0],
    ]);
    expect(kept({ state: "filled", filled: d("2") })).toEqual([0, 0]);
  });
});
