import { describe, expect, it } from "vitest";
import { wideningOf, withMid } from "../../../src/grid/ladder/levels.ts";
import { HOUR, MINUTE } from "../../../src/kernel/time.ts";
import { d } from "../../support/grid.ts";

const at = (time: number, mid = "100") => ({ at: time, mid: d(mid) });
const START = 10 * HOUR;
const BETWEEN = { low: d("0.02"), high: d("0.06") };

describe("the mids of the last hour", () => {
  it("are one a minute, repeated while there is no new one", () => {
    const known = [at(START)];
    expect(withMid([], d("100"), START)).toEqual(known);
    expect(withMid(known, d("101"), START + MINUTE - 1)).toBe(known);
    expect(withMid(known, d("101"), START + MINUTE)).toEqual([...known, at(START + MINUTE, "101")]);
  });

  it("are at most an hour old", () => {
    const known = [at(START), at(START + 1)];
    expect(withMid(known, d("100"), START + HOUR)).toEqual([...known, at(START + HOUR)]);
    expect(withMid(known, d("100"), START + HOUR + 1)).toEqual([known[1], at(START + HOUR + 1)]);
    const ahead = at(START + 2 * HOUR);
    expect(withMid([...known, ahead], d("100"), START + HOUR)).toEqual([...known, at(START + HOUR)]);
  });
});

describe("the volatility factor of a grid's width", () => {
  const widening = (mids: ReturnType<typeof at>[], now = START + 30 * MINUTE) =>
    wideningOf(BETWEEN, { mids }, now);
  const moving = (least: string, most: string) => widening([at(START, least), at(START + MINUTE, most)]);

  it("is unknown in the first half hour", () => {
    expect(widening([])).toBeUndefined();
    expect(widening([at(START)], START + 30 * MINUTE - 1)).toBeUndefined();
    expect(widening([at(START)])).toBe(d("1"));
  });

  it("rises from one to two between the bounds", () => {
    expect(moving("99", "101")).toBe(d("1"));
    expect(moving("98", "102")).toBe(d("1.5"));
    expect(moving("102", "98")).toBe(d("1.5"));
    expect(moving("97", "103")).toBe(d("2"));
    expect(moving("80", "120")).toBe(d("2"));
    expect(moving("98.5", "101.5")).toBe(d("1.25"));
  });

  it("is one at the lower bound and two at the upper, even if both are equal", () => {
    const same = { low: d("0.02"), high: d("0.02") };
    const mids = (most: string) => ({ mids: [at(START, "99"), at(START, most)] });
    expect(wideningOf(same, mids("101"), START + HOUR)).toBe(d("1"));
    expect(wideningOf(same, mids("102"), START + HOUR)).toBe(d("2"));
  });

  it("counts every mid of the last hour, and none before", () => {
    const hour = START + HOUR;
    expect(widening([at(START, "98"), at(hour, "102")], hour)).toBe(d("1.5"));
    expect(widening([at(START - 1, "1"), at(START, "98"), at(hour, "102")], hour)).toBe(d("1.5"));
    const mids = [at(START, "98"), at(START, "98"), at(START, "104")];
    expect(widening(mids)).toBe(d("2"));
    expect(widening([...mids.slice(1), at(START, "101")])).toBe(d("1.98514851485148515"));
  });
});
