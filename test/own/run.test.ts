import { describe, expect, it } from "vitest";
import { text } from "../../src/kernel/decimal.ts";
import type { Draft, Order } from "../../src/model/order.ts";
import { defineStrategy } from "../../src/own/define.ts";
import type { OwnStrategy } from "../../src/own/state.ts";
import type { AnyStrategyDefinition, StrategyInput } from "../../src/ports/definition.ts";
import {
  aroundBook,
  bookLevel,
  MARKET,
  named,
  ownKindHere,
  ownStrategyExample,
  passOver,
  run,
} from "../support/declared.ts";
import { d } from "../support/grid.ts";
import { fill, idOf, observedMarket } from "../support/made.ts";
import { twoSided } from "./deeds.ts";

const shown = ({ intents }: { readonly intents: readonly Draft[] }) =>
  intents.map(({ side, price, amount }) => `${side} ${text(amount)} at ${text(price)}`);
const resting = (drafts: readonly Draft[]): Order[] =>
  drafts.map((draft, i) => ({
    ...draft,
    clientId: idOf({ serial: i, slot: draft.slot }),
    state: "open",
    exchangeId: String(i),
  }));

describe("a pass over a declared strategy", () => {
  it("places the orders that its function returns by the market's rules, each in a separate slot", () => {
    const first = run(twoSided, ownStrategyExample("two-sided"));
    expect(shown(first)).toEqual(["buy 1.001 at 99.9", "sell 0.999 at 100.1"]);
    expect(first.intents.map(({ slot }) => slot)).toEqual([0, 1]);
    expect(first.strategy.state.ids).toEqual(["bid", "ask"]);
    expect(first.intents.every(({ timeInForce }) => timeInForce === "post_only")).toBe(true);
  });

  it("sends an order that can take as a normal limit order, and the others as post-only", () => {
    const own = named(() => [
      { id: "hedge", side: "sell", price: 99, size: 1, mayTake: true },
      { id: "far", side: "sell", price: 110, size: 1 },
      { id: "crossing", side: "sell", price: 99, size: 1 },
    ]);
    const { intents, strategy } = run(own, ownStrategyExample("own"));
    expect(intents.map(({ slot, timeInForce }) => `${slot} ${timeInForce}`)).toEqual([
      "0 gtc",
      "1 post_only",
    ]);
    expect(strategy.state.refused).toMatchObject([{ slot: 2, reason: "would_take" }]);
  });

  it.each(["filled", "partially_filled", "canceled"] as const)(
    "spends no budget twice while a bid that is %s is not booked",
    (state) => {
      const bids = (count: number) =>
        named(() =>
          Array.from({ length: count }, (_, i) => ({ id: `${i}`, side: "buy", price: 90 - i, size: 1 })),
        );
      const budgeted = ownStrategyExample("own");
      const one = {
        ...budgeted,
        config: { ...budgeted.config, budget: { base: d("5"), quote: d("100") } },
      } as OwnStrategy;
      const first = run(bids(1), one);
      const live = resting(first.intents).map((order): Order => ({ ...order, state, filled: d("1") }));
      const { intents, strategy } = run(bids(2), first.strategy, live);
      expect(intents).toEqual([]);
      expect(strategy.state.refused).toMatchObject([{ slot: 1, reason: "no_quote" }]);
    },
  );

  it("leaves an order within the tolerance untouched, and writes nothing", () => {
    const first = run(twoSided, ownStrategyExample("two-sided"));
    const live = resting(first.intents);
    const quiet = run(
      twoSided,
      first.strategy,
      live,
      passOver(aroundBook("99.96", "100.06"), { funds: undefined }),
    );
    expect([quiet.cancels, quiet.intents]).toEqual([[], []]);
    expect(quiet.strategy.state).toBe(first.strategy.state);
  });

  it("replaces a drifted order only after the old one has ended", () => {
    const first = run(twoSided, ownStrategyExample("two-sided"));
    const live = resting(first.intents);
    const drifted = run(twoSided, first.strategy, live, passOver(aroundBook("100.95", "101.05")));
    expect([drifted.cancels.length, drifted.intents.length]).toEqual([2, 0]);
    const moved = run(twoSided, drifted.strategy, [], passOver(aroundBook("100.95", "101.05")));
    expect(shown(moved)).toEqual(["buy 0.991 at 100.89", "sell 0.989 at 101.11"]);
    expect(moved.intents.map(({ slot }) => slot)).toEqual([0, 1]);
  });

  it("passes fills once, with the ids of their orders, and stores the returned state", () => {
    const calls: StrategyInput[] = [];
    const own = named((view) => {
      calls.push(view);
      const count = ((view.state as number | undefined) ?? 0) + view.fills.length;
      return { orders: [{ id: `n${count}`, side: "buy", price: 99, size: 1 }], state: count };
    });
    const kind = ownKindHere([own]);
    const first = run(own, ownStrategyExample("own"));
    const booked = kind.bookFill(first.strategy.state, "BTC/USDT", fill({ amount: d("1") }), 0);
    const next = run(own, { ...first.strategy, state: booked });
    const last = run(own, next.strategy);
    expect(calls.map(({ fills }) => fills.map(({ id, amount }) => `${id} ${amount}`))).toEqual([
      [],
      ["n0 1"],
      [],
    ]);
    expect(calls.map(({ state }) => state)).toEqual([undefined, 0, 1]);
    expect(calls[1]?.position.base.toString()).toBe("6");
    expect(last.strategy.state.ids).toEqual(["n1"]);
  });

  it("excludes the strategy's own orders from the book", () => {
    const observed: string[] = [];
    const own = named(({ quote }) => {
      observed.push(`${quote.bid} ${quote.ask} ${quote.mid}`);
      return [];
    });
    const book = {
      ...aroundBook("99", "101"),
      bids: [{ price: d("99.5"), amount: d("1") }, bookLevel("99")],
    };
    const open = [{ side: "buy", price: d("99.5"), amount: d("1"), filled: 0n }];
    run(own, ownStrategyExample("own"), [], {
      ...passOver(book),
      observed: observedMarket({ market: MARKET, book, open } as never),
    });
    expect(observed).toEqual(["99 101 100"]);
  });

  it.each([
    ["no book", undefined],
    ["one side alone", { ...aroundBook("99", "101"), asks: [] }],
  ])("skips the call with %s and leaves open orders untouched", (_what, book) => {
    const first = run(twoSided, ownStrategyExample("two-sided"));
    const blind = run(twoSided, first.strategy, resting(first.intents), passOver(book));
    expect([blind.cancels, blind.strategy.state]).toEqual([[], first.strategy.state]);
    expect(blind.strategy.lastError).not.toBeNull();
  });

  it.each([
    ["below_minimum", { id: "a", side: "buy", price: 90, quoteSize: 1 }],
    ["would_take", { id: "a", side: "buy", price: 101, size: 1 }],
    ["no_quote", { id: "a", side: "buy", price: 90, size: 1000 }],
    ["inventory_missing", { id: "a", side: "sell", price: 110, size: 1000 }],
  ])("reports a refused order: %s", (reason, order) => {
    const refused = run(
      named(() => [order]),
      ownStrategyExample("own"),
    );
    expect(refused.intents).toEqual([]);
    expect(refused.strategy.state.refused).toMatchObject([{ slot: 0, reason }]);
  });

  it("keeps what was refused, and reports a lack of calls, if balances were not read", () => {
    const book = aroundBook("99.95", "100.05");
    const refused = [{ slot: 1, reason: "no_quote" as const, detail: "too little" }];
    const { state } = ownStrategyExample("two-sided");
    const one = ownStrategyExample("two-sided", { state: { ...state, refused } });
    const unread = run(twoSided, one, [], passOver(book, { funds: undefined }));
    expect(unread.strategy.state.refused).toEqual(refused);
    expect([unread.intents, unread.short, unread.strategy.phase]).toEqual([[], true, "placing"]);
    const killed = run(twoSided, one, [], passOver(book, { funds: undefined, killed: true }));
    expect([killed.intents, killed.short, killed.strategy.phase]).toEqual([[], false, "active"]);
  });

  it("reports an order refused by the kill switch or the account's own orders", () => {
    const book = aroundBook("99.95", "100.05");
    const killed = run(twoSided, ownStrategyExample("two-sided"), [], passOver(book, { killed: true }));
    expect(killed.strategy.state.refused.map(({ reason }) => reason)).toEqual(["killed", "killed"]);
    const own = passOver(book, { resting: [{ side: "sell", price: d("99"), id: "1" }] });
    const crossed = run(twoSided, ownStrategyExample("two-sided"), [], own);
    expect(crossed.strategy.state.refused.map(({ reason }) => reason)).toEqual(["would_self_cross"]);
    expect(crossed.intents).toHaveLength(1);
  });
});

