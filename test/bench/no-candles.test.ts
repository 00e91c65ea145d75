import { expect, it } from "vitest";
import { noCandles } from "./figure.ts";

it("says why a part of the benchmarks has no figures", () => {
  const heard: string[] = [];
  const { write } = process.stderr;
  process.stderr.write = ((text: string) => heard.push(text) > 0) as typeof write;
  try {
    expect(noCandles("backtest", "candles.csv.gz")).toEqual([]);
  } finally {
    process.stderr.write = write;
  }
  expect(heard.join("")).toBe(
    "backtest: nothing was measured, because its candles are missing: candles.csv.gz\n",
  );
});
