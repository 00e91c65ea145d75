import { existsSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { executableOf } from "../../src/compare/analysis.ts";
import { bookLeg } from "../../src/compare/book-leg.ts";
import { bestExecution, execute, meetsMinimum } from "../../src/compare/executable.ts";
import type { Leg } from "../../src/compare/leg.ts";
import { poolLeg } from "../../src/compare/pool-leg.ts";
import type { PricedPool } from "../../src/dex-port.ts";
import { type Decimal, decimal, ONE, text, ZERO } from "../../src/kernel/decimal.ts";
import type { BookLevel } from "../../src/ports.ts";

type Levels = readonly (readonly [price: string, amount: string])[];
interface Rules {
  lot?: string;
  minAmount?: string;
  minNotional?: string;
  fee?: string;
}

const levelsOf = (levels: Levels): BookLevel[] =>
  levels.map(([price, amount]) => ({ price: decimal(price), amount: decimal(amount) }));

function leg(exchange: string, side: "buy" | "sell", levels: Levels, rules: Rules = {}): Leg {
  const { lot = "0.01", minAmount = lot, minNotional = "0", fee = "0" } = rules;
  return bookLeg({
    exchange,
    side,
    levels: levelsOf(levels),
    market: { lot: decimal(lot), minAmount: decimal(minAmount), minNotional: decimal(minNotional) },
    taker: decimal(fee),
  });
}

const venue = (exchange: string, { bids, asks, ...rules }: Rules & { bids: Levels; asks: Levels }) => ({
  buy: leg(exchange, "buy", asks, rules),
  sell: leg(exchange, "sell", bids, rules),
});

const ASKS: Levels = [
  ["100", "1"],
  ["100.5", "2"],
];
const BIDS: Levels = [
  ["101.2", "0.5"],
  ["100.9", "1"],
  ["100.6", "5"],
];
const told = (one: { amount: Decimal; net: Decimal } | undefined) =>
  one && { amount: text(one.amount), net: text(one.net) };

describe("the best size of an arbitrage", () => {
  const vectors = new URL("../../../shared/vectors/grid.json", import.meta.url);
  it.skipIf(!existsSync(vectors))("is that of the worked example (skipped without the vectors)", () => {
    const cases = JSON.parse(readFileSync(vectors, "utf8")) as {
      id: string;
      given: never;
      expect: unknown;
    }[];
    const found = cases.find(({ id }) => id === "executable-arbitrage");
    const given = found?.given as unknown as { asks: Levels; bids: Levels; askFee: string; bidFee: string };
    const best = bestExecution({
      buy: leg("a", "buy", given.asks, { fee: given.askFee }),
      sell: leg("b", "sell", given.bids, { fee: given.bidFee }),
    });
    expect(told(best)).toEqual(found?.expect);
  });

  it.each<[string, Levels, Levels, Rules, Rules, string | undefined, object | undefined]>([
    [
      "fees on both sides",
      ASKS,
      BIDS,
      { fee: "0.001" },
      { fee: "0.002" },
      undefined,
      { amount: "1.5", net: "0.79675", endsAt: "gain" },
    ],
    [
      "no fees: to where the books meet",
      ASKS,
      BIDS,
      {},
      {},
      undefined,
      { amount: "3", net: "1.4", endsAt: "depth" },
    ],
    ["fees too high for the first lot", ASKS, BIDS, { fee: "0.01" }, { fee: "0.01" }, undefined, undefined],
    [
      "at most the asked amount",
      ASKS,
      BIDS,
      { fee: "0.001" },
      { fee: "0.002" },
      "0.7",
      { amount: "0.7", endsAt: "amount" },
    ],
    ["the asked amount down to the lot", ASKS, BIDS, { lot: "0.25" }, {}, "0.7", { amount: "0.5" }],
    [
      "more asked than gains",
      ASKS,
      BIDS,
      { fee: "0.001" },
      { fee: "0.002" },
      "5",
      { amount: "1.5", endsAt: "gain" },
    ],
    [
      "a lot that both venues take",
      ASKS,
      BIDS,
      { lot: "0.4", fee: "0.001" },
      { lot: "0.6", fee: "0.002" },
      undefined,
      { amount: "1.2" },
    ],
    [
      "a last lot that gains though its end loses",
      [["100", "1"]],
      [
        ["101", "0.6"],
        ["99.9", "9"],
      ],
      { lot: "0.5" },
      {},
      undefined,
      { amount: "1", net: "0.56" },
    ],
    [
      "a last lot that loses more than it gains",
      [["100", "1"]],
      [
        ["101", "0.6"],
        ["99", "9"],
      ],
      { lot: "0.5" },
      {},
      undefined,
      { amount: "0.5", net: "0.5" },
    ],
    ["less than a lot", [["100", "0.3"]], [["101", "0.3"]], { lot: "0.5" }, {}, undefined, undefined],
    [
      "one level each",
      [["100", "1"]],
      [["101", "2"]],
      {},
      {},
      undefined,
      { amount: "1", net: "1", endsAt: "depth" },
    ],
    ["equal prices", [["100", "1"]], [["100", "1"]], {}, {}, undefined, undefined],
    ["an empty book", [], BIDS, {}, {}, undefined, undefined],
  ])("%s", (_what, asks, bids, buyer, seller, most, wanted) => {
    const best = bestExecution(
      { buy: leg("a", "buy", asks, buyer), sell: leg("b", "sell", bids, seller) },
      most === undefined ? undefined : decimal(most),
    );
    if (wanted === undefined) expect(best).toBeUndefined();
    else expect(best && { ...told(best), endsAt: best.endsAt }).toMatchObject(wanted);
  });
});

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
        const taken = left < level.amount ? left : level.amount;
        notional += (taken * level.price) / ONE;
        left -= taken;
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

describe("against every multiple of the lot", () => {
  it("the net is the highest there is, and the size the least with it", () => {
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

describe("among venues", () => {
  const low = venue("low", { asks: ASKS, bids: [["99", "9"]], fee: "0.001" });
  const high = venue("high", { asks: [["102", "9"]], bids: BIDS, fee: "0.002" });
  const higher = venue("higher", { asks: [["103", "9"]], bids: [["101.5", "3"]], fee: "0.002" });

  it("the pair with the highest net is taken", () => {
    const { best, reason } = executableOf([low, high, higher]);
    expect([best?.buy.exchange, best?.sell.exchange, reason]).toEqual(["low", "higher", undefined]);
  });

  it("a book that crosses itself on one venue alone is no opportunity", () => {
    const crossed = venue("crossed", { asks: [["100", "1"]], bids: [["101", "1"]] });
    const far = venue("far", { asks: [["200", "1"]], bids: [["50", "1"]] });
    expect(executableOf([crossed])).toMatchObject({ best: undefined, reason: "one_venue" });
    expect(executableOf([crossed, far])).toMatchObject({ best: undefined, reason: "no_gain" });
  });

  it.each<[string, Rules]>([
    ["notional", { minNotional: "151.6" }],
    ["amount", { minAmount: "1.51" }],
  ])("what gains below the least %s of either venue is no opportunity", (_what, least) => {
    const strict = venue("strict", { asks: [["102", "9"]], bids: BIDS, fee: "0.002", ...least });
    expect(executableOf([low, strict])).toMatchObject({ best: undefined, reason: "below_minimum" });
    expect(executableOf([low, strict, high]).best?.sell.exchange).toBe("high");
  });

  it("tells what all of an amount would bring, at a loss too", () => {
    const { best, whole } = executableOf([low, high], decimal("2.5"));
    expect(told(best)).toEqual({ amount: "1.5", net: "0.79675" });
    expect(whole && text(whole.cost)).toBe("250.75");
    expect(whole && text(whole.proceeds)).toBe("252.1");
    expect(whole && text(whole.net)).toBe(
      text(decimal("252.1") - decimal("250.75") - decimal("0.25075") - decimal("0.5042")),
    );
    expect(executableOf([low, high], decimal("4")).whole?.buy.exchange).toBe("high");
    expect(executableOf([low, high], decimal("100")).whole).toBeUndefined();
  });
});

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

describe("a pool", () => {
  it("keeps its product but for the fee, both ways", () => {
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
          const wanted =
            side === "buy" ? (y * base) / (x - base) / 0.997 : (y * base * 0.997) / (x + base * 0.997);
          const quote = Number(side === "buy" ? notional + paid : notional - paid) / 1e18;
          expect(quote / wanted).toBeCloseTo(1, 9);
        },
      ),
    );
  });

  it("is bought from up to where its price has risen to the bid", () => {
    const sell = leg("a", "sell", [["1.1", "100000"]], { lot: "0.1" });
    const buy = poolLeg({ pool: pool(), side: "buy", ada: ADA }) as Leg;
    const best = bestExecution({ buy, sell });
    // y·x/(x − a)² / (1 − f) = 1.1
    const wanted = 50_000 - Math.sqrt((50_000 * 50_000) / (1.1 * 0.997));
    expect(Number(best?.amount) / 1e18).toBeCloseTo(wanted, 0);
    const at = (lots: bigint) => execute({ buy, sell }, (best?.amount ?? 0n) + lots * decimal("0.1")).net;
    expect([at(-1n) <= at(0n), at(1n) <= at(0n)]).toEqual([true, true]);
  });

  it.each<[string, Partial<PricedPool>]>([
    ["a fee that is not known", { fees: { buy: undefined, sell: undefined } }],
    ["a price that its reserves do not have", { quoted: decimal("2.03") }],
    ["an empty side", { reserves: { ada: decimal("1"), token: ZERO } }],
  ])("with %s is not traded with", (_what, over) => {
    expect(poolLeg({ pool: pool(over), side: "buy", ada: ADA })).toBeUndefined();
  });

  it("has no least notional", () => {
    const legs = {
      buy: poolLeg({ pool: pool(), side: "buy", ada: ADA }) as Leg,
      sell: leg("a", "sell", [["1.1", "1"]], { lot: "0.1" }),
    };
    expect(meetsMinimum(execute(legs, decimal("0.1")))).toBe(true);
  });
});
