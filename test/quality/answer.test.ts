import { expect, it } from "vitest";
import { qualityAnswer } from "../../src/quality/answer.ts";
import type { MeasuredStrategy } from "../../src/quality/measure.ts";
import { newTally } from "../../src/quality/tally.ts";
import { d } from "../support/grid.ts";

/** A strategy that earned so much on each day. */
function earned(account: string, symbol: string, totals: Readonly<Record<number, string>>): MeasuredStrategy {
  const totalsOf = (total: string) => ({ symbol, total: d(total), fees: 0n });
  const days = Object.entries(totals).map(([day, total]) => ({
    row: { strategy: `${account} ${symbol}`, account, day: Number(day), latest: totalsOf(total) },
    before: totalsOf("0"),
    since: 0,
    until: 0,
    tally: newTally(),
  }));
  return { days, groups: null } as unknown as MeasuredStrategy;
}

it("adds up a day of several strategies by quote asset, and paper profit apart from real profit", () => {
  const { days } = qualityAnswer({ from: 0, to: 0 }, [
    earned("live:kraken:api.kraken.com", "BTC/USDT", { 0: "5", 1: "7" }),
    earned("dry:kraken:api.kraken.com", "BTC/USDT", { 0: "900" }),
    earned("live:mexc:api.mexc.com", "ETH/USDT", { 0: "1" }),
    earned("live:mexc:api.mexc.com", "ETH/BTC", { 0: "0.5" }),
  ]);
  expect(days.map(({ day, quote, dryRun, totalProfit }) => [day, quote, dryRun, totalProfit])).toEqual([
    ["1970-01-01", "USDT", false, "6"],
    ["1970-01-01", "USDT", true, "900"],
    ["1970-01-01", "BTC", false, "0.5"],
    ["1970-01-02", "USDT", false, "7"],
  ]);
});
