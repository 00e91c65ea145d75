import { describe, expect, it } from "vitest";
import { VenueError } from "../../src/errors.ts";
import { timeLimit } from "../../src/in-time.ts";
import { decimal } from "../../src/kernel/decimal.ts";
import type { Book, Deps, Venue } from "../../src/ports.ts";
import { testApp } from "../support/app.ts";

interface Trade {
  buy: string | null;
  sell: string | null;
  amount: number;
  cost: number;
  fees: number;
  net: number;
}
interface Answer {
  status: number;
  error?: string;
  message?: string;
  prices: { exchange: string; pool?: string; price: number; bid: number; ask: number; spread: number }[];
  analysis: {
    lowestAsk: { exchange: string; price: number };
    highestBid: { exchange: string; price: number };
    spread: number;
    spreadPercent: number;
    arbitrageOpportunity: boolean;
    executable: Trade & {
      opportunity: boolean;
      reason: string | null;
      endsAt: string | null;
      whole?: Trade | null;
    };
  };
  unlisted: string[];
  failed?: { exchange: string; error: string }[];
}

const LIMIT = 500;
const hang = () => new Promise<never>(() => undefined);

/** The service over simulated exchanges, some of whose reads are replaced, with a short time limit. */
async function comparing(over: Record<string, Partial<Venue>> = {}, rest: Partial<Deps> = {}) {
  const app = await testApp({
    connect: (deps) => ({
      ...deps,
      inTime: timeLimit(LIMIT),
      venue: (id) => ({ ...deps.venue(id), ...over[id] }),
      ...rest,
    }),
  });
  const compare = async (query: string): Promise<Answer> => {
    const response = await app.ask(`/api/v1/price/compare?${query}`);
    return { ...((await response.json()) as Answer), status: response.status };
  };
  return { ...app, compare };
}

/** A venue's market at given prices, one level a side of the given amount. */
function priced(bid: string, ask: string, amount = "1"): Partial<Venue> {
  const [bidAt, askAt, size] = [bid, ask, amount].map(decimal) as [bigint, bigint, bigint];
  const book: Book = {
    bids: [{ price: bidAt, amount: size }],
    asks: [{ price: askAt, amount: size }],
    at: 1,
  };
  return {
    book: async () => book,
    ticker: async () => ({ last: bidAt, bid: bidAt, ask: askAt, at: 1, baseVolume: 1n, quoteVolume: 1n }),
  };
}

const names = ({ prices }: Answer) => prices.map(({ exchange }) => exchange);
const failing = (failure: VenueError["failure"] = "unavailable"): Partial<Venue> => ({
  ticker: () => Promise.reject(new VenueError(failure, "it is down")),
});

describe("prices side by side", () => {
  it("are those of every exchange, in their order, and of those asked alone", async () => {
    const { compare } = await comparing();
    expect(names(await compare("symbol=BTC/USDT"))).toEqual(["mexc", "gateio", "bitget", "kraken"]);
    expect(names(await compare("symbol=BTC/USDT&exchanges=kraken,%20mexc,kraken"))).toEqual([
      "kraken",
      "mexc",
    ]);
  });

  it("name the exchanges that do not list the pair", async () => {
    const { compare } = await comparing();
    const answer = await compare("symbol=BTC/EUR");
    expect([names(answer), answer.unlisted]).toEqual([["kraken"], ["mexc", "gateio", "bitget"]]);
    expect(answer.analysis).toMatchObject({
      arbitrageOpportunity: false,
      executable: { reason: "one_venue" },
    });
  });

  it("find the lowest ask, the highest bid and what lies between", async () => {
    const { compare } = await comparing({
      mexc: priced("59990", "60000"),
      gateio: priced("60001", "60010"),
      bitget: priced("60030", "60040"),
      kraken: priced("59995", "60020"),
    });
    const { analysis } = await compare("symbol=BTC/USDT");
    expect(analysis).toMatchObject({
      lowestAsk: { exchange: "mexc", price: 60_000 },
      highestBid: { exchange: "bitget", price: 60_030 },
      spread: 30,
      spreadPercent: 0.05,
      arbitrageOpportunity: true,
      executable: { opportunity: false, reason: "no_gain", amount: 0, net: 0, buy: null, sell: null },
    });
  });

  it("have a negative spread where nothing crosses", async () => {
    const { compare } = await comparing({
      mexc: priced("99", "101"),
      gateio: priced("98", "102"),
      bitget: priced("98", "102"),
      kraken: priced("98", "102"),
    });
    expect((await compare("symbol=BTC/USDT")).analysis).toMatchObject({
      spread: -2,
      arbitrageOpportunity: false,
    });
  });

  it("are no opportunity when one exchange's book crosses itself", async () => {
    const { compare } = await comparing({ mexc: priced("101", "100"), kraken: priced("90", "110") });
    const { analysis } = await compare("symbol=BTC/USDT&exchanges=mexc,kraken");
    expect(analysis).toMatchObject({
      spread: 1,
      arbitrageOpportunity: false,
      executable: { opportunity: false },
    });
  });

  it("tell what can be executed after both fees, and what the asked amount would bring", async () => {
    const { compare } = await comparing({
      mexc: priced("59000", "60000", "2"),
      kraken: priced("61000", "62000", "3"),
    });
    const of = (query = "") => compare(`symbol=BTC/USDT&exchanges=mexc,kraken${query}`);
    // 61000 − 60000 − 0.1 % of both
    expect((await of()).analysis.executable).toEqual({
      opportunity: true,
      reason: null,
      buy: "mexc",
      sell: "kraken",
      amount: 2,
      cost: 120_000,
      proceeds: 122_000,
      fees: 242,
      net: 1758,
      netPercent: 1.465,
      endsAt: "depth",
    });
    expect((await of("&amount=0.5")).analysis.executable).toMatchObject({
      amount: 0.5,
      net: 439.5,
      endsAt: "amount",
      whole: { net: 439.5 },
    });
    // Either of two books holds so much, but not both of one pair.
    expect((await of("&amount=4")).analysis.executable).toMatchObject({ amount: 2, whole: null });
    expect((await of("&amount=0.00007")).analysis.executable).toMatchObject({
      opportunity: false,
      reason: "below_minimum",
      amount: 0,
    });
  });
});

