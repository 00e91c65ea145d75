import { expect, it } from "vitest";
import { binanceFlags } from "../../src/liquidity/exchange-rules.ts";
import { d } from "../support/grid.ts";
import { liquidityMinute, spanOf } from "../support/liquidity-minute.ts";

/** Two minutes of own orders and of the whole book, within 2 %. */
const span = (bids: string, asks: string, isKnown = true) =>
  spanOf({
    from: 0,
    to: 2,
    rows: [0, 1].map((minute) =>
      liquidityMinute({
        minute,
        ownDepth: { bids: [0n, 0n, d(bids)], asks: [0n, 0n, d(asks)] },
        depth: isKnown ? { bids: [0n, 0n, d("700")], asks: [0n, 0n, d("300")] } : null,
      }),
    ),
  });
const month = (volume: string | null) =>
  Array.from({ length: 30 }, () => (volume === null ? null : d(volume)));

it("shows what samples and volumes say about each flag, without a verdict", () => {
  const flags = binanceFlags(span("100", "300"), month("50000"));
  expect(flags.map(({ rule }) => rule.split(/[ :]/, 2).join(" "))).toEqual([
    "sales before",
    "selling on",
    "coordinated sales",
    "high volume",
    "a thin",
    "a shared",
  ]);
  expect(flags.every(({ state, limit }) => state === "shown" && limit === null)).toBe(true);
  expect(flags.map(({ value }) => value)).toEqual([null, d("0.25"), null, d("50000"), d("0.02"), null]);
  expect(flags.map(({ reason }) => reason?.split(":")[0])).toEqual([
    "not observable here",
    undefined,
    "not observable here",
    undefined,
    undefined,
    "not observable here",
  ]);
});

it("names what is missing", () => {
  const reasons = (...of: Parameters<typeof binanceFlags>) =>
    binanceFlags(...of).flatMap(({ value, reason }, place) =>
      [1, 3, 4].includes(place) ? [[value, reason]] : [],
    );
  const candle = "a daily candle of the exchange is missing";
  const unknown = [null, candle];
  expect(reasons(span("0", "0"), [...month("50000").slice(1), null])).toEqual([
    [null, "no sample has own orders within 2 %"],
    unknown,
    unknown,
  ]);
  expect(reasons(span("1", "1"), month("50000").slice(1)).slice(1)).toEqual([unknown, unknown]);
  const nothing = [null, "no sample has the depth, or there was no volume"];
  expect(reasons(span("1", "1", false), month("50000"))[2]).toEqual(nothing);
  expect(reasons(span("1", "1"), month("0"))[2]).toEqual(nothing);
});
