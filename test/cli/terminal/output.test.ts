import { describe, expect, it } from "vitest";
import { render } from "../../../cli/terminal/output.ts";
import { centsOfProfit } from "../../../src/kernel/plain-text.ts";
import { reportOperations } from "../../../src/report/operations/report.ts";

describe("figures in the terminal", () => {
  it.each([
    [59754.35003017502, "59754.35"],
    [0.1 + 0.2, "0.3"],
    [-1.1 * 1.1, "-1.21"],
    [1.23e-7, "0.000000123"],
    [100_000.00012345, "100000.00012345"],
    [72_761.5, "72761.5"],
    [1_772_442_001_000_123, "1772442001000123"],
  ])("a computed number has the digits that a person can use, a price all of its own: %s", (value, text) => {
    expect(render({ value })).toBe(`value  ${text}`);
  });

  it.each([
    [0.000_000_000_15, "+0.00000000015"],
    [-100, "-100"],
    [1200.004, "+1200"],
    [0.0049, "+0.0049"],
    [0, "0"],
  ])("P&L has cents, and below a cent its first digits, never an exponent: %s", (value, text) => {
    expect(centsOfProfit(value)).toBe(text);
  });

  it("names fields in words, and leaves the columns of a table as --columns takes them", () => {
    expect(render({ spreadPercent: 0.01, runningTime: 60_000, lastStepAt: null, BTC: 1, stETH: 2 })).toBe(
      [
        "spread percent  0.01",
        "running for     1m",
        "last pass       -",
        "BTC             1",
        "stETH           2",
      ].join("\n"),
    );
    expect(render({ fills: [{ feeCost: 1, slot: 2 }] })).toContain("feeCost  slot");
  });

  it("a report says amounts to the cent, in words, and whether they are of paper trading", () => {
    const figures = {
      totalProfit: -9.686_173_030_2,
      realizedProfit: 1.5,
      fees: 0.073_535,
      cycles: 3,
      filledOrders: 11,
    };
    const row = {
      id: "grid-1",
      name: "desk",
      kind: "grid",
      exchange: "mexc",
      symbol: "SNEK/USDT",
      ...figures,
    };
    const view = reportOperations[0]?.cli?.view;
    const shown = render(
      view?.({
        from: 0,
        to: 86_400_000,
        totals: [{ quote: "USDT", mode: "real", ...figures, incidents: 4 }],
        strategies: [{ ...row, mode: "paper", incidents: 4, inRangePercent: 85.7, uptimePercent: null }],
        days: [
          { day: "1970-01-01", quote: "USDT", mode: "real", totalProfit: 0.000_123_4, realizedProfit: 0 },
        ],
        count: 1,
      }),
      { priority: ["strategy"], chosen: "all" },
    );
    expect(shown).toMatchInlineSnapshot(`
      "from  0
      to    86400000

      totals
        quote  mode        total  realized  fees  cycles  fills  incidents
        USDT   real money  -9.69  +1.5      0.07       3     11          4

      strategies
        strategy  market             mode           total  realized  fees  cycles  fills  incidents  in range  uptime
        desk      SNEK/USDT on mexc  paper trading  -9.69  +1.5      0.07       3     11          4  85.7 %    not known yet

      days
        day         quote  mode        total     realized
        1970-01-01  USDT   real money  +0.00012  0"
    `);
    expect(shown).not.toMatch(/[a-z][A-Z]/);
  });
});