describe("an exchange that fails", () => {
  it("fails the comparison and is named", async () => {
    const { compare } = await comparing({ gateio: failing() });
    expect(await compare("symbol=BTC/USDT")).toMatchObject({
      status: 500,
      error: "Fetch failed",
      message: expect.stringContaining("gateio"),
    });
  });

  it("is left out and named with partial", async () => {
    const { compare } = await comparing({ gateio: failing("rate_limited") });
    const answer = await compare("symbol=BTC/USDT&partial=true");
    expect([names(answer), answer.failed]).toEqual([
      ["mexc", "bitget", "kraken"],
      [{ exchange: "gateio", error: "it is down" }],
    ]);
  });

  it("is not taken for one that lists nothing: partial without any price fails", async () => {
    const { compare } = await comparing({ kraken: failing() });
    expect(await compare("symbol=BTC/EUR&partial=true")).toMatchObject({
      status: 500,
      error: "Fetch failed",
    });
  });

  it.each(["ticker", "book", "market"] as const)(
    "by a %s that hangs ends at the time limit",
    async (read) => {
      const { compare } = await comparing({ bitget: { [read]: hang } });
      const timed = async (query: string) => {
        const startedAt = performance.now();
        const answer = await compare(query);
        return { answer, millis: performance.now() - startedAt };
      };
      const whole = await timed("symbol=BTC/USDT");
      expect(whole.answer).toMatchObject({
        status: 500,
        error: "Fetch failed",
        message: expect.stringMatching(/bitget/),
      });
      const rest = await timed("symbol=BTC/USDT&partial=true");
      expect(names(rest.answer)).toEqual(["mexc", "gateio", "kraken"]);
      expect(rest.answer.failed).toMatchObject([
        { exchange: "bitget", error: expect.stringContaining(`${LIMIT} ms`) },
      ]);
      // A busy machine adds to the limit; a comparison that waited for more than one limit would take twice as long.
      for (const { millis } of [whole, rest]) expect(millis).toBeLessThan(LIMIT * 2);
    },
  );

  it("holds up no read of another exchange", async () => {
    const { compare, ask } = await comparing({ bitget: { ticker: hang } });
    const comparison = compare("symbol=BTC/USDT&partial=true").then(() => "compared");
    const ticker = ask("/api/v1/ticker?exchange=kraken&symbol=BTC/USDT").then(({ status }) => status);
    expect(await Promise.race([comparison, ticker])).toBe(200);
    expect(await comparison).toBe("compared");
  });
});

describe("with the pools", () => {
  it("the four tokens have the pools that count beside the exchanges", async () => {
    const { compare } = await comparing();
    const answer = await compare("symbol=INDY/USDT&dex=true");
    expect(names(answer)).toEqual([
      "mexc",
      "gateio",
      "bitget",
      "kraken",
      "MinswapV2",
      "SundaeSwapV3",
      "WingRidersV2",
      "Splash",
    ]);
    const [venue, pool] = [answer.prices[0], answer.prices[4]];
    expect(pool).toMatchObject({ pool: "minswapv2.indy", spread: 0 });
    expect((pool?.price ?? 0) / (venue?.price ?? 1)).toBeGreaterThan(0.99);
    expect((pool?.price ?? 0) / (venue?.price ?? 1)).toBeLessThan(1.01);
  });

  it("a pair that the chain does not have is unlisted there", async () => {
    const { compare } = await comparing();
    expect((await compare("symbol=BTC/USDT&dex=true")).unlisted).toEqual(["dex"]);
    expect((await compare("symbol=BTC/USDT")).unlisted).toEqual([]);
  });

  it("selling into a pool counts its fee and its price impact", async () => {
    const { compare } = await comparing({ mexc: priced("0.79", "0.8", "1000000") });
    const { executable } = (await compare("symbol=INDY/USDT&dex=true&exchanges=mexc")).analysis;
    expect(executable).toMatchObject({ opportunity: true, buy: "mexc", sell: "MinswapV2", endsAt: "gain" });
    // The pool's price falls with each token sold: far less than the book has is worth selling.
    expect(executable.amount).toBeLessThan(60_000);
    expect(executable.amount).toBeGreaterThan(10_000);
    expect(executable.net).toBeLessThan(executable.amount * 0.2);
    expect(executable.fees).toBeGreaterThan(executable.cost * 0.0035);
  });

  it("an aggregator that fails is named, or left out with partial", async () => {
    const refused = () => Promise.reject(new VenueError("unavailable", "the DEX aggregator did not answer"));
    const { compare } = await comparing({}, { dex: { pools: refused, market: refused, price: refused } });
    const whole = await compare("symbol=INDY/USDT&dex=true");
    expect(whole).toMatchObject({
      status: 500,
      error: "Fetch failed",
      message: expect.stringMatching(/^dex: /),
    });
    const rest = await compare("symbol=INDY/USDT&dex=true&partial=true");
    expect([names(rest).length, rest.failed?.[0]?.exchange]).toEqual([4, "dex"]);
  });
});
