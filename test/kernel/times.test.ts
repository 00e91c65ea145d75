import { expect, it } from "vitest";
import { dayField, timeField } from "../../src/kernel/fields.ts";
import { parseDay, parseTime } from "../../src/kernel/read-time.ts";

it.each([
  ["1767225600000", 1767225600000],
  ["2026-01-01", 1767225600000],
  ["2026-01-01T00:00", 1767225600000],
  ["2026-01-01 00:00:00", 1767225600000],
  ["2026-01-01T00:00:00.000Z", 1767225600000],
  ["2026-01-01T02:00+02:00", 1767225600000],
  ["1767225600", 1767225600000],
  ["20260101", 1767225600000],
  ["0", undefined],
  ["yesterday", undefined],
  ["2026-13-01", undefined],
  ["2026-02-30", undefined],
  ["2026-02-30T08:00Z", undefined],
  ["2028-02-29", 1835395200000],
  ["-5", undefined],
  ["", undefined],
])("reads %s as a time", (text, at) => {
  expect(parseTime(text)).toBe(at);
});

it("takes dates, times and milliseconds where a time or a day is requested", () => {
  const [time, day] = [timeField("since"), dayField("from")];
  for (const value of ["2026-01-01", "2026-01-01T00:00Z", "1767225600000", 1767225600000, 1767225600])
    expect(time.parse(value)).toBe(1767225600000);
  for (const value of ["2026-01-31", "2026-01-31T23:59:59Z", "1769903999999"])
    expect(day.parse(value)).toBe("2026-01-31");
  expect(parseDay("9999999999999")).toBe("2286-11-20");
  for (const value of [-1, 0, 60_000, 1.5, "1.5", "soon", null, {}])
    expect(time.safeParse(value).success).toBe(false);
  expect(day.safeParse("2026-02-31x").success).toBe(false);
});
