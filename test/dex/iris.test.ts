import { describe, expect, it } from "vitest";
import { cached, irisAggregator } from "../../src/adapters/iris.ts";
import { decimal } from "../../src/kernel/decimal.ts";
import type { Deps } from "../../src/ports/deps.ts";
import type { Venue } from "../../src/ports/venue.ts";
import { testApp } from "../support/app.ts";
import { type Json, served, three } from "../support/dex.ts";
import { irisPool, irisServer } from "../venues/iris.ts";

const names = (answer: Json) => (answer.sources as { exchange: string }[]).map(({ exchange }) => exchange);
const EXCHANGES = ["mexc", "gateio", "bitget", "kraken"];

describe("a token price", () => {
  it("is the value-weighted price of pools matched by identifier, times the median ADA mid", async () => {
    const { ask, ada } = await served(three);
    const before = await ada();
    const answer = await ask("price/INDY");
    const after = await ada();
    const inAda = (2 * 2 + 2.02 + 1.99) / 4;
    // The price of ADA moves between two readings.
    expect(answer.price).toBeGreaterThan(inAda * Math.min(before, after) * 0.9999);
    expect(answer.price).toBeLessThan(inAda * Math.max(before, after) * 1.0001);
    const deviation = ((2 * 2.0025 - 2 * 2 + (2.02 - 2.0025) + (2.0025 - 1.99)) / 4 / inAda) * 1;
    expect(answer.confidence).toBeCloseTo(1 - deviation / 0.05, 9);
    expect(names(answer)).toEqual(["MinswapV2", "SundaeSwapV3", "WingRidersV2", ...EXCHANGES]);
    expect(answer.timestamp).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  });

  it("omits pools without a price, without a state or below 1,000 ADA", async () => {
    const stateless = { ...irisPool("INDY", { ada: 9_000_000, price: 5, dex: "Gone" }), state: null };
    const small = irisPool("INDY", { ada: 499.999, price: 9, dex: "Small" });
    const gap = irisPool("INDY", { ada: 1_000_000, price: 7, dex: "Gap", identifier: "gap" });
    const { ask, requests } = await served([stateless, small, gap, ...three], { gaps: ["gap"] });
    const answer = await ask("price/INDY");
    expect(names(answer)).toEqual(["MinswapV2", "SundaeSwapV3", "WingRidersV2", ...EXCHANGES]);
    expect(requests.filter(({ path }) => path.endsWith("/prices"))).toMatchObject([
      { body: { identifiers: expect.not.arrayContaining([stateless.identifier]) } },
    ]);
  });

  it("includes a pool of exactly 1,000 ADA", async () => {
    const { ask } = await served([irisPool("INDY", { ada: 500, price: 2, dex: "Edge" })]);
    expect(names(await ask("price/INDY"))).toEqual(["Edge", ...EXCHANGES]);
  });

  it("reads 120 pools over two pages", async () => {
    const pools = Array.from({ length: 120 }, (_, place) =>
      irisPool("SNEK", { ada: 1000 + place, price: 0.004, decimals: 0, identifier: `pool-${place}` }),
    );
    const { ask, requests } = await served(pools);
    const answer = await ask("price/SNEK");
    expect(names(answer)).toHaveLength(120 + 4);
    const pages = requests.filter(({ path }) => path.startsWith("/api/liquidity-pools?"));
    expect(pages.map(({ path }) => path.split("?")[1])).toEqual(["page=1&limit=100", "page=2&limit=100"]);
    expect(pages[0]?.body).toMatchObject({
      tokenA: "lovelace",
      tokenB: "279c909f348e533da5808898f87f9a14bb2c3dfbbacccd631d927a3f.534e454b",
    });
    const list = await ask("pools/SNEK?limit=50");
    expect(list.count).toBe(50);
    expect((list.pools as { identifier: string }[])[0]?.identifier).toBe("pool-119");
  });

  it.each<[string, number, number, number]>([
    ["one pool", 1, 0, (1 / 3) * 0.7],
    ["two equal pools", 2, 0, 2 / 3],
    ["four equal pools", 4, 0, 1],
    ["four pools that disagree by 2 %", 4, 0.02, 1 - 0.02 / 0.05],
    ["four pools that disagree by 8 %", 4, 0.08, 0],
  ])("has the confidence of %s", async (_what, count, apart, confidence) => {
    const pools = Array.from({ length: count }, (_, place) =>
      irisPool("INDY", {
        ada: 100_000,
        price: place % 2 === 0 ? 1 + apart : 1 - apart,
        decimals: 9,
        identifier: `pool-${place}`,
      }),
    );
    const { ask } = await served(pools);
    expect((await ask("price/INDY")).confidence).toBeCloseTo(confidence, 6);
  });

  it("has less confidence when one pool holds more than four fifths of the value", async () => {
    const big = irisPool("INDY", { ada: 900_000, price: 2 });
    const rest = [1, 2].map((place) =>
      irisPool("INDY", { ada: 50_000, price: 2, identifier: `rest-${place}` }),
    );
    const { ask } = await served([big, ...rest]);
    expect((await ask("price/INDY")).confidence).toBeCloseTo(1 - 0.3 * 0.5, 9);
  });

  const quoting = (mids: Record<string, [bid: string, ask: string]>): Partial<Deps> => ({
    venue: (id) =>
      ({
        ticker: async () => {
          const [bid, ask] = mids[id] as [string, string];
          return { bid: decimal(bid), ask: decimal(ask), last: 1n, at: 1, baseVolume: 0n, quoteVolume: 0n };
        },
      }) as unknown as Venue,
  });

  it("uses the mean of the two middle mids of four exchanges", async () => {
    const mids = {
      mexc: ["0.3", "0.5"],
      gateio: ["0.59", "0.61"],
      bitget: ["0.5", "0.5"],
      kraken: ["2", "2"],
    };
    const { ask } = await served(three.slice(0, 1), {}, quoting(mids as never));
    expect((await ask("price/INDY")).price).toBe(2 * 0.55);
  });

  it("ignores the mid of an exchange without a bid or without an ask", async () => {
    const mids = { mexc: ["0", "0.5"], gateio: ["0.4", "0"], bitget: ["0.5", "0.5"], kraken: ["0.7", "0.7"] };
    const { ask } = await served(three.slice(0, 1), {}, quoting(mids as never));
    const answer = await ask("price/INDY");
    expect([answer.price, names(answer)]).toEqual([1.2, ["MinswapV2", "bitget", "kraken"]]);
  });

  it("omits an exchange that does not respond", async () => {
    const app = await testApp();
    const venue: Deps["venue"] = (id) =>
      id === "gateio"
        ? { ...app.deps.venue(id), ticker: () => Promise.reject(new Error("down")) }
        : app.deps.venue(id);
    const { ask } = await served(three, {}, { venue });
    expect(names(await ask("price/INDY")).slice(3)).toEqual(["mexc", "bitget", "kraken"]);
  });
});

