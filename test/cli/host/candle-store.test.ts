import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { lockCandles } from "../../../cli/host/candle-store.ts";
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
