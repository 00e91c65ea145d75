import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Candles, candlesIn, candlesOf, slice } from "../../src/candles/candles.ts";
import { type CandleFileExtras, decodeCandles, encodeCandles, readHead } from "../../src/candles/file.ts";
import { hashOf } from "../../src/candles/hash.ts";
import { merge } from "../../src/candles/merge.ts";
import { gapsOf } from "../../src/candles/read.ts";
import { partsWithout, type Range, withRange } from "../../src/candles/windows.ts";
import { MINUTE } from "../../src/kernel/time.ts";

const FIRST = Date.UTC(2022, 0, 1);
const SERIES = { pair: "BTC/USDT", spanMillis: MINUTE } as const;

const bar = (minute: number, price = "100", volume = 1) => ({
  at: FIRST + minute * MINUTE,
  open: price,
  high: price,
  low: price,
  close: price,
  volume,
});
const series = (...minutes: number[]): Candles =>
  candlesOf(
    SERIES,
    minutes.map((minute) => bar(minute)),
  );

const KEPT: CandleFileExtras = {
  source: "kraken",
  hash: "00",
  duplicates: 1,
  refusedRows: 0,
  refused: [],
  asked: [{ from: 0, until: 1 }],
  askedAgain: [],
};

function whole(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((total, { length }) => total + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

const plain = (candles: Candles) =>
  Object.fromEntries(
    Object.entries(candles).map(([name, value]) => [
      name,
      ArrayBuffer.isView(value) ? [...(value as Int32Array)] : value,
    ]),
  );

describe("a file of candles", () => {
  it.each([
    ["in 32 bits", candlesOf(SERIES, [bar(0, "46319.5"), bar(1, "46320.25"), bar(5)])],
    ["in doubles", candlesOf(SERIES, [bar(0, "46319.123456"), bar(1)])],
    ["of no bars", candlesOf(SERIES, [])],
  ])("restores its input, %s", (_name, candles) => {
    const found = decodeCandles(whole(encodeCandles(candles, KEPT)));
    expect(plain(found.candles)).toEqual(plain(candles));
    expect(found.head).toMatchObject({ ...KEPT, ...SERIES, bars: candles.times.length });
  });

  it("reports the error in an invalid file", () => {
    const bytes = whole(encodeCandles(series(0, 1, 2), KEPT));
    expect(() => decodeCandles(bytes.slice(0, -1))).toThrow("it is damaged; remove it");
    expect(() => decodeCandles(bytes.slice(0, 20))).toThrow("it is damaged");
    expect(() =>
      decodeCandles(new TextEncoder().encode("timestamp,open,high,low") as Uint8Array<ArrayBuffer>),
    ).toThrow("it is not a file of candles");
    const newer = bytes.slice();
    newer[8] = 2;
    expect(() => readHead(newer)).toThrow("it has version 2, and this edgemaker reads version 1");
    const other = bytes.slice();
    other[16] = 33;
    expect(() => readHead(other)).toThrow("it is damaged");
  });
});

describe("the hash of candles", () => {
  it("is the same for the same bars, however they are stored", async () => {
    const candles = candlesOf(SERIES, [bar(0, "100.5"), bar(1, "101")]);
    const wide = candlesIn({
      ...candles,
      ...Object.fromEntries(
        (["open", "high", "low", "close"] as const).map((name) => [
          name,
          Float64Array.from(candles[name] as Int32Array, (value) => value * 1000),
        ]),
      ),
      scale: candles.scale + 3,
    });
    expect(await hashOf(wide)).toBe(await hashOf(candles));
    const part = slice(
      candlesOf(SERIES, [bar(0, "100.123"), bar(1, "100.5"), bar(2, "101")]),
      FIRST + MINUTE,
      FIRST + 3 * MINUTE,
    );
    expect(await hashOf(part)).toBe(await hashOf(candlesOf(SERIES, [bar(1, "100.5"), bar(2, "101")])));
  });

  it.each([
    ["a price", candlesOf(SERIES, [bar(0), bar(1, "100.01")])],
    ["a volume", candlesOf(SERIES, [bar(0), bar(1, "100", 2)])],
    ["a time", series(0, 2)],
    ["the number of bars", series(0)],
    ["the pair", { ...series(0, 1), pair: "ETH/USDT" as const }],
  ])("differs when %s does", async (_name, other) => {
    expect(await hashOf(other)).not.toBe(await hashOf(series(0, 1)));
  });
});

describe("two series of a pair", () => {
  it("merge into one, in time order", () => {
    const merged = merge(
      candlesOf(SERIES, [bar(1), bar(3)]),
      candlesOf(SERIES, [bar(0, "99.25"), bar(1), bar(4)]),
    );
    expect(plain(merged.candles)).toEqual(
      plain(candlesOf(SERIES, [bar(0, "99.25"), bar(1), bar(3), bar(4)])),
    );
    expect(merged).toMatchObject({ duplicates: 1, conflicts: 0 });
    expect(gapsOf(merged.candles)).toEqual([
      { from: FIRST + 2 * MINUTE, until: FIRST + 3 * MINUTE, bars: 1 },
    ]);
  });

  it("use the bar of the first where they differ, and report it", () => {
    const merged = merge(series(0, 1), candlesOf(SERIES, [bar(1, "200")]));
    expect(plain(merged.candles)).toEqual(plain(series(0, 1)));
    expect(merged).toMatchObject({ duplicates: 0, conflicts: 1 });
  });

  it("merge to the same result in either order", async () => {
    const minutes = fc.uniqueArray(fc.integer({ min: 0, max: 60 })).map((some) => some.sort((a, b) => a - b));
    await fc.assert(
      fc.asyncProperty(minutes, minutes, async (some, others) => {
        const [a, b] = [series(...some), series(...others)];
        expect(await hashOf(merge(a, b).candles)).toBe(await hashOf(merge(b, a).candles));
      }),
    );
  });
});

describe("time ranges", () => {
  const range = fc
    .tuple(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 20 }))
    .map(([from, length]): Range => ({ from, until: from + length }));
  const covers = (ranges: readonly Range[], at: number) =>
    ranges.some(({ from, until }) => at >= from && at < until);
  const points = Array.from({ length: 80 }, (_, at) => at);

  it("cover all added ranges, separately", () => {
    fc.assert(
      fc.property(fc.array(range), (added) => {
        const ranges = added.reduce<Range[]>(withRange, []);
        for (const at of points) expect(covers(ranges, at)).toBe(covers(added, at));
        for (const [place, { from }] of ranges.entries())
          if (place > 0) expect(from).toBeGreaterThan((ranges[place - 1] as Range).until);
      }),
    );
  });

  it("leave the rest of a whole after a subtraction", () => {
    fc.assert(
      fc.property(fc.array(range), range, (added, part) => {
        const ranges = added.reduce<Range[]>(withRange, []);
        const parts = partsWithout(ranges, part);
        for (const at of points) expect(covers(parts, at)).toBe(covers([part], at) && !covers(ranges, at));
      }),
    );
  });
});
