import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import {
  candleFile,
  candleFolder,
  keptCandles,
  lockCandles,
  writeStored,
} from "../../../cli/host/candle-sources.ts";
import { candlesOf } from "../../../src/candles/candles.ts";
import { MINUTE } from "../../../src/kernel/time.ts";
import { tempFolder } from "../../support/temp.ts";

const fileIn = (folder: string) => join(folder, "mexc-BTC-USDT-1m.candles");

it("takes the lock of a killed process that had this one's id, as in a container", () => {
  const file = fileIn(tempFolder());
  writeFileSync(`${file}.lock`, String(process.pid));
  const unlock = lockCandles(file);
  expect(existsSync(`${file}.lock`)).toBe(true);
  unlock();
  expect(existsSync(`${file}.lock`)).toBe(false);
});

it("names the lock of a process that runs, which can be another program", () => {
  const file = fileIn(tempFolder());
  writeFileSync(`${file}.lock`, String(process.ppid));
  expect(() => lockCandles(file)).toThrow(
    `process ${process.ppid} uses ${file}; wait for it, or stop it. If it is another program, remove ${file}.lock`,
  );
});

const PRICES = { open: "1", high: "1", low: "1", close: "1", volume: 0 };
/** Minutes 0, 1, 10 and 11; the others are missing. */
const BARS = [0, 1, 10, 11].map((minute) => ({ at: minute * MINUTE, ...PRICES }));
const [FIRST, SECOND] = [
  { from: 0, until: 2 * MINUTE },
  { from: 10 * MINUTE, until: 12 * MINUTE },
] as const;

it.each([
  ["within a download", [FIRST, SECOND], 10, true],
  ["between two downloads", [FIRST, SECOND], 5, false],
  ["in a gap that the exchange has as well", [{ from: 0, until: 12 * MINUTE }], 5, true],
  ["in a gap of imported files", [], 5, true],
  ["in imported files beside a download", [SECOND], 1, true],
  ["between imported files and a download", [SECOND], 2, false],
  ["after the end", [FIRST, SECOND], 12, false],
])("finds stored candles from a time %s", async (_where, requests, minute, isCovered) => {
  const url = `file:${join(tempFolder(), "edge.db")}`;
  const series = { source: "mexc", pair: "BTC/USDT", spanMillis: MINUTE } as const;
  const counts = { duplicates: 0, refusedRows: 0, refused: [], askedAgain: [] };
  const file = candleFile(candleFolder(url, {}), series);
  await writeStored(file, candlesOf(series, BARS), { source: "mexc", asked: [...requests], ...counts });
  const request = { exchange: "mexc", symbol: series.pair, span: MINUTE, since: minute * MINUTE };
  const found = await keptCandles(url, {}).candles(request);
  expect(found?.times.length).toBe(isCovered ? BARS.length : undefined);
});
