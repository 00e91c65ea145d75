import { describe, expect, it } from "vitest";
import {
  marketsText as storedMarkets,
  totalText as storedTotal,
} from "../../src/liquidity/agreement-page.tsx";
import {
  marketColumns,
  marketRows,
  TOTAL_COLUMNS,
  totalRows,
  writeMarkets,
  writeTotal,
} from "../../src/web/agreement-text.ts";
import { areRight } from "../../src/web/row-checks.ts";

const IDS = ["mexc", "gateio"];
const COLUMNS = marketColumns(IDS);
const wrongIn = (...rows: readonly (readonly string[])[]) =>
  rows.flatMap((cells, row) =>
    COLUMNS.flatMap(({ isIn, check }, at) => {
      const wrong = isIn?.(cells) === false ? "" : check?.(cells[at] ?? "", row, rows);
      return wrong ? [wrong] : [];
    }),
  );

describe("the rows of an agreement", () => {
  it("read what the server stores, with its defaults, and write what it reads", () => {
    const stored =
      "mexc:SNEK/USDT spread=1.5% depth=500, gateio:SNEK/USDT gate-score band=0.5, mexc:A/B mexc-st";
    const rows = marketRows(stored);
    expect(rows).toEqual([
      ["mexc", "SNEK/USDT", "agreement", "1.5", "500", "2", "1", "90"],
      ["gateio", "SNEK/USDT", "gate-score", "2", "1000", "0.5", "1", "90"],
      ["mexc", "A/B", "mexc-st", "2", "1000", "2", "1", "90"],
    ]);
    const text = writeMarkets(rows);
    expect(text).toBe(
      "mexc:SNEK/USDT agreement spread=1.5 depth=500 band=2 levels=1 uptime=90, gateio:SNEK/USDT gate-score spread=2 depth=1000 band=0.5 uptime=90, mexc:A/B mexc-st",
    );
    expect(storedMarkets(text, IDS)).toBe(text);
    expect(areRight(COLUMNS, rows)).toBe(true);
  });

  it("keep the missing limit of a spread that Bitget does not publish", () => {
    expect(writeMarkets(marketRows("mexc:A/B bitget-st"))).toBe("mexc:A/B bitget-st");
    expect(writeMarkets(marketRows("mexc:A/B bitget-st spread=3"))).toBe("mexc:A/B bitget-st spread=3");
    expect(areRight(COLUMNS, marketRows("mexc:A/B bitget-st"))).toBe(true);
  });

  it("name what is wrong with a field, and with a market that appears twice", () => {
    const terms = ["agreement", "2", "500", "2", "1", "90"];
    expect(wrongIn(["mexc", "SNEK", ...terms])).toEqual(["Write a pair, such as BTC/USDT."]);
    expect(wrongIn(["mexc", "a/b", ...terms], ["mexc", "A/B ", ...terms])).toEqual([
      "This market is in the agreement already.",
    ]);
    expect(wrongIn(["mexc", "A/B", "agreement", "101", "", "2", "1.5", "x"])).toEqual([
      "Write a percentage up to 100.",
      "Write an amount, such as 500.",
      "Write a whole number from 1 to 99.",
      "Write a percentage up to 100.",
    ]);
  });

  it("write rules in total only as far as they limit something", () => {
    const total = (...cells: string[]) => [cells];
    for (const rows of [total("", "", "2", "", "95"), total("1", "5000", "0.5", "2", "95")])
      expect([areRight(TOTAL_COLUMNS, rows), storedTotal(writeTotal(rows))]).toEqual([
        true,
        writeTotal(rows),
      ]);
    expect(writeTotal(total("", "", "2", "", "95"))).toBe("uptime=95");
    expect(writeTotal([])).toBe("none");
    expect(totalRows(null)).toEqual([]);
    expect(totalRows("uptime=95 depth=1000")).toEqual([["", "1000", "2", "", "95"]]);
    // A spread alone counts minutes that no rule uses.
    for (const rows of [total("", "", "2", "", ""), total("1", "500", "2", "", "")])
      expect([areRight(TOTAL_COLUMNS, rows), storedTotal(writeTotal(rows))]).toEqual([false, undefined]);
  });
});
