import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mul, ONE, text } from "../../src/kernel/decimal.ts";
import {
  earnedAgainst,
  effectiveHalfSpread,
  isToxic,
  markoutOf,
  priceImpact,
} from "../../src/quality/execution.ts";
import { d } from "../support/grid.ts";

const price = fc.bigInt({ min: 1n, max: 10n ** 24n });
const side = fc.constantFrom("buy" as const, "sell" as const);

describe("execution of a fill", () => {
  // By hand: a bid at 99.95 fills while the mid is 100, and the mid falls to 99.97.
  it("splits the spread of a bid into what is kept and what the price took", () => {
    const bid = { side: "buy", price: d("99.95") } as const;
    expect(text(effectiveHalfSpread(bid, d("100")))).toBe("0.05");
    expect(text(priceImpact(bid, { mid: d("100"), later: d("99.97") }))).toBe("0.03");
    expect(text(markoutOf(bid, d("99.97")))).toBe("0.02");
    expect(isToxic(bid, d("99.97"))).toBe(false);
  });

  // By hand: an ask at 100.04 fills at a mid of 100, and the mid rises to 100.09, further than the half-spread of 0.04.
  it("counts an ask as toxic if the mid passes its price", () => {
    const ask = { side: "sell", price: d("100.04") } as const;
    expect(text(effectiveHalfSpread(ask, d("100")))).toBe("0.04");
    expect(text(priceImpact(ask, { mid: d("100"), later: d("100.09") }))).toBe("0.09");
    expect(text(markoutOf(ask, d("100.09")))).toBe("-0.05");
    expect(isToxic(ask, d("100.09"))).toBe(true);
    expect(isToxic(ask, d("100.04"))).toBe(false);
  });

  it("earns 1.5 quote with 30 base at a half-spread of 0.05, and nothing with a taker order at the mid", () => {
    const fill = { side: "buy", amount: d("30"), notional: d("2998.5") } as const;
    expect(earnedAgainst(fill, d("100"))).toBe(d("1.5") * ONE);
    expect(earnedAgainst({ ...fill, side: "sell" }, d("99.95"))).toBe(0n);
  });

  it("has an effective half-spread of realized half-spread plus price impact, to the last unit", () => {
    fc.assert(
      fc.property(side, price, price, price, (way, paid, mid, later) => {
        const fill = { side: way, price: paid };
        const parts = markoutOf(fill, later) + priceImpact(fill, { mid, later });
        expect(parts).toBe(effectiveHalfSpread(fill, mid));
        expect(isToxic(fill, later)).toBe(priceImpact(fill, { mid, later }) > effectiveHalfSpread(fill, mid));
      }),
    );
  });

  it("earns its half-spread on its whole amount, without rounding", () => {
    fc.assert(
      fc.property(side, price, price, price, (way, paid, amount, mid) => {
        const fill = { side: way, price: paid, amount, notional: mul(paid, amount, "half") };
        const rounding = paid * amount - fill.notional * ONE;
        const sign = way === "buy" ? 1n : -1n;
        expect(earnedAgainst(fill, mid)).toBe(effectiveHalfSpread(fill, mid) * amount + sign * rounding);
      }),
    );
  });
});
