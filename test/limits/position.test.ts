import { describe, expect, it } from "vitest";
import { VenueError } from "../../src/kernel/errors.ts";
import { exposureOf } from "../../src/limits/allowed.ts";
import {
  readPauseExposure,
  readPositionExposure,
  readSaleExposure,
  readStandings,
  readUnbookedBuys,
} from "../../src/limits/operations/exposed-reads.ts";
import { holdToToken, readExposure } from "../../src/limits/operations/exposures.ts";
import { type Positioned, positionExposure } from "../../src/limits/position.ts";
import { parseAccountKey } from "../../src/model/account.ts";
import type { Limits, LimitsRequest } from "../../src/model/limits.ts";
import { NO_EXPOSURE } from "../../src/model/proposal.ts";
import type { Kind } from "../../src/ports/kind.ts";
import { quoteKind } from "../../src/quote/kind.ts";
import { d } from "../support/grid.ts";
import { ACCOUNT, NOW, order, strategy } from "../support/made.ts";

/** A position of 3 base with a budget of 5 base and 1,000 quote, of which it has spent 200. */
const position = (over: object = {}): Positioned =>
  strategy({
    account: ACCOUNT,
    config: { budget: { base: d("5"), quote: d("1000") } } as never,
    state: { base: d("3"), first: { base: d("1") }, ledger: { quote: d("-200") } } as never,
    ...over,
  }) as unknown as Positioned;

const KIND = quoteKind as unknown as Kind;

/** An open buy of 2 at 100 that is booked to a quarter: 150 quote can still buy 1.5 base. */
const bid = order({ booked: d("0.5") });

const deps = (limits: Limits = {}, isReached = true) => ({
  store: {
    readLimits: async () =>
      ({ now: NOW, stored: { version: 1, set: {} }, uses: [], openOrders: null }) as never,
    unsettledOrders: async () => [bid, order({ side: "sell" }), order({ strategy: "other" })],
  },
  limits,
  venueOf: () =>
    isReached
      ? {
          ticker: async () => ({ bid: d("99"), ask: d("101"), at: 1 }) as never,
          openOrders: async () => [{ id: "x1", filled: d("0.5") }],
        }
      : undefined,
});

describe("a position", () => {
  const market = { mid: d("100"), buys: [bid], exitsOnLoss: false };

  it("can sell its base and spend the rest of its budget, beside its open bids", () => {
    // Sells 3 and the 1.5 that bids buy; 1000 - 200 - 150 of quote are left.
    expect(positionExposure(position(), market)).toMatchObject({
      trades: "known",
      base: d("4.5"),
      quote: d("650"),
      exits: 0n,
      counted: d("1100"),
      largest: d("650"),
    });
  });

  it("counts base that it has not taken over yet only while it starts", () => {
    const base = (phase: string) => positionExposure(position({ phase }), { ...market, buys: [] });
    expect(base("starting")).toMatchObject({ base: d("7") });
    expect(base("active")).toMatchObject({ base: d("3") });
  });

  it("counts what it buys twice if a loss limit sells it, and its largest order as given", () => {
    const exposure = positionExposure(position(), { ...market, exitsOnLoss: true, largest: d("50") });
    // 300 of base, 650 of quote bought and sold again, 150 of bids bought and sold again.
    expect(exposure).toMatchObject({ exits: d("650"), counted: d("1900"), largest: d("50") });
  });

  it("never counts a negative amount", () => {
    const short = { base: d("-1"), first: { base: d("9") }, ledger: { quote: d("-2000") } };
    expect(
      positionExposure(position({ state: short, phase: "starting" }), { ...market, buys: [] }),
    ).toMatchObject({
      base: 0n,
      quote: 0n,
      counted: 0n,
    });
  });
});

