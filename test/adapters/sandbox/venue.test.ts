import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sandboxBooks, shock } from "../../../src/adapters/libsql/sandbox-books.ts";
import { createListings, listingOf, simulatedMarket } from "../../../src/adapters/sandbox/listings.ts";
import { fillResting } from "../../../src/adapters/sandbox/matching.ts";
import { deposit } from "../../../src/adapters/sandbox/venue.ts";
import { type Decimal, mul, sum, text, ZERO } from "../../../src/kernel/decimal.ts";
import { HOUR, MINUTE } from "../../../src/kernel/time.ts";
import { applied, place, type VenueBooks } from "../../../src/market/matching.ts";
import type { NewOrder } from "../../../src/model/order.ts";
import type { Permit, Venue } from "../../../src/ports/venue.ts";
import { allFills } from "../../support/fills.ts";
import { d } from "../../support/grid.ts";
import { START, testSandbox } from "../../support/sandbox.ts";
import { most } from "../../support/whole.ts";

const permit: Permit = { mayLeave: () => true, sendBy: Number.MAX_SAFE_INTEGER };
const order = (over: Partial<NewOrder> = {}): NewOrder => ({
  clientId: "mine",
  symbol: "BTC/USDT",
  side: "buy",
  type: "limit",
  price: d("59000"),
  amount: d("0.01"),
  ...over,
});

async function balance(venue: Venue, asset: string) {
  const found = (await venue.balances()).find((one) => one.asset === asset);
  return { free: text(found?.free ?? ZERO), used: text(found?.used ?? ZERO) };
}

