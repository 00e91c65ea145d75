import { describe, expect, it } from "vitest";
import example from "../../examples/two-sided.ts";
import { withFirstBase } from "../../src/engine/position/position.ts";
import { text } from "../../src/kernel/decimal.ts";
import type { Draft, Order } from "../../src/model/order.ts";
import type { Strategy } from "../../src/model/strategy.ts";
import type { StrategyContext } from "../../src/ports/kind.ts";
import { quoteKind } from "../../src/quote/kind.ts";
import { newQuoteState } from "../../src/quote/state.ts";
import { configOf } from "../quote/deeds.ts";
import {
  type AnyKindHere,
  aroundBook,
  ownKindHere,
  ownStrategyExample,
  passOver,
} from "../support/declared.ts";
import { d } from "../support/grid.ts";
import { idOf, NOW, strategy } from "../support/made.ts";

const quoteConfig = {
  ...configOf(0),
  rules: { ...configOf(0).rules, strength: 0n },
  tolerance: { price: d("0.001"), amount: d("0.5") },
};
const quotes = {
  ...strategy({ phase: "active", status: "running" }),
  kind: "quote",
  config: quoteConfig,
  state: { ...withFirstBase(newQuoteState(4, d("100")), d("5")), epoch: 1 },
} as unknown as Strategy;
/** The example with the spread and tolerance of these quotes. */
const definition = { ...example, tolerance: { price: 0.001, amount: 0.5 } };
const declared = ownStrategyExample("two-sided", { options: { spreadPercent: 0.4, size: 100 } });

const KINDS = [
  ["the built-in quotes", quoteKind as unknown as AnyKindHere, quotes],
  ["the two-sided example", ownKindHere([definition]) as unknown as AnyKindHere, declared as Strategy],
] as const;

const pass = (bid: string, ask: string, over: Partial<StrategyContext> = {}): StrategyContext => {
  const context = passOver(aroundBook(bid, ask), over);
  const elsewhere = { prices: [], requestedAt: NOW, bookAt: NOW };
  return { ...context, observed: { ...context.observed, elsewhere, ...over.observed } };
};

let serial = 0;
/** As the exchange would show them a moment later. */
const opened = (drafts: readonly Draft[] = []): Order[] =>
  drafts.map((draft) => {
    serial++;
    return { ...draft, clientId: idOf({ serial }), state: "open", exchangeId: String(serial) };
  });

const pricesOf = (orders: readonly Pick<Order, "side" | "price">[] = []) =>
  orders.map(({ side, price }) => `${side} ${text(price)}`).sort();

describe.each(KINDS)("%s", (_name, kind, one) => {
  const begun = () => {
    const placed = kind.run(one, [], pass("99", "101"));
    return { placed, live: opened(placed.intents), after: placed.strategy ?? one };
  };

  it("places one order on each side of the price, and none of them may take", () => {
    const { placed } = begun();
    expect(pricesOf(placed.intents)).toEqual(["buy 99.8", "sell 100.2"]);
    expect(placed.intents?.every(({ timeInForce }) => timeInForce === "post_only")).toBe(true);
    expect(new Set(placed.intents?.map(({ slot }) => slot)).size).toBe(2);
  });

  it("leaves orders within the tolerance: it reads no balances and writes nothing", () => {
    const { after, live } = begun();
    const context = pass("99.02", "101", { funds: undefined });
    const quiet = kind.run(after, live, context);
    expect([quiet.cancels, quiet.intents]).toEqual([[], []]);
    expect(quiet.strategy?.state).toBe(after.state);
    const seen = { observed: context.observed, now: NOW, interval: 1, isSimulated: false, free: 0, live };
    expect(kind.mayPlace(after, seen)).toBe(false);
  });

  it("moves orders that have drifted, and comes to rest at the new prices", () => {
    const { after, live } = begun();
    let [now, open] = [after, live];
    for (let passes = 0; passes < 4; passes++) {
      const moved = kind.run(now, open, pass("100", "102"));
      const canceled = new Set(moved.cancels?.map(({ clientId }) => clientId));
      open = [...open.filter(({ clientId }) => !canceled.has(clientId)), ...opened(moved.intents)];
      now = moved.strategy ?? now;
    }
    expect(pricesOf(open)).toEqual(["buy 100.79", "sell 101.21"]);
  });

  it("leaves its orders when the book cannot be read for a moment", () => {
    const { after, live } = begun();
    const { observed } = pass("99", "101");
    const unread = {
      ...pass("99", "101"),
      observed: { ...observed, book: undefined, quote: undefined, error: "no answer" },
    };
    expect(kind.run(after, live, unread)).toEqual({ strategy: { ...after, lastError: "no answer" } });
  });

  it("places nothing that would meet another order of the account", () => {
    const resting = [{ side: "sell" as const, price: d("99"), id: "1" }];
    const { intents, strategy: after } = kind.run(one, [], pass("99", "101", { resting }));
    expect(pricesOf(intents)).toEqual(["sell 100.2"]);
    expect(after?.state.refused).toMatchObject([{ reason: "would_self_cross" }]);
  });

  it("places nothing while the kill switch is on, and cancels nothing", () => {
    const { after, live } = begun();
    const killed = kind.run(after, live.slice(0, 1), pass("99", "101", { killed: true }));
    expect([killed.intents, killed.cancels]).toEqual([[], []]);
  });
});