const order = { id: "a", side: "buy", price: 90, size: 1 };

describe("a failing strategy function", () => {
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  it.each<[string, (view: StrategyInput) => unknown]>([
    ["boom", () => { throw new Error("boom"); }], // biome-ignore format: one case a line
    ["price is not a number: NaN", () => [{ ...order, price: Number.NaN }]],
    ["size is not a number: Infinity", () => [{ ...order, size: Number.POSITIVE_INFINITY }]],
    ["price is not a number: undefined", () => [{ ...order, price: undefined }]],
    ["price is not above zero", () => [{ ...order, price: 0 }]],
    ["price is not above zero", () => [{ ...order, price: "-1" }]],
    ["either size or quoteSize", () => [{ ...order, quoteSize: 1 }]],
    ["size is below zero", () => [{ ...order, size: -1 }]],
    ["side is neither", () => [{ ...order, side: "hold" }]],
    ["id is not a text", () => [{ ...order, id: 7 }]],
    ["the same id", () => [order, order]],
    ["10000 orders", () => Array.from({ length: 10_000 }, (_, i) => ({ ...order, id: `${i}` }))],
    ["neither orders nor", () => undefined],
    ["neither orders nor", () => 3],
    ["asynchronous", () => Promise.reject(new Error("late"))],
    ["the maximum", () => ({ orders: [order], state: "x".repeat(10_000_000) })],
    ["circular", () => ({ orders: [order], state: cyclic })],
  ])("pauses only its strategy, cancels its orders and reports the reason: %s", (why, orders) => {
    const first = run(named(() => [order]), ownStrategyExample("own")); // biome-ignore format: short
    const live = resting(first.intents);
    const kind = ownKindHere([named(orders)]);
    const failed = run(named(orders), first.strategy, live);
    expect(failed.strategy).toMatchObject({ status: "running", phase: "paused" });
    expect(failed.strategy.lastError).toContain(why);
    expect(failed.cancels).toEqual(live);
    expect(failed.events).toMatchObject([{ kind: "error" }]);
    const observed = { ...passOver(aroundBook("99.95", "100.05")), free: 1, live: [] };
    expect(kind.mayPlace(first.strategy, observed)).toBe(false);
  });

  it("is not called again until the user resumes it, which is reported", () => {
    let calls = 0;
    const own = named(() => {
      calls++;
      if (calls === 1) throw new Error("boom");
      return [order];
    });
    const failed = run(own, ownStrategyExample("own"));
    const waits = run(own, failed.strategy);
    expect([calls, waits.intents, waits.events]).toEqual([1, [], []]);
    expect(waits.strategy.state).toBe(failed.strategy.state);
    const resumed = run(own, { ...waits.strategy, resumes: 1 });
    expect(resumed.intents).toHaveLength(1);
    expect(resumed.events).toMatchObject([{ kind: "recovered" }]);
    expect(resumed.strategy.state.fault).toBeNull();
  });
});