describe("a simulated venue", () => {
  it("applies two price changes of the same moment, also if it has seen the first one", async () => {
    const [once, twice] = [await testSandbox(), await testSandbox()];
    const priceOf = async ({ venue }: typeof once) => (await venue("kraken").ticker("BTC/USDT")).last;
    const half = { symbol: "BTC/USDT", factor: 0.5, at: START } as const;
    await shock(once.context, { ...half, factor: 0.25 });
    await shock(twice.context, half);
    const halved = await priceOf(twice);
    await shock(twice.context, half);
    expect(await priceOf(twice)).toBe(await priceOf(once));
    expect(await priceOf(twice)).not.toBe(halved);
  });

  it("locks the funds that an open order needs, including the fee where it is charged in quote", async () => {
    const { venue } = await testSandbox();
    for (const [exchange, free, used] of [
      ["kraken", "99409.41", "590.59"],
      ["mexc", "99410", "590"],
    ] as const) {
      expect(await venue(exchange).create(order(), permit)).toMatchObject({ result: "accepted" });
      expect(await balance(venue(exchange), "USDT")).toEqual({ free, used });
    }
  });

  it("releases the locked funds once when an order is canceled", async () => {
    const { venue } = await testSandbox();
    const made = await venue("kraken").create(order(), permit);
    const id = made.result === "accepted" ? made.id : "";
    expect(await venue("kraken").cancel({ symbol: "BTC/USDT", id }, permit)).toEqual({ result: "accepted" });
    expect(await venue("kraken").cancel({ symbol: "BTC/USDT", id }, permit)).toEqual({ result: "look" });
    expect(await balance(venue("kraken"), "USDT")).toEqual({ free: "100000", used: "0" });
    expect((await venue("kraken").order({ symbol: "BTC/USDT", clientId: "mine" }))?.status).toBe("canceled");
  });

  it.each([
    ["below the minimum notional", { amount: d("0.00008") }, /minimum notional/],
    ["between two ticks", { price: d("59000.001") }, /invalid price/],
    ["between two lots", { amount: d("0.010001") }, /invalid amount/],
    ["more than the account has", { amount: d("2") }, /insufficient/],
  ])("rejects an order %s, and writes nothing", async (_what, over, reason) => {
    const { venue } = await testSandbox();
    expect(await venue("kraken").create(order(over), permit)).toMatchObject({
      result: "rejected",
      reason: expect.stringMatching(reason),
    });
    expect(await venue("kraken").openOrders()).toEqual([]);
    expect(await balance(venue("kraken"), "USDT")).toEqual({ free: "100000", used: "0" });
  });

  it("rejects a request that arrives too late, or that has no permit", async () => {
    const { venue } = await testSandbox();
    expect(await venue("kraken").create(order(), { ...permit, sendBy: START - 1 })).toMatchObject({
      result: "rejected",
    });
    expect(await venue("kraken").create(order(), { ...permit, mayLeave: () => false })).toEqual({
      result: "not_sent",
    });
    expect(await venue("kraken").openOrders()).toEqual([]);
  });

  it("fills a market order level by level from the book, and charges the taker fee", async () => {
    const { venue } = await testSandbox();
    const kraken = venue("kraken");
    const { asks } = await kraken.book("BTC/USDT", 100);
    const amount = asks.slice(0, 3).reduce((total, level) => total + level.amount, ZERO);
    expect(await kraken.create(order({ type: "market", price: ZERO, amount }), permit)).toMatchObject({
      result: "accepted",
    });
    const fills = await allFills(kraken, "BTC/USDT", 0);
    expect(fills.map(({ price }) => price)).toEqual(asks.slice(0, 3).map(({ price }) => price));
    const cost = sum(fills.map(({ notional, fees }) => notional + sum(fees.map((fee) => fee.amount))));
    expect(await balance(kraken, "USDT")).toEqual({ free: text(d("100000") - cost), used: "0" });
    expect(await balance(kraken, "BTC")).toEqual({ free: text(d("2") + amount), used: "0" });
  });

  it("charges a buy's fee in base on mexc and bitget, in quote on gateio and kraken", async () => {
    const { venue } = await testSandbox();
    const assets = await Promise.all(
      ["mexc", "gateio", "bitget", "kraken"].map(async (exchange) => {
        await venue(exchange).create(order({ type: "market", price: ZERO }), permit);
        return (await allFills(venue(exchange), "BTC/USDT", 0))[0]?.fees[0]?.asset;
      }),
    );
    expect(assets).toEqual(["BTC", "USDT", "BTC", "USDT"]);
  });

  it("leaves open the part of a limit order that the book does not fill, unless it is immediate", async () => {
    const { venue } = await testSandbox();
    const kraken = venue("kraken");
    const { asks } = await kraken.book("BTC/USDT", 1);
    const best = asks[0];
    if (!best) throw new Error("no book");
    await kraken.create(order({ price: best.price, amount: best.amount + d("0.01") }), permit);
    expect((await allFills(kraken, "BTC/USDT", 0)).map(({ amount }) => amount)).toEqual([
      best.amount,
      d("0.01"),
    ]);
    await kraken.create(
      order({ clientId: "now", price: best.price, amount: best.amount + d("0.01"), timeInForce: "ioc" }),
      permit,
    );
    expect(await kraken.order({ symbol: "BTC/USDT", clientId: "now" })).toMatchObject({
      status: "canceled",
      filled: best.amount,
    });
  });

  it("has a hundred levels a side, trades and candles from before the origin", async () => {
    const { venue } = await testSandbox();
    const kraken = venue("kraken");
    for (const symbol of ["BTC/USDT", "SNEK/USDT", "ADA/USD"] as const) {
      const { bids, asks } = await kraken.book(symbol, 100);
      expect([bids.length, asks.length]).toEqual([100, 100]);
      expect(bids.every((level, i) => i === 0 || level.price < (bids[i - 1]?.price ?? ZERO))).toBe(true);
    }
    expect(await kraken.trades("BTC/USDT", 500)).toHaveLength(500);
    const candles = await kraken.candles("BTC/USDT", { span: MINUTE, limit: 1000 });
    expect(candles).toHaveLength(1000);
    expect(
      candles.every(
        ({ open, high, low, close }) => low <= open && open <= high && low <= close && close <= high,
      ),
    ).toBe(true);
  });

  it("lists fiat pairs on kraken alone", async () => {
    const { venue } = await testSandbox();
    await expect(venue("kraken").market("BTC/EUR")).resolves.toMatchObject({ quote: "EUR" });
    await expect(venue("mexc").market("BTC/EUR")).rejects.toMatchObject({ failure: "unlisted" });
    // Nobody's order can be open there, and a pass cancels those that were.
    expect(await venue("mexc").cancel({ symbol: "BTC/EUR", id: "1" }, permit)).toEqual({ result: "look" });
  });

  it("accepts deposits, and withdrawals of free funds", async () => {
    const { venue, context } = await testSandbox();
    const books = sandboxBooks(context);
    await venue("kraken").create(order(), permit);
    await deposit(books, { exchange: "kraken", asset: "USDT", amount: d("50") });
    expect(await balance(venue("kraken"), "USDT")).toEqual({ free: "99459.41", used: "590.59" });
    await expect(deposit(books, { exchange: "kraken", asset: "USDT", amount: -d("99460") })).rejects.toThrow(
      /only 99459.41/,
    );
  });
});

