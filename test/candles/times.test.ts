import { describe, expect, it } from "vitest";
import { createReader, type ReadOptions } from "../../src/candles/read.ts";
import { createTapeReader } from "../../src/candles/tape-reader.ts";
import { parseTime } from "../../src/kernel/read-time.ts";
import { DAY } from "../../src/kernel/time.ts";

const FIRST = Date.UTC(2022, 0, 1);

function timeIn(text: string, options: Partial<ReadOptions> = {}): number | undefined {
  const reader = createReader({ pair: "BTC/USDT", spanMillis: DAY, ...options });
  reader.push(new TextEncoder().encode(`time,open,high,low,close,volume\n${text},1,1,1,1,1\n`));
  return reader.end().candles.times[0];
}

describe("a time", () => {
  it.each([
    ["a day", "2022-01-01"],
    ["a day without dashes", "20220101"],
    ["seconds", "1640995200"],
    ["seconds with a fraction", "1640995200.0"],
    ["milliseconds", "1640995200000"],
    ["microseconds", "1640995200000000"],
    ["nanoseconds", "1640995200000000000"],
    ["ISO 8601 with an offset", "2022-01-01T02:00:00+02:00"],
    ["ISO 8601 with a space", "2022-01-01 00:00:00.000"],
  ])("is the same in files and flags: %s", (_name, text) => {
    expect(timeIn(text)).toBe(FIRST);
    if (!text.endsWith(".0")) expect(parseTime(text)).toBe(FIRST);
  });

  it.each([
    ["a day that does not exist", "2022-02-30"],
    ["the same without dashes", "20220230"],
    ["a leap day of another year", "2022-02-29"],
    ["a time that does not exist", "2022-01-01T99:61"],
    ["hour 24", "2022-01-01T24:00:00Z"],
    ["second 60", "2022-01-01T00:00:60Z"],
    ["an offset that does not exist", "2022-01-01T00:00+99:00"],
    ["an empty fraction", "2022-01-01T00:00:00.Z"],
    ["a year before 2009", "2008-12-31"],
    ["a count that is read as 1970", "86400"],
    ["zero", "0"],
  ])("is an error in files and flags: %s", (_name, text) => {
    expect(() => timeIn(text)).toThrow(/^line 2: its time (cannot be read|is before 2009): /);
    expect(parseTime(text)).toBeUndefined();
  });

  it("is an error more than a day after the time of reading", () => {
    expect(timeIn("2022-01-02", { now: FIRST })).toBe(FIRST + DAY);
    expect(() => timeIn("2022-01-03", { now: FIRST })).toThrow(
      "line 2: its time is more than a day in the future",
    );
    const tape = createTapeReader({ pair: "BTC/USDT", now: FIRST });
    tape.push(new TextEncoder().encode("1641168000,1,1\n"));
    expect(() => tape.end()).toThrow("line 1: its time is more than a day in the future");
  });
});
