import { describe, expect, it } from "vitest";
import { sandboxAggregator } from "../../../src/adapters/sandbox/aggregator.ts";
import { type Decimal, wire } from "../../../src/kernel/decimal.ts";
import type { ChainToken } from "../../../src/kernel/pair.ts";
import { midOf } from "../../../src/kernel/spread.ts";
import { HOUR, MINUTE } from "../../../src/kernel/time.ts";
import { testSandbox } from "../../support/sandbox.ts";

const decimals = { INDY: 6, SNEK: 0, NIGHT: 6, MIN: 6 } as const;
const tokens = Object.keys(decimals) as ChainToken[];

describe("the simulated pools", () => {
  it.each(["INDY", "SNEK"] as const)(
    "of %s follow the simulated exchanges, with a small offset",
    async (token) => {
      const { deps, venue, time } = await testSandbox();
      const observed = new Set<Decimal>();
      for (let hour = 0; hour < 48; hour++) {
        time.pass(HOUR);
        const mid = async (symbol: `${string}/USDT`) => midOf(await venue("mexc").ticker(symbol));
        const market = wire(await mid(`${token}/USDT`)) / wire(await mid("ADA/USDT"));
        for (const { quoted } of await deps.dex.pools(token)) {
          expect(Math.abs(wire(quoted ?? 0n) / market - 1)).toBeLessThan(0.01);
          observed.add(quoted ?? 0n);
        }
      }
      expect(observed.size).toBeGreaterThan(200);
    },
  );

  it("are the same for every process and time of one sandbox, and differ for another seed", async () => {
    const { deps, venue, row, time } = await testSandbox({ seed: 7 });
    time.pass(5 * MINUTE);
    const pools = await deps.dex.pools("INDY");
    const again = (seed: number) =>
      sandboxAggregator({ ...row, seed, market: venue("kraken") }).pools("INDY");
    expect(await again(7)).toEqual(pools);
    expect(await again(8)).not.toEqual(pools);
  });

  it.each(tokens)("of %s hold whole units, at the price of their reserves", async (token) => {
    const { deps } = await testSandbox();
    const pools = await deps.dex.pools(token);
    expect(pools).toHaveLength(5);
    for (const { reserves, lot, quoted } of pools) {
      expect([reserves.token % lot, wire(lot)]).toEqual([0n, 10 ** -decimals[token]]);
      expect(wire(reserves.ada) / wire(reserves.token)).toBeCloseTo(wire(quoted ?? 0n), 12);
    }
  });

  it.each(tokens)("give %s a price with confidence, without the pool that is too small", async (token) => {
    const { deps } = await testSandbox();
    const { confidence, sources } = await deps.dex.price(token);
    expect(wire(confidence)).toBeGreaterThan(0.8);
    expect(sources.map(({ exchange }) => exchange)).toEqual([
      "MinswapV2",
      "SundaeSwapV3",
      "WingRidersV2",
      "Splash",
      "mexc",
      "gateio",
      "bitget",
      "kraken",
    ]);
  });

  it("of a token that no exchange lists have moving prices too", async () => {
    const { deps, time } = await testSandbox();
    const prices = new Set<Decimal>();
    for (let hour = 0; hour < 6; hour++) {
      time.pass(HOUR);
      prices.add((await deps.dex.price("NIGHT")).price);
    }
    expect(prices.size).toBe(6);
  });
});
