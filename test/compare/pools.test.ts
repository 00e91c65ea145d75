import { describe, expect, it } from "vitest";
import { VenueError } from "../../src/kernel/errors.ts";
import { comparing, names, priced } from "../support/comparing.ts";

describe("the comparison with pools", () => {
  it("adds the eligible pools of the four tokens to the exchanges", async () => {
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

  it("reports a pair without pools on the chain as unlisted there", async () => {
    const { compare } = await comparing();
    expect((await compare("symbol=BTC/USDT&dex=true")).unlisted).toEqual(["dex"]);
    expect((await compare("symbol=BTC/USDT")).unlisted).toEqual([]);
  });

  it("includes the pool's fee and price impact in a sale", async () => {
    const { compare } = await comparing({ mexc: priced("0.79", "0.8", "1000000") });
    const { executable } = (await compare("symbol=INDY/USDT&dex=true&exchanges=mexc")).analysis;
    expect(executable).toMatchObject({
      opportunity: true,
      buy: "mexc",
      sell: "MinswapV2",
      sellPool: "minswapv2.indy",
      endsAt: "gain",
    });
    // The pool's price falls with each token sold: far less than the book has is worth selling.
    expect(executable.amount).toBeLessThan(60_000);
    expect(executable.amount).toBeGreaterThan(10_000);
    expect(executable.net).toBeLessThan(executable.amount * 0.2);
    expect(executable.fees).toBeGreaterThan(executable.cost * 0.0035);
  });

  it("names a failing aggregator, or omits it with partial", async () => {
    const refused = () => Promise.reject(new VenueError("unavailable", "the DEX aggregator did not respond"));
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
