import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Decimal, mul, ONE } from "../../src/kernel/decimal.ts";
import { earnedAgainst, HORIZONS, impactOn, isToxic } from "../../src/model/order.ts";
import { addToTallies, newTally } from "../../src/quality/tally.ts";
import { d } from "../support/grid.ts";
import { fill } from "../support/made.ts";

const price = fc.bigInt({ min: 1n, max: 10n ** 24n });
const side = fc.constantFrom("buy" as const, "sell" as const);

/** A fill of 1 base. */
const single = (way: "buy" | "sell", paid: string) => ({
  side: way,
  price: d(paid),
  amount: ONE,
  notional: d(paid),
});

describe("execution of a fill", () => {
  // By hand: a bid at 99.95 fills while the mid is 100, and the mid falls to 99.97.
  it("splits the spread of a bid into what is kept and what the price took", () => {
    const bid = single("buy", "99.95");
    expect(earnedAgainst(bid, d("100"))).toBe(d("0.05") * ONE);
    expect(impactOn(bid, { mid: d("100"), later: d("99.97") })).toBe(d("0.03") * ONE);
    expect(earnedAgainst(bid, d("99.97"))).toBe(d("0.02") * ONE);
    expect(isToxic(bid, d("99.97"))).toBe(false);
  });

  // By hand: an ask at 100.04 fills at a mid of 100, and the mid rises to 100.09, further than the half-spread of 0.04.
  it("counts an ask as toxic if the mid passes its price", () => {
    const ask = single("sell", "100.04");
    expect(earnedAgainst(ask, d("100"))).toBe(d("0.04") * ONE);
    expect(impactOn(ask, { mid: d("100"), later: d("100.09") })).toBe(d("0.09") * ONE);
    expect(earnedAgainst(ask, d("100.09"))).toBe(d("-0.05") * ONE);
    expect(isToxic(ask, d("100.09"))).toBe(true);
    expect(isToxic(ask, d("100.04"))).toBe(false);
  });

  it("splits the example of the guide as it says", () => {
    const bid = { side: "buy", price: d("99.9"), amount: d("2"), notional: d("199.8") } as const;
    const parts = (later: string) => [
      earnedAgainst(bid, d("100")),
      earnedAgainst(bid, d(later)),
      impactOn(bid, { mid: d("100"), later: d(later) }),
    ];
    const exact = (...values: string[]) => values.map((value) => d(value) * ONE);
    expect(parts("99.8")).toEqual(exact("0.2", "-0.2", "0.4"));
    expect(parts("100.05")).toEqual(exact("0.2", "0.3", "-0.1"));
    expect([isToxic(bid, d("99.8")), isToxic(bid, d("100.05"))]).toEqual([true, false]);
  });

  it("earns 1.5 quote with 30 base at a half-spread of 0.05, and nothing with a taker order at the mid", () => {
    const bid = { side: "buy", amount: d("30"), notional: d("2998.5") } as const;
    expect(earnedAgainst(bid, d("100"))).toBe(d("1.5") * ONE);
    expect(earnedAgainst({ ...bid, side: "sell" }, d("99.95"))).toBe(0n);
  });

  it("has an effective half-spread of realized half-spread plus price impact, to the last unit", () => {
    fc.assert(
      fc.property(side, price, price, price, price, (way, paid, amount, mid, later) => {
        const made = { side: way, price: paid, amount, notional: mul(paid, amount, "half") };
        const parts = earnedAgainst(made, later) + impactOn(made, { mid, later });
        expect(parts).toBe(earnedAgainst(made, mid));
        const exact = { ...made, amount: ONE, notional: paid };
        expect(isToxic(exact, later)).toBe(impactOn(exact, { mid, later }) > earnedAgainst(exact, mid));
      }),
    );
  });

  it("adds up to the same over many fills, of which the mids of some are unknown", () => {
    const known = fc.option(price, { nil: null });
    const mids = fc.record({
      mid: price,
      mid1s: known,
      mid10s: known,
      mid1m: known,
      mid5m: known,
      mid1h: known,
    });
    const one = fc.tuple(side, price, price, mids).map(([way, paid, amount, others]) => ({
      ...fill(),
      side: way,
      price: paid,
      amount,
      notional: mul(paid, amount, "half"),
      ...others,
    }));
    fc.assert(
      fc.property(fc.array(one, { maxLength: 8 }), (fills) => {
        const tally = newTally();
        for (const made of fills) addToTallies([tally], made);
        for (const { name } of HORIZONS) {
          const measured = fills.filter((made) => made[name] !== null);
          const effective = measured.reduce((sum, made) => sum + earnedAgainst(made, made.mid), 0n);
          expect(tally.markouts[name].earned + tally.impacts[name].earned).toBe(effective);
          expect([tally.markouts[name].known, tally.impacts[name].known]).toEqual(
            Array(2).fill(measured.length),
          );
        }
      }),
    );
  });

  it("earns its half-spread on its whole amount, without rounding", () => {
    fc.assert(
      fc.property(side, price, price, price, (way, paid, amount, mid) => {
        const made = { side: way, price: paid, amount, notional: mul(paid, amount, "half") };
        const rounding = paid * amount - made.notional * ONE;
        const sign = way === "buy" ? 1n : -1n;
        const halfSpread: Decimal = sign * (mid - paid);
        expect(earnedAgainst(made, mid)).toBe(halfSpread * amount + sign * rounding);
      }),
    );
  });
});
