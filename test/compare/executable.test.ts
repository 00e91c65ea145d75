import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { bestExecution, executableOf } from "../../src/compare/schema.ts";
import { type Decimal, decimal, text } from "../../src/kernel/decimal.ts";
import { type Levels, leg, type Rules } from "../support/legs.ts";

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
const format = (one: { amount: Decimal; net: Decimal } | undefined) =>
  one && { amount: text(one.amount), net: text(one.net) };

describe("the optimal arbitrage size", () => {
  const vectors = new URL("../../../shared/vectors/grid.json", import.meta.url);
  it.skipIf(!existsSync(vectors))("matches the worked example (skipped without the vectors)", () => {
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
    expect(format(best)).toEqual(found?.expect);
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
  ])("%s", (_what, asks, bids, buyer, seller, most, expected) => {
    const best = bestExecution(
      { buy: leg("a", "buy", asks, buyer), sell: leg("b", "sell", bids, seller) },
      most === undefined ? undefined : decimal(most),
    );
    if (expected === undefined) expect(best).toBeUndefined();
    else expect(best && { ...format(best), endsAt: best.endsAt }).toMatchObject(expected);
  });
});

describe("the choice among venues", () => {
  const low = venue("low", { asks: ASKS, bids: [["99", "9"]], fee: "0.001" });
  const high = venue("high", { asks: [["102", "9"]], bids: BIDS, fee: "0.002" });
  const higher = venue("higher", { asks: [["103", "9"]], bids: [["101.5", "3"]], fee: "0.002" });

  it("picks the pair with the highest net profit", () => {
    const { best, reason } = executableOf([low, high, higher]);
    expect([best?.buy.exchange, best?.sell.exchange, reason]).toEqual(["low", "higher", undefined]);
  });

  it("ignores a crossed book on a single venue", () => {
    const crossed = venue("crossed", { asks: [["100", "1"]], bids: [["101", "1"]] });
    const far = venue("far", { asks: [["200", "1"]], bids: [["50", "1"]] });
    expect(executableOf([crossed])).toMatchObject({ best: undefined, reason: "one_venue" });
    expect(executableOf([crossed, far])).toMatchObject({ best: undefined, reason: "no_gain" });
  });

  const strict = { asks: [["102", "9"]] as Levels, bids: BIDS, fee: "0.002" };
  const cheap = { asks: ASKS, bids: [["99", "9"]] as Levels, fee: "0.001" };
  it.each<[string, Rules, Rules]>([
    ["notional of where it is sold", {}, { minNotional: "151.6" }],
    ["notional of where it is bought", { minNotional: "150.3" }, {}],
    ["amount of where it is sold", {}, { minAmount: "1.51" }],
    ["amount of where it is bought", { minAmount: "1.51" }, {}],
  ])("ignores a profit below the minimum %s", (_what, buyer, seller) => {
    const places = [venue("cheap", { ...cheap, ...buyer }), venue("strict", { ...strict, ...seller })];
    expect(executableOf(places)).toMatchObject({ best: undefined, reason: "below_minimum" });
  });

  it("picks a pair with less net profit if the best one's size is below the minimum", () => {
    const closed = venue("closed", { ...strict, minAmount: "1.51" });
    expect(executableOf([low, closed, high]).best?.sell.exchange).toBe("high");
  });

  it("reports the net result of the whole amount, even at a loss", () => {
    const { best, whole } = executableOf([low, high], decimal("2.5"));
    expect(format(best)).toEqual({ amount: "1.5", net: "0.79675" });
    expect(whole && text(whole.cost)).toBe("250.75");
    expect(whole && text(whole.proceeds)).toBe("252.1");
    expect(whole && text(whole.net)).toBe(
      text(decimal("252.1") - decimal("250.75") - decimal("0.25075") - decimal("0.5042")),
    );
    expect(executableOf([low, high], decimal("4")).whole?.buy.exchange).toBe("high");
    expect(executableOf([low, high], decimal("100")).whole).toBeUndefined();
  });
});