describe("what is read of a position", () => {
  it("is its base with all that its own open buys can add, for a sale", async () => {
    expect(await readSaleExposure(deps(), KIND, position())).toMatchObject({
      base: d("4.5"),
      quote: 0n,
      counted: d("450"),
    });
    expect(await readSaleExposure(deps(), KIND, position({ status: "stopped" }))).toBe(NO_EXPOSURE);
  });

  it("is nothing for a pause, unless a loss limit would have sold its base", async () => {
    expect(await readPauseExposure(deps(), KIND, position())).toBe(NO_EXPOSURE);
    const limits = { onLoss: "stop", strategyLoss: { USDT: d("5") } } as const;
    expect(await readPauseExposure(deps(limits), KIND, position())).toMatchObject({ base: d("4.5") });
  });

  it("is its whole budget while it runs, without the booked part of its bids", async () => {
    const exposure = await readPositionExposure(deps(), position());
    expect(exposure).toMatchObject({ base: d("3"), quote: d("800"), exits: 0n });
    expect(await readPositionExposure(deps(), position(), { largest: d("7") })).toMatchObject({
      largest: d("7"),
    });
  });

  it("counts every open buy as filled if the exchange cannot be reached, and asks nothing without a buy", async () => {
    const [own] = await readUnbookedBuys(deps({}, false), position());
    expect(own).toMatchObject({ amount: bid.amount });
    let requests = 0;
    const openOrders = async () => {
      requests++;
      return [];
    };
    const none = { ...deps().store, unsettledOrders: async () => [order({ side: "sell" })] };
    const venueOf = () => ({ ticker: async () => expect.unreachable(), openOrders });
    expect(await readUnbookedBuys({ store: none, venueOf }, position())).toEqual([]);
    expect(requests).toBe(0);
  });

  it("counts open orders only if a setting limits them", async () => {
    const counts: unknown[] = [];
    const readLimits = async ({ countsOpen }: LimitsRequest) => {
      counts.push(countsOpen);
      return { now: NOW, stored: { version: 1, set: {} }, uses: [], openOrders: null } as never;
    };
    for (const limits of [undefined, {}, { openOrders: 5 }])
      await readStandings({ store: { readLimits }, limits }, parseAccountKey(ACCOUNT), "t");
    expect(counts).toEqual([false, false, true]);
  });

  it("is nothing in paper trading, and unknown if the exchange cannot be reached", async () => {
    const paper = position({ account: "dry:kraken:h" });
    expect(await readSaleExposure(deps(), KIND, paper)).toBe(NO_EXPOSURE);
    expect(await readPositionExposure(deps(), paper)).toBe(NO_EXPOSURE);
    expect(await readSaleExposure(deps({}, false), KIND, position())).toMatchObject({ trades: "unknown" });
  });
});

describe("an exposure that is read", () => {
  const failing = (error: Error) => () => Promise.reject(error);

  it("is unknown if the exchange does not respond, and no other error is hidden", async () => {
    const silent = failing(new VenueError("unavailable", "no response"));
    expect(await readExposure(silent)).toEqual({ trades: "unknown", why: "no response" });
    await expect(readExposure(failing(new TypeError("a bug")))).rejects.toThrow("a bug");
  });

  it("is read only for a token with limits of its actions", async () => {
    const reads = async (limits: Limits, more: object = {}) => {
      let count = 0;
      const store = {
        readLimits: async () =>
          ({ now: NOW, stored: { version: 1, set: { "token:t": limits } }, uses: [] }) as never,
        useLimit: async () => true,
      };
      const exposure = async () => {
        count++;
        return NO_EXPOSURE;
      };
      return [await holdToToken({ store }, { actor: "t", counts: true }, { exposure, ...more }), count];
    };
    expect(await reads({})).toEqual([false, 0]);
    expect(await reads({ openOrders: 5 })).toEqual([false, 0]);
    for (const limits of [
      { dayNotional: { USDT: d("1") } },
      { orderNotional: { USDT: d("1") } },
      { symbols: ["BTC/USDT"] },
    ] as const)
      expect(await reads(limits)).toEqual([true, 1]);
    expect(await reads({ symbols: ["BTC/USDT"] }, { isCountedByOrders: true })).toEqual([false, 0]);
  });

  it("is refused with the day used up if another request takes the rest first", async () => {
    const limits = { dayNotional: { USDT: d("60"), EUR: d("9") } };
    const store = {
      readLimits: async () =>
        ({ now: NOW, stored: { version: 1, set: { "token:t": limits } }, uses: [] }) as never,
      useLimit: async () => false,
    };
    const exposure = exposureOf({
      symbol: "BTC/USDT",
      mid: d("100"),
      exits: false,
      parts: [{ base: 0n, quote: d("50") }],
    });
    await expect(holdToToken({ store }, { actor: "t", counts: true }, { exposure })).rejects.toThrow(
      /dayNotional of this token is USDT=60,EUR=9, .*in addition to the 60 USDT/,
    );
  });
});