describe("a stored strategy and its loaded definition", () => {
  const kept = ownStrategyExample("own", {
    state: { ...ownStrategyExample("own").state, memory: { json: "7", version: 1 } },
  } as Partial<OwnStrategy>);

  it.each<[string, AnyStrategyDefinition]>([
    ["is not loaded", twoSided],
    ["without an upgrade", named(() => [order], { version: 2 })],
  ])("pauses when it %s, and continues once that is fixed", (why, definition) => {
    const gone = run(
      definition,
      kept,
      resting(
        run(
          named(() => [order]),
          kept,
        ).intents,
      ),
    );
    expect(gone.strategy).toMatchObject({ phase: "paused", status: "running" });
    expect(gone.strategy.lastError).toContain(why);
    expect(gone.cancels).toHaveLength(1);
    expect(
      run(
        named(() => [order]),
        gone.strategy,
      ).intents,
    ).toHaveLength(1);
  });

  it("upgrades the state from an older version", () => {
    const observed: unknown[] = [];
    const upgrade = (state: unknown, version: number) => `${state} of ${version}`;
    const own = named(
      ({ state }) => {
        observed.push(state);
        return { orders: [], state };
      },
      { version: 2, upgrade },
    );
    const after = run(own, kept).strategy;
    expect(run(own, after).strategy.state).toBe(after.state);
    expect(observed).toEqual(["7 of 1", "7 of 1"]);
  });

  it("never runs with an older definition than it was started with", () => {
    const newer = ownStrategyExample("own", { version: 3 });
    expect(
      run(
        named(() => [order]),
        newer,
      ).strategy.lastError,
    ).toContain("started with version 3");
  });
});

it.each([
  ["a name", { name: "Two Sided" }, 'name "Two Sided": use a-z, 0-9 and -, at most 31 characters'],
  [
    "the built-in name grid",
    { name: "grid" },
    'name "grid": it is the name of a built-in strategy; choose another one',
  ],
  [
    "the built-in name quote",
    { name: "quote" },
    'name "quote": it is the name of a built-in strategy; choose another one',
  ],
  [
    "the built-in name declared",
    { name: "declared" },
    'name "declared": it is the name of a built-in strategy; choose another one',
  ],
  [
    "the built-in name strategy",
    { name: "strategy" },
    'name "strategy": it is the name of a built-in strategy; choose another one',
  ],
  ["a config", { config: {} }, "two-sided: config is not a schema"],
  ["any config", { config: undefined }, "two-sided: config is not a schema"],
  ["orders", { orders: [] }, "two-sided: orders is not a function"],
  ["a version", { version: 0 }, "two-sided: version must be a whole number, at least 1"],
  ["a whole version", { version: 1.5 }, "two-sided: version must be a whole number, at least 1"],
])("defineStrategy rejects a definition without %s", (_what, over, message) => {
  expect(() => defineStrategy({ ...twoSided, ...over } as never)).toThrow(new TypeError(message));
});