describe("open orders", () => {
  const listing = listingOf("kraken", "BTC/USDT");
  if (!listing) throw new Error("not listed");
  const market = simulatedMarket("kraken", listing);
  const listed = createListings({ seed: 1, origin: START, replays: new Map() })("kraken", "BTC/USDT", {});
  const rules = { fill: "touch", parts: true } as const;

  const withOrders = (prices: readonly number[]): VenueBooks =>
    prices.reduce<VenueBooks>(
      (books, percent, i) => {
        const price = (d("60000") * BigInt(percent)) / 1000n;
        const change = place(
          books,
          order({ clientId: `o${i}`, side: percent < 1000 ? "buy" : "sell", price, amount: d("0.01") }),
          { market, levels: [], at: START },
        );
        return "rejected" in change ? books : applied(books, change);
      },
      {
        version: 1,
        settledAt: START,
        open: [],
        holdings: { USDT: { total: d("100000"), used: ZERO }, BTC: { total: d("2"), used: ZERO } },
      },
    );

  const total = (books: VenueBooks, asset: string): Decimal => books.holdings[asset]?.total ?? ZERO;

  it("get the same fills however often the venue is read in between", () => {
    const prices = fc.uniqueArray(
      fc.integer({ min: 975, max: 1025 }).filter((percent) => percent !== 1000),
      { minLength: 1, maxLength: 8 },
    );
    const cuts = fc.array(fc.integer({ min: 1, max: 24 * HOUR }), { maxLength: 10 });
    const run = (books: VenueBooks, until: readonly number[]) => {
      const fills: string[] = [];
      let now = books;
      for (const at of until) {
        const change = fillResting(now, START + at, () => listed, rules);
        for (const { id, price, amount } of change?.fills ?? [])
          fills.push(`${id} ${text(amount)} at ${text(price)}`);
        now = change ? applied(now, change) : { ...now, settledAt: START + at };
      }
      return { fills: fills.sort(), holdings: now.holdings };
    };
    fc.assert(
      fc.property(prices, cuts, (percents, at) => {
        const books = withOrders(percents);
        const end = 24 * HOUR;
        expect(run(books, [...at].sort((a, b) => a - b).concat(end))).toEqual(run(books, [end]));
      }),
      { numRuns: most(100, 25) },
    );
  });

  it("move balances by exactly their fills, and lock nothing afterwards", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(
          fc.integer({ min: 990, max: 1010 }).filter((percent) => percent !== 1000),
          { minLength: 1, maxLength: 8 },
        ),
        (percents) => {
          const before = withOrders(percents);
          const change = fillResting(before, START + 48 * HOUR, () => listed, rules);
          if (!change) return;
          const after = applied(before, change);
          const moved = sum(change.fills.map(({ side, amount }) => (side === "buy" ? amount : -amount)));
          const paid = sum(
            change.fills.map(
              ({ side, price, amount, fee }) =>
                (side === "buy" ? mul(price, amount, "half") : -mul(price, amount, "half")) + fee.amount,
            ),
          );
          expect(total(after, "BTC") - total(before, "BTC")).toBe(moved);
          expect(total(before, "USDT") - total(after, "USDT")).toBe(paid);
          const reserved = (side: "buy" | "sell") =>
            sum(after.open.filter((one) => one.side === side).map((one) => one.reserved));
          expect([after.holdings.USDT?.used, after.holdings.BTC?.used]).toEqual([
            reserved("buy"),
            reserved("sell"),
          ]);
        },
      ),
      { numRuns: most(100, 25) },
    );
  });

  it("sometimes fill in two parts", () => {
    const books = withOrders(Array.from({ length: 40 }, (_, i) => 980 + (i < 20 ? i : i + 1)));
    const change = fillResting(books, START + 48 * HOUR, () => listed, rules);
    expect(change?.fills.some(({ amount }) => amount < d("0.01"))).toBe(true);
  });
});
