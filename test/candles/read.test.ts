import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CandleRow, candlesOf } from "../../src/candles/candles.ts";
import { coverageOf, createReader, type ReadOptions } from "../../src/candles/read.ts";
import { parseDecimal, text } from "../../src/kernel/decimal.ts";
import { MINUTE } from "../../src/kernel/time.ts";

const FIRST = Date.UTC(2022, 0, 1);
const PAIR = "BTC/USDT";

function read(file: string, options: Partial<ReadOptions> = {}, part = file.length) {
  const reader = createReader({ pair: PAIR, ...options });
  const bytes = new TextEncoder().encode(file);
  for (let from = 0; from < bytes.length; from += part) reader.push(bytes.subarray(from, from + part));
  return reader.end();
}

/** The bars as a person would write them. */
const rowsOf = ({ candles }: ReturnType<typeof read>) =>
  Array.from(candles.times, (at, row) => [
    at,
    ...([candles.open, candles.high, candles.low, candles.close] as const).map(
      (column) => (column[row] as number) / 10 ** candles.scale,
    ),
    candles.volume[row],
  ]);

const TWO = [
  [FIRST, 100.5, 101, 99.25, 100, 7],
  [FIRST + MINUTE, 100, 102, 100, 101.5, 0.5],
];

describe("the candle file reader", () => {
  const seconds = FIRST / 1000;
  const cases: [string, string][] = [
    [
      "a table with names, times in ISO 8601",
      "timestamp,open,high,low,close,volume\n2022-01-01 00:00:00.000000,100.5,101.0,99.25,100,7\n2022-01-01T00:01:00Z,100,102,100,101.5,0.5\n",
    ],
    [
      "a table whose names stand in another order",
      "Date;Close;Low;High;Open;Volume BTC;Volume USD\r\n2022-01-01 00:00;100;99.25;101;100.5;7;700\r\n2022-01-01 00:01;101.5;100;102;100;0.5;50",
    ],
    [
      "a table without names, times in seconds",
      `${seconds},100.5,101,99.25,100,7\n${seconds + 60},100,102,100,101.5,0.5\n`,
    ],
    [
      "Binance's twelve columns, in milliseconds and from 2025 on in microseconds",
      `${FIRST},100.50000000,101.00000000,99.25000000,100.00000000,7.00000000,${FIRST + 59_999},700.00000000,5,1.0,1.0,0\n${(FIRST + MINUTE) * 1000},100.0,102.0,100.0,101.50000000,0.5,${(FIRST + 2 * MINUTE) * 1000 - 1},50.0,5,1.0,1.0,0\n`,
    ],
    [
      "a publisher's line above the names, and an offset",
      "https://www.example.org\nunix,open,high,low,close,volume\n2022-01-01T01:00:00+01:00,100.5,101,99.25,100,7\n2022-01-01T00:01:00+00:00,100,102,100,101.5,0.5\n",
    ],
    [
      "freqtrade's lists",
      `[[${FIRST}, 100.5, 101.0, 99.25, 100.0, 7.0],[${FIRST + MINUTE},100.0,102.0,100.0,101.5,0.5]]`,
    ],
    [
      "ccxt's lists of text",
      `[\n  [${FIRST}, "100.5", "101", "99.25", "100", "7"],\n  [${FIRST + MINUTE}, "100", "102", "1e2", "1.015e+02", "5e-1"]\n]\n`,
    ],
    [
      "newest first",
      `timestamp,open,high,low,close,volume\n${FIRST + MINUTE},100,102,100,101.5,0.5\n${FIRST},100.5,101,99.25,100,7\n`,
    ],
    [
      "a bar told twice",
      `timestamp,open,high,low,close,volume\n${FIRST},100.5,101,99.25,100,7\n${FIRST},100.50,101.0,99.25,100,7\n${FIRST + MINUTE},100,102,100,101.5,0.5\n`,
    ],
  ];

  it.each(cases)("reads %s", (_name, file) => {
    const found = read(file);
    expect(rowsOf(found)).toEqual(TWO);
    expect(found.candles).toMatchObject({ pair: PAIR, spanMillis: MINUTE, from: FIRST, scale: 2 });
  });

  it.each(cases)("reads %s, byte by byte", (_name, file) => {
    expect(rowsOf(read(file, {}, 1))).toEqual(TWO);
  });

  const list = JSON.stringify([
    [FIRST, 1, 2, 1, 1, 0],
    [FIRST + MINUTE, 1, 2, 1, 1, 0],
  ]);
  const cuts: [string, string][] = [
    ["within a candle", list.slice(0, -6)],
    ["between two candles", list.slice(0, list.indexOf("]") + 2)],
    ["after its last candle", list.slice(0, -1)],
    ["before a candle", list.slice(0, list.lastIndexOf("[") + 1)],
  ];

  it.each(cuts)("rejects a JSON file that is cut off %s", (_name, file) => {
    for (const part of [file.length, 1])
      expect(() => read(file, { spanMillis: MINUTE }, part)).toThrow(
        "the file ends inside a list; download it again",
      );
  });

  it("reports its repairs", () => {
    expect(read((cases[7] as [string, string])[1])).toMatchObject({ wasUnsorted: true, duplicates: 0 });
    expect(read((cases[8] as [string, string])[1])).toMatchObject({ wasUnsorted: false, duplicates: 1 });
  });
});

