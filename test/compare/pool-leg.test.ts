import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { poolLeg } from "../../src/compare/operations/compare.ts";
import { bestExecution, executePair, type Leg, meetsBothMinimums } from "../../src/compare/schema.ts";
import { decimal, ONE, ZERO } from "../../src/kernel/decimal.ts";
import type { PricedPool } from "../../src/ports/venue.ts";
import { leg } from "../support/legs.ts";

const pool = (over: Partial<PricedPool> = {}): PricedPool => ({
  dex: "Minswap",
  identifier: "m",
  tvl: decimal("200000"),
  quoted: decimal("2"),
  reserves: { ada: decimal("100000"), token: decimal("50000") },
  lot: decimal("0.000001"),
  fees: { buy: decimal("0.003"), sell: decimal("0.003") },
  ...over,
});
const ADA = decimal("0.5");

describe("a pool leg", () => {
  it("preserves the pool's product apart from the fee, both ways", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 25_000_000 }),
        fc.constantFrom("buy" as const, "sell" as const),
        (milli, side) => {
          const amount = (BigInt(milli) * ONE) / 1000n;
          const { notional, fee: paid } = poolLeg({ pool: pool(), side, ada: ADA })?.fill(amount) ?? {
            notional: 0n,
            fee: 0n,
          };
          const [x, y] = [50_000, 50_000];
          const base = Number(amount) / 1e18;
          const expected =
            side === "buy" ? (y * base) / (x - base) / 0.997 : (y * base * 0.997) / (x + base * 0.997);
          const quote = Number(side === "buy" ? notional + paid : notional - paid) / 1e18;
          expect(quote / expected).toBeCloseTo(1, 9);
        },
      ),
    );
  });

  it("buys from a pool until its price reaches the bid", () => {
    const sell = leg("a", "sell", [["1.1", "100000"]], { lot: "0.1" });
    const buy = poolLeg({ pool: pool(), side: "buy", ada: ADA }) as Leg;
    const best = bestExecution({ buy, sell });
    // y·x/(x − a)² / (1 − f) = 1.1
    const expected = 50_000 - Math.sqrt((50_000 * 50_000) / (1.1 * 0.997));
    expect(Number(best?.amount) / 1e18).toBeCloseTo(expected, 0);
    const at = (lots: bigint) => executePair({ buy, sell }, (best?.amount ?? 0n) + lots * decimal("0.1")).net;
    expect([at(-1n) <= at(0n), at(1n) <= at(0n)]).toEqual([true, true]);
  });

  it.each<[string, Partial<PricedPool>]>([
    ["a fee that is not known", { fees: { buy: undefined, sell: undefined } }],
    ["a price that its reserves do not have", { quoted: decimal("2.03") }],
    ["an empty side", { reserves: { ada: decimal("1"), token: ZERO } }],
  ])("does not trade with a pool that has %s", (_what, over) => {
    expect(poolLeg({ pool: pool(over), side: "buy", ada: ADA })).toBeUndefined();
  });

  it("has no minimum notional", () => {
    const legs = {
      buy: poolLeg({ pool: pool(), side: "buy", ada: ADA }) as Leg,
      sell: leg("a", "sell", [["1.1", "1"]], { lot: "0.1" }),
    };
    expect(meetsBothMinimums(executePair(legs, decimal("0.1")))).toBe(true);
  });
});
