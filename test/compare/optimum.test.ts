import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bestExecution } from "../../src/compare/schema.ts";
import { type Decimal, decimal, ONE } from "../../src/kernel/decimal.ts";
import type { BookLevel } from "../../src/model/market.ts";
import { type Levels, leg, levelsOf } from "../support/legs.ts";

/** Prices and amounts of few places, so that every product is exact and a sum over all lots stays quick. */
const side = (direction: 1 | -1) =>
  fc
    .array(fc.tuple(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 1, max: 80 })), {
      minLength: 1,
      maxLength: 6,
    })
    .map((steps) => {
      let price = 1000;
      return steps.map(([step, amount]): [string, string] => {
        price += direction * step;
        return [(price / 10).toFixed(1), (amount / 20).toFixed(2)];
      });
    });
const shift = fc.integer({ min: -30, max: 60 });
const fee = fc.constantFrom("0", "0.0005", "0.001", "0.002", "0.1");
const lot = fc.constantFrom("0.05", "0.1", "0.15", "0.5");

/** Every multiple of the lot, taken from the books one part after the other, in exact integers of 1e-18. */
function bruteForce(given: {
  asks: Levels;
  bids: Levels;
  askFee: string;
  bidFee: string;
  step: Decimal;
  most?: Decimal;
}) {
  const [asks, bids] = [levelsOf(given.asks), levelsOf(given.bids)];
  const total = (levels: BookLevel[]) => levels.reduce((all, { amount }) => all + amount, 0n);
  const most = [total(asks), total(bids), ...(given.most === undefined ? [] : [given.most])].reduce((a, b) =>
    a < b ? a : b,
  );
  let best = { amount: 0n, net: 0n };
  for (let amount = given.step; amount <= most; amount += given.step) {
    const walked = (levels: BookLevel[]) => {
      let [left, notional] = [amount, 0n];
      for (const level of levels) {
        const accepted = left < level.amount ? left : level.amount;
        notional += (accepted * level.price) / ONE;
        left -= accepted;
      }
      return notional;
    };
    const [cost, proceeds] = [walked(asks), walked(bids)];
    const fees = (cost * decimal(given.askFee)) / ONE + (proceeds * decimal(given.bidFee)) / ONE;
    const net = proceeds - cost - fees;
    if (net > best.net) best = { amount, net };
  }
  return best;
}

describe("the optimum compared with every multiple of the lot size", () => {
  it("has the highest net profit at the smallest size", () => {
    fc.assert(
      fc.property(
        side(1),
        side(-1),
        shift,
        fee,
        fee,
        lot,
        lot,
        fc.option(fc.integer({ min: 1, max: 200 }), { nil: undefined }),
        (asks, raw, up, askFee, bidFee, lotA, lotB, cap) => {
          const bids = raw.map(([price, amount]): [string, string] => [
            (Number(price) + up / 10).toFixed(1),
            amount,
          ]);
          const most = cap === undefined ? undefined : (BigInt(cap) * ONE) / 20n;
          const legs = {
            buy: leg("a", "buy", asks, { fee: askFee, lot: lotA }),
            sell: leg("b", "sell", bids, { fee: bidFee, lot: lotB }),
          };
          const step = commonMultiple(decimal(lotA), decimal(lotB));
          const best = bruteForce({
            asks,
            bids,
            askFee,
            bidFee,
            step,
            ...(most === undefined ? {} : { most }),
          });
          const found = bestExecution(legs, most);
          expect({ amount: found?.amount ?? 0n, net: found?.net ?? 0n }).toEqual(best);
        },
      ),
      { numRuns: 1000 },
    );
  });
});

const commonMultiple = (a: Decimal, b: Decimal): Decimal => {
  let multiple = a;
  while (multiple % b !== 0n) multiple += a;
  return multiple;
};