describe("candles from trades", () => {
  const second = FIRST / 1000;
  const trades = [
    [second, "100.5", 1],
    [second + 10, "101", 2],
    [second + 20, "99.25", 3],
    [second + 59.5, "100", 1],
    [second + 180, "100", 0.25],
    [second + 200, "102", 0.25],
  ];
  const expected = [
    [FIRST, 100.5, 101, 99.25, 100, 7],
    [FIRST + 3 * MINUTE, 100, 102, 100, 102, 0.5],
  ];

  it("come from Kraken's files, with no candle for a minute without a trade", () => {
    const found = read(trades.map((trade) => trade.join(",")).join("\n"));
    expect(rowsOf(found)).toEqual(expected);
    expect(coverageOf(found.candles, { ...found, hash: "" })).toMatchObject({
      bars: 2,
      gaps: 1,
      missingBars: 2,
      longestGap: { from: FIRST + MINUTE, until: FIRST + 3 * MINUTE, bars: 2 },
    });
  });

  it("come from the response of Kraken's API", () => {
    const rows = trades.map(([at, price, amount], id) => [price, String(amount), at, "b", "m", "", id]);
    const output = JSON.stringify({ error: [], result: { XXBTZUSD: rows, last: "1641000000000000000" } });
    expect(rowsOf(read(output))).toEqual(expected);
  });

  it("are invalid, and not missing, where their prices cannot be stored with the others", () => {
    const file = `${second},90000000,1\n${second + 60},0.123456789,1\n${second + 120},90000000,1\n`;
    const reason = "its prices have more digits than can be stored exactly";
    expect(() => read(file)).toThrow(`the candle of 2022-01-01T00:01:00.000Z: ${reason}`);
    const found = read(file, { skipRefused: true });
    expect(found).toMatchObject({ refusedRows: 1, refused: [{ row: "2022-01-01T00:01:00.000Z", reason }] });
    expect(rowsOf(found).map(([at]) => at)).toEqual([FIRST, FIRST + 2 * MINUTE]);
  });

  it("are not built where one trade is earlier than the previous one", () => {
    expect(() => read("1641000060,1,1\n1641000000,1,1\n")).toThrow(
      /^line 2: it is earlier than the previous trade/,
    );
  });
});

