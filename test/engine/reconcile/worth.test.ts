import { describe, expect, it } from "vitest";
import {
  agreement,
  confidenceFrom,
  confidenceNow,
  isRecent,
} from "../../../src/engine/reconcile/confidence.ts";
import { thirdAssets, withFeeValues } from "../../../src/engine/reconcile/fee-values.ts";
import { MINUTE } from "../../../src/kernel/time.ts";
import { d, market } from "../../support/grid.ts";
import { fill, quote, SYMBOL } from "../../support/made.ts";

describe("a fee in a third asset", () => {
  const fee = (asset: string, amount = "2") => ({ asset, amount: d(amount) });
  const mids = new Map([["KCS/USDT", d("3")]] as const);

  it("is a nonzero fee in neither base nor quote", () => {
    const fees = [fee("BTC"), fee("USDT"), fee("KCS"), fee("KCS"), fee("BGB", "0"), fee("MX", "-1")];
    expect(thirdAssets(SYMBOL, fees)).toEqual(["KCS", "MX"]);
  });

  it("is valued at the mid and leaves other fees unchanged", () => {
    const one = fill({ fees: [fee("BTC"), fee("KCS")] });
    const { fees } = withFeeValues(one, { mids, market: undefined });
    expect(fees).toEqual([fee("BTC"), { ...fee("KCS"), value: d("6") }]);
    const plain = fill({ fees: [fee("BTC"), fee("BGB", "0")] });
    expect(withFeeValues(plain, { mids, market: market() })).toBe(plain);
  });

  it.each([
    [market({ maker: d("0.002") }), "0.1"],
    [market({ taker: d("0.004") }), "0.2"],
    [undefined, "0"],
  ])("without a mid is an equal share of the higher fee rate", (of, share) => {
    const value = { value: d(share), isEstimated: true };
    const one = fill({ fees: [fee("MX"), fee("BGB")] });
    const { fees } = withFeeValues(one, { mids, market: of });
    expect(fees).toEqual([
      { ...fee("MX"), ...value },
      { ...fee("BGB"), ...value },
    ]);
  });
});

describe("the confidence in a price", () => {
  const known = { value: d("0.8"), source: "somebody", at: 0, requestedAt: 0 };
  const silent = { prices: [], maxConfidence: null, listed: true };
  const request = { mid: d("100"), last: undefined, now: 7 };

  it("is unknown if no venue reports a price", () => {
    expect(agreement(d("1"), [])).toBeUndefined();
    expect(agreement(d("1"), [0n])).toBeUndefined();
    expect(agreement(d("1"), [d("-1")])).toBeUndefined();
  });

  it("shows its sources and the time of the request", () => {
    const of = (over: object) => confidenceFrom({ ...silent, ...over }, request);
    const prices = ["a", "b"].map((source) => ({ source, price: d("100") }));
    const times = { at: 7, requestedAt: 7 };
    expect(of({ prices })).toEqual({ value: d("1"), source: "the median of a, b", ...times });
    expect(of({ prices, maxConfidence: d("0.4") }).value).toBe(d("0.4"));
    expect(
      confidenceFrom({ ...silent, prices, maxConfidence: d("0.9") }, { ...request, mid: d("102.5") }).value,
    ).toBe(d("0.5"));
    expect(of({ listed: false })).toEqual({
      value: d("1"),
      source: "no other exchange lists the pair",
      ...times,
    });
    expect(of({})).toEqual({ value: 0n, source: "no other exchange responds", ...times });
  });

  it("stays valid for five minutes when no venue responds", () => {
    const silently = (last: typeof known, now: number) => confidenceFrom(silent, { ...request, last, now });
    const later = { ...known, at: MINUTE, requestedAt: 2 * MINUTE };
    expect(silently(later, 6 * MINUTE)).toEqual({ ...later, requestedAt: 6 * MINUTE });
    expect(silently(later, 6 * MINUTE + 1)).toMatchObject({
      value: 0n,
      source: "no other exchange responds",
    });
    expect(silently({ ...known, value: 0n }, 1)).toMatchObject({
      source: "no other exchange responds",
      at: 1,
    });
  });

  it("is requested once a minute", () => {
    const query = { ...known, requestedAt: 9 * MINUTE };
    expect(isRecent(query, 10 * MINUTE - 1)).toBe(true);
    expect(isRecent(query, 10 * MINUTE)).toBe(false);
    expect(isRecent(undefined, 0)).toBe(false);
    expect(isRecent({ ...query, requestedAt: 10 * MINUTE }, 9 * MINUTE)).toBe(false);
  });

  it("is not computed from an old quote", () => {
    const at = quote({ at: 9 * MINUTE });
    expect(confidenceNow(known, { quote: at, now: 10 * MINUTE })).toBe(known);
    expect(confidenceNow(known, { quote: at, now: 10 * MINUTE + 1 })).toEqual({
      ...known,
      value: 0n,
      source: "the best bid and ask are older than a minute",
    });
  });
});