describe("the pool list", () => {
  it("is in units rather than lovelace, largest first, and omits pools without state", async () => {
    const whole = irisPool("SNEK", { ada: 100_000, price: 0.004, decimals: 0, dex: "Whole" });
    const larger = irisPool("SNEK", { ada: 200_000, price: 0.0041, decimals: 0, dex: "Larger" });
    const gone = { ...irisPool("SNEK", { ada: 1, price: 1, dex: "Gone" }), state: null };
    const { ask } = await served([whole, gone, larger]);
    expect(await ask("pools/snek")).toMatchObject({
      status: 200,
      symbol: "SNEK",
      count: 2,
      pools: [
        { dex: "Larger", tvl: 400_000, tokenA: "ADA", tokenB: "SNEK" },
        {
          dex: "Whole",
          identifier: whole.identifier,
          tvl: 200_000,
          price: 0.004,
          reserveA: 100_000,
          reserveB: 25_000_000,
        },
      ],
    });
  });

  it("can be filtered by ADA", async () => {
    const { ask } = await served(three);
    expect((await ask("pools/INDY?minLiquidity=100000.01")).count).toBe(1);
    expect((await ask("pools/INDY?minLiquidity=100000")).count).toBe(3);
    expect((await ask("pools/INDY?minLiquidity=200000.01")).count).toBe(0);
  });

  it("shows the price that the aggregator quotes, whatever the reserves imply", async () => {
    const answer = (what: string, result: unknown) =>
      what === "prices" ? (result as Json[]).map((one) => ({ ...one, price: 3 })) : result;
    const { ask } = await served(three, { answer });
    expect(await ask("pools/INDY?limit=1")).toMatchObject({ pools: [{ price: 3 }] });
  });

  it("shows the price implied by the reserves when the aggregator quotes none", async () => {
    const { ask } = await served(three, { gaps: [three[0]?.identifier ?? ""] });
    expect(await ask("pools/INDY?limit=1")).toMatchObject({ pools: [{ dex: "MinswapV2", price: 2 }] });
  });

  it("excludes pools of other pairs", async () => {
    const other = irisPool("MIN", { ada: 5_000_000, price: 1, dex: "Other" });
    const swapped = {
      ...irisPool("INDY", { ada: 5_000_000, price: 1, dex: "Swapped" }),
      tokenA: other.tokenB,
    };
    const { ask } = await served(three, {
      answer: (what, answer) =>
        what === "pools" ? { ...(answer as Json), data: [other, swapped, ...three] } : answer,
    });
    expect((await ask("pools/INDY")).count).toBe(3);
  });
});

it("a pool fee of zero is treated as unknown", async () => {
  const pools = three.map((pool, place) => ({
    ...pool,
    state: pool.state && { ...pool.state, buyFeePercent: [0, 0.3, 1][place] as number },
  }));
  const { url } = await irisServer(pools);
  const read = await irisAggregator({ url, timeoutMillis: 60_000 }).pools("INDY");
  expect(read.map(({ fees }) => fees.buy)).toEqual([undefined, decimal("0.003"), decimal("0.01")]);
});

describe("the pool cache", () => {
  it("sends one request for concurrent or recent callers, and another after the TTL", async () => {
    const { url, requests } = await irisServer(three);
    let now = 0;
    const aggregator = cached(irisAggregator({ url, timeoutMillis: 60_000 }), {
      ttl: 5000,
      monotonic: () => now,
    });
    await Promise.all([aggregator.pools("INDY"), aggregator.pools("INDY")]);
    now = 4999;
    await aggregator.pools("INDY");
    expect(requests).toHaveLength(2);
    now = 5000;
    await aggregator.pools("INDY");
    expect(requests).toHaveLength(4);
  });

  it("does not store failures", async () => {
    const { url, behaviour } = await irisServer(three, { status: 500 });
    const aggregator = cached(irisAggregator({ url, timeoutMillis: 60_000 }), {
      ttl: 5000,
      monotonic: () => 0,
    });
    await expect(aggregator.pools("INDY")).rejects.toThrow("returned an error");
    delete behaviour.status;
    expect(await aggregator.pools("INDY")).toHaveLength(3);
  });
});
