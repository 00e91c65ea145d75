import { describe, expect, it } from "vitest";
import { comparing, names, priced } from "../support/comparing.ts";
import { testSandbox } from "../support/sandbox.ts";

describe("the price comparison", () => {
  it("covers every exchange in order, or only the requested ones", async () => {
    const { compare } = await comparing();
    expect(names(await compare("symbol=BTC/USDT"))).toEqual(["mexc", "gateio", "bitget", "kraken"]);
    expect(names(await compare("symbol=BTC/USDT&exchanges=kraken,%20mexc,kraken"))).toEqual([
      "kraken",
      "mexc",
    ]);
  });

  it("lists the exchanges that do not list the pair", async () => {
    const { compare } = await comparing();
    const answer = await compare("symbol=BTC/EUR");
    expect([names(answer), answer.unlisted]).toEqual([["kraken"], ["mexc", "gateio", "bitget"]]);
    expect(answer.analysis).toMatchObject({
      arbitrageOpportunity: false,
      executable: { reason: "one_venue" },
    });
  });

  it("finds the lowest ask, the highest bid and the spread between them", async () => {
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

  it("has a negative spread when no prices cross", async () => {
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

  it("reports no opportunity when one exchange's own book is crossed", async () => {
    const { compare } = await comparing({ mexc: priced("101", "100"), kraken: priced("90", "110") });
    const { analysis } = await compare("symbol=BTC/USDT&exchanges=mexc,kraken");
    expect(analysis).toMatchObject({
      spread: 1,
      arbitrageOpportunity: false,
      executable: { opportunity: false },
    });
  });

  it("reports the executable size after both fees, and the net result of the requested amount", async () => {
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

  it("excludes an exchange whose market is closed from the executable size", async () => {
    const rules = (await testSandbox()).venue("mexc").market("BTC/USDT");
    const { compare } = await comparing({
      mexc: { ...priced("59000", "60000"), market: async () => ({ ...(await rules), active: false }) },
      kraken: priced("61000", "62000"),
    });
    const { analysis } = await compare("symbol=BTC/USDT&exchanges=mexc,kraken&amount=1");
    expect(analysis).toMatchObject({
      arbitrageOpportunity: true,
      executable: { opportunity: false, reason: "one_venue", whole: null },
    });
  });
});