describe("an invalid candle row", () => {
  const NAMES = "timestamp,open,high,low,close,volume\n";
  const good = (minute: number) => `${FIRST + minute * MINUTE},100,101,99,100,1\n`;
  const bad: [string, string, RegExp][] = [
    [
      "text for a price",
      `${FIRST},abc,101,99,100,1`,
      /^line 3: its open is not a number of at least zero: .*abc/,
    ],
    ["a negative price", `${FIRST},-100,101,99,100,1`, /^line 3: its open is not a number/],
    ["a price of zero", `${FIRST},100,101,0,100,1`, /^line 3: its low is not above zero/],
    ["high below low", `${FIRST},100,98,99,100,1`, /^line 3: its high is below its low/],
    ["an open above its high", `${FIRST},102,101,99,100,1`, /^line 3: its open is outside/],
    ["a close below its low", `${FIRST},100,101,99,98,1`, /^line 3: its close is outside/],
    ["a negative volume", `${FIRST},100,101,99,100,-1`, /^line 3: its volume is not a number/],
    ["no time", "soon,100,101,99,100,1", /^line 3: its time cannot be read/],
    ["a month of no year", "2022-13-01 00:00:00,100,101,99,100,1", /^line 3: its time cannot be read/],
    ["too few fields", `${FIRST},100,101`, /^line 3: it has too few fields/],
    ["no number at all", `${FIRST},NaN,101,99,100,1`, /^line 3: its open is not a number/],
    [
      "more digits than are exact",
      `${FIRST},100.30000000000000004,101,99,100,1`,
      /^line 3: its open has 20 digits; round it to 15/,
    ],
  ];

  it.each(bad)("with %s stops the read and names the line", (_name, line, pattern) => {
    expect(() => read(`${NAMES}${good(5)}${line}\n${good(6)}`)).toThrow(pattern);
  });

  it.each(bad)("with %s is skipped and counted on request", (_name, line, pattern) => {
    const found = read(`${NAMES}${good(5)}${line}\n${good(6)}`, { skipRefused: true });
    expect(found.candles.times).toHaveLength(2);
    expect(found.refusedRows).toBe(1);
    expect(`${found.refused[0]?.row}: ${found.refused[0]?.reason}: ${line}`).toMatch(pattern);
  });

  it("of a duplicate time stops the read", () => {
    expect(() => read(`${NAMES}${good(1)}${FIRST + MINUTE},100,101,99,100.5,1\n`)).toThrow(
      "two different candles of 2022-01-01T00:01:00.000Z",
    );
  });

  it("is reported as missing in an empty file", () => {
    expect(() => read("")).toThrow("it is empty");
    expect(() => read("\n\n")).toThrow("it is empty");
    expect(() => read(NAMES)).toThrow("column names but no candles");
    expect(() => read("[]")).toThrow("it is empty");
    expect(() => read("hello\nworld\n")).toThrow("it is empty");
    expect(() => read("a\nb\nc\nd\ne\nf\n")).toThrow("line 6: neither a candle nor column names");
    expect(() => read("day,first,last\n2022-01-01,1,1\n")).toThrow(
      "line 1: its columns are day, first, last",
    );
    expect(read(`# day, first\n${NAMES}${good(1)}${good(2)}`).candles.times).toHaveLength(2);
    expect(() => read("x".repeat(100_000), {}, 1000)).toThrow("the row is too long");
  });

  it("has no known length when it is the only row", () => {
    expect(() => read(`${NAMES}${good(1)}`)).toThrow("candles import --span");
    expect(read(`${NAMES}${good(1)}`, { spanMillis: MINUTE }).candles.times).toHaveLength(1);
  });

  it("closer to the previous one than the candle length stops the read", () => {
    expect(() => read(`${NAMES}${good(1)}${good(2)}`, { spanMillis: 2 * MINUTE })).toThrow(
      "begins 60 s after the previous one, but candles last 120 s",
    );
  });
});

/** Prices of every size and number of decimals, exactly: the columns are what `candlesOf` makes of the same text. */
describe("exact prices", () => {
  const price = fc
    .tuple(fc.integer({ min: 1, max: 999_999 }), fc.integer({ min: 0, max: 6 }))
    .map(([digits, decimals]) => text((BigInt(digits) * 10n ** 18n) / 10n ** BigInt(decimals)));
  const row = fc.array(price, { minLength: 4, maxLength: 4 }).map((four) => {
    const sorted = [...four].sort((a, b) =>
      (parseDecimal(a) as bigint) < (parseDecimal(b) as bigint) ? -1 : 1,
    );
    const [low, open, close, high] = sorted as [string, string, string, string];
    return { open, high, low, close, volume: 1 };
  });

  it("are stored whatever their decimals", () => {
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 50 }),
        (bars, part) => {
          const rows: CandleRow[] = bars.map((bar, place) => ({ ...bar, at: FIRST + place * MINUTE }));
          const file = rows
            .map(({ at, open, high, low, close }) => `${at},${open},${high},${low},${close},1\n`)
            .join("");
          const found = read(file, { spanMillis: MINUTE }, part).candles;
          const expected = candlesOf({ pair: PAIR, spanMillis: MINUTE }, rows);
          for (const name of ["times", "open", "high", "low", "close", "volume"] as const)
            expect(Array.from(found[name])).toEqual(Array.from(expected[name]));
          expect(found.scale).toBe(expected.scale);
        },
      ),
    );
  });

  it("are stored beside amounts that are sums of floats", () => {
    const file = `${FIRST},1,1,1,1,218102.59507500002\n`;
    expect(read(file, { spanMillis: MINUTE }).candles.volume[0]).toBe(218102.59507500002);
  });

  it("are doubles where 32 bits do not fit them", () => {
    const file = `${FIRST},60000.5,60001,59999.12345,60000,1\n${FIRST + MINUTE},60000.5,60001,59999.1,60000,1\n`;
    const { candles } = read(file);
    expect(candles.low).toBeInstanceOf(Float64Array);
    expect(candles.low[0]).toBe(5_999_912_345);
    expect(candles.open[1]).toBe(6_000_050_000);
  });
});
