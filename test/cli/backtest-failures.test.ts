import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { edgemaker } from "../support/command.ts";
import { swingsCsv } from "../support/swings.ts";
import { tempFolder } from "../support/temp.ts";

const MARKET = "--exchange kraken --symbol BTC/USDT --tick 0.1 --lot 0.00001 --maker-fee 0.001".split(" ");
const RANGE = "--lower 57000 --upper 63000 --levels 6 --size".split(" ");
const QUOTES = "--spread-percent 0.4 --size 500 --base-budget 0.1 --quote-budget".split(" ");

/** Over a file of so many candles. */
async function failure(minutes: number, words: readonly string[]) {
  const folder = tempFolder();
  const file = join(folder, "candles.csv");
  writeFileSync(file, swingsCsv(minutes));
  const { code, stdout, stderr } = await edgemaker(folder, [...words, ...MARKET, "--data", file]);
  return { code, stdout, stderr };
}

it.each([
  ["a wrong value of a backtest", 2, ["backtest", ...RANGE, "high"]],
  ["a wrong value of quotes", 2, ["quote", "backtest", ...QUOTES, "high"]],
  ["a wrong value of a search", 2, ["suggest", "--budget", "high"]],
  ["a refused backtest", 1, ["backtest", ...RANGE, "0.0001"]],
  ["a refused backtest of quotes", 1, ["quote", "backtest", ...QUOTES, "5000", "--use-own", "false"]],
  ["a refused search", 1, ["suggest", "--budget", "1000"]],
])("backtest reports %s as JSON with --json", async (_what, code, words) => {
  const failed = await failure(10, [...words, "--json"]);
  expect([failed.code, failed.stdout]).toEqual([code, ""]);
  expect(JSON.parse(failed.stderr)).toMatchObject({
    error: expect.stringMatching(/^Invalid/),
    message: expect.any(String),
  });
});

it("backtest suggests an existing flag when a file has a single candle", async () => {
  const { code, stderr } = await failure(1, ["backtest", ...RANGE, "200"]);
  expect(code).toBe(2);
  expect(stderr).toContain("the length of a single candle is unknown");
  const command = /`edgemaker ([a-z ]+) (--[a-z]+)`/.exec(stderr);
  const help = await edgemaker(tempFolder(), [...(command?.[1]?.split(" ") ?? []), "--help"]);
  expect(help.stdout).toContain(command?.[2]);
});

it("names flags in errors, not fields of the API", async () => {
  const losing = "--lower 57000 --upper 57100 --levels 20 --size 200".split(" ");
  const { code, stderr } = await failure(10, ["backtest", ...losing]);
  expect([code, stderr]).toEqual([1, expect.stringContaining("or set --allow-loss")]);
});
