import { describe, expect, it } from "vitest";
import * as z from "zod";
import { exitsOnLoss, exposureOf, exposureText, type TradingPlan } from "../../src/limits/allowed.ts";
import { type KnownExposure, TRADES_NOTHING } from "../../src/model/proposal.ts";
import { type Operation, operation } from "../../src/operation.ts";
import { d } from "../support/grid.ts";

const plan = (over: Partial<TradingPlan> = {}): TradingPlan => ({
  symbol: "BTC/USDT",
  mid: d("100"),
  parts: [
    { base: d("2"), quote: d("0") },
    { base: d("0"), quote: d("30") },
  ],
  exits: false,
  ...over,
});

describe("an exposure", () => {
  it("counts base at the mid plus quote, and names the largest part", () => {
    expect(exposureOf(plan())).toEqual({
      trades: "known",
      symbol: "BTC/USDT",
      base: d("2"),
      quote: d("30"),
      exits: 0n,
      counted: d("230"),
      largest: d("200"),
    });
  });

  it("counts what it buys twice where its own exit can sell it again", () => {
    expect(exposureOf(plan({ exits: true }))).toMatchObject({ exits: d("30"), counted: d("260") });
  });

  it("counts a part at no less than its minimum", () => {
    const parts = [{ base: d("1"), quote: d("0"), least: d("150") }];
    expect(exposureOf(plan({ parts }))).toMatchObject({ counted: d("150") });
  });

  it("counts open bids as filled or as canceled and replaced, whichever is more", () => {
    const bids = (quote: string) => [{ base: 0n, quote: d("30"), bids: { base: d("2"), quote: d(quote) } }];
    expect(exposureOf(plan({ parts: bids("190") }))).toMatchObject({ base: d("2"), counted: d("230") });
    expect(exposureOf(plan({ parts: bids("210") }))).toMatchObject({ counted: d("240") });
    expect(exposureOf(plan({ parts: bids("190"), exits: true }))).toMatchObject({
      counted: d("440"),
      largest: d("230"),
    });
  });

  it("rounds the value of base up", () => {
    const parts = [{ base: 1n, quote: 0n }];
    expect(exposureOf(plan({ parts, mid: d("0.5") }))).toMatchObject({ counted: 1n });
  });

  it("is unknown without a price", () => {
    for (const mid of [undefined, 0n])
      expect(exposureOf(plan({ mid }))).toEqual({
        trades: "unknown",
        why: "the price of its market could not be read",
      });
  });

  it("is unknown for an unbounded plan", () => {
    expect(exposureOf(plan({ parts: undefined }))).toMatchObject({ trades: "unknown" });
  });

  it.each([
    ["sell 2 BTC, buy for 30 USDT", {}],
    ["sell 2 BTC, buy for 30 USDT, sell again what it buys", { exits: true }],
    ["trade nothing", { parts: [] }],
    ["sell 1 BTC: all of it", { parts: [{ base: d("1"), quote: 0n }], note: "all of it" }],
  ])("reads as a list of its parts: %s", (text, over) => {
    expect(exposureText(exposureOf(plan(over)) as KnownExposure)).toBe(text);
  });

  it("includes a loss-limit exit only where the loss limit stops the strategy", () => {
    const loss = { USDT: d("5") };
    expect(exitsOnLoss({ onLoss: "stop", strategyLoss: loss }, "USDT")).toBe(true);
    expect(exitsOnLoss({ onLoss: "stop", accountLoss: loss }, "USDT")).toBe(true);
    expect(exitsOnLoss({ onLoss: "pause", strategyLoss: loss }, "USDT")).toBe(false);
    expect(exitsOnLoss({ onLoss: "stop", strategyLoss: loss }, "EUR")).toBe(false);
    expect(exitsOnLoss({}, "USDT")).toBe(false);
  });
});

describe("an operation that trades", () => {
  const surface = {
    name: "trade_something",
    summary: "Trades something",
    effect: "trade",
    access: "token",
    http: { route: "POST /something", from: "body" },
    failure: "Internal error",
    input: () => z.object({}),
    output: () => z.object({ done: z.boolean() }),
  } as const;
  const preview = async () => ({ what: "", cost: "", worstCase: "", limits: [] });
  const act = async () => ({ done: true });

  // Each of these is checked by the compiler: an error that does not occur is an error.
  it("cannot be registered without its exposure", () => {
    const withExposure = operation({
      ...surface,
      prepare: async () => ({ preview, act, strategies: [], exposure: TRADES_NOTHING }),
    });
    const without = operation({
      ...surface,
      // @ts-expect-error exposure is missing
      prepare: async () => ({ preview, act, strategies: [] }),
    });
    const undefinedOne = operation({
      ...surface,
      // @ts-expect-error an exposure is never undefined
      prepare: async () => ({ preview, act, strategies: [], exposure: undefined }),
    });
    // @ts-expect-error what trades is prepared, and has no run of its own
    const withRun = operation({ ...surface, run: act });
    const { effect: _, ...rest } = surface;
    // @ts-expect-error nor is it one by hand
    const byHand: Operation = {
      ...rest,
      effect: "trade",
      input: z.object({}),
      output: z.object({}),
      run: act,
    };
    expect([withExposure, without, undefinedOne, withRun, byHand].map(({ effect }) => effect)).toEqual(
      Array(5).fill("trade"),
    );
  });
});
