import { describe, expect, it } from "vitest";
import { createReader, type ReadOptions } from "../../src/candles/read.ts";
import { MINUTE } from "../../src/kernel/time.ts";

const FIRST = Date.UTC(2022, 0, 1);
const NAMES = "timestamp,open,high,low,close,volume";

function read(file: string, options: Partial<ReadOptions> = {}, part = file.length) {
  const reader = createReader({ pair: "BTC/USDT", ...options });
  const bytes = new TextEncoder().encode(file);
  for (let from = 0; from < bytes.length; from += part) reader.push(bytes.subarray(from, from + part));
  return reader.end();
}

function barsOf(file: string, part?: number) {
  const { scale, times, open, volume } = read(file, {}, part).candles;
  return Array.from(times, (at, row) => [at, (open[row] as number) / 10 ** scale, volume[row]]);
}

const TWO = [
  [FIRST, 47738, 7],
  [FIRST + MINUTE, 47738, 8],
];
const rows = (price: string, separator = ",") =>
  [FIRST, FIRST + MINUTE].map((at, i) => [at, price, price, price, price, 7 + i].join(separator));

describe("a table", () => {
  const cases: [string, string][] = [
    ["numbers with thousands separators in quotes", [NAMES, ...rows('"47,738.0"')].join("\n")],
    ["quotes around every field", [NAMES, ...rows("47738")].join("\n").replaceAll(/[^,\n]+/g, '"$&"')],
    [
      "separators, line ends and quotes within quotes",
      [`${NAMES},"a ""note"", long"`, ...rows("47738").map((row) => `${row},"a, ""b""\r\nc"`)].join("\r\n"),
    ],
    [
      "numbers with commas between semicolons",
      [NAMES.replaceAll(",", ";"), ...rows("47,738.0", ";")].join("\n"),
    ],
    ["lines that end with a carriage return", [NAMES, ...rows("47738")].join("\r")],
    ["lines that end with both, and empty lines", `${[NAMES, "", ...rows("47738")].join("\r\n")}\r\n\r\n`],
    ["a byte order mark, and no header", `\uFEFF${rows("47738").join("\n")}\n`],
    [
      "a byte order mark before a quoted header",
      `\uFEFF${[NAMES.replace("timestamp", '"timestamp"'), ...rows("47738")].join("\n")}\n`,
    ],
  ];

  it.each(cases)("is read with %s", (_name, file) => {
    expect(barsOf(file)).toEqual(TWO);
    expect(barsOf(file, 1)).toEqual(TWO);
  });

  it.each([
    [
      "a row with more fields than the header",
      `${NAMES}\n${rows("47738").join(",9\n")}`,
      "line 2: it has 7 fields, but the header has 6: ",
    ],
    [
      "a row with more fields than the first one",
      rows("47738").join("\n").concat(",9"),
      "line 2: it has 7 fields, but the first row has 6: ",
    ],
    [
      "a decimal comma without quotes",
      `${NAMES}\n${rows("47738,5").join("\n")}`,
      "line 2: it has 10 fields, but the header has 6: ",
    ],
    [
      "a decimal comma",
      [NAMES.replaceAll(",", ";"), ...rows("47,5", ";")].join("\n"),
      "line 2: its open is not a number",
    ],
    [
      "a comma that can be either",
      [NAMES, ...rows('"47,738"')].join("\n"),
      "line 2: its open is not a number",
    ],
    [
      "another separator than its header",
      [NAMES, ...rows("47738", ";")].join("\n"),
      "line 2: its time cannot be read",
    ],
    ["a quote that is not closed", `${NAMES}\n"${rows("47738").join("\n")}`, "line 2: a quote is not closed"],
  ])("is refused with %s", (_name, file, message) => {
    for (const part of [file.length, 1]) expect(() => read(file, {}, part)).toThrow(message);
  });

  it("skips and counts rows that are too long", () => {
    const file = `${NAMES}\n${rows("47738").join("\n")}\n${FIRST + 2 * MINUTE},47,738.0,47,738.0,1,1\n`;
    expect(read(file, { skipRefused: true }).refused).toEqual([
      { row: "line 4", reason: "it has 7 fields, but the header has 6" },
    ]);
  });
});
