import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { candidateAt, candidateBounds, candidatesOf, gridAt } from "../../../src/backtest/candidates.ts";
import { gainsOf } from "../../../src/backtest/overfitting.ts";
import { backtest } from "../../../src/backtest/run/backtest.ts";
import { type SuggestOptions, suggest } from "../../../src/backtest/suggest.ts";
import { ticksOf } from "../../../src/backtest/ticks.ts";
import { slice } from "../../../src/candles/candles.ts";
import { rangeInput } from "../../../src/grid/schema/input.ts";
import { requestedRangeOf } from "../../../src/grid/start/check.ts";
import { decimal } from "../../../src/kernel/decimal.ts";
import { MINUTE } from "../../../src/kernel/time.ts";
import { market, minutesOf } from "../../suggest/series.ts";
import { edgemaker } from "../../support/command.ts";
import { tempFolder } from "../../support/temp.ts";

const BUDGET = 1000;
const MONTH = 44_640;

const look = (seed: number, keeps: number, options: Partial<SuggestOptions> = {}) =>
  suggest(minutesOf(seed, { bars: MONTH, keeps }), {
    market,
    budget: BUDGET,
    windows: 6,
    candidates: 400,
    seed: 1,
    ...options,
  });

describe("a suggestion", () => {
  it.each([1, 2, 3, 4, 5])("finds no evidence on random walk %d", (seed) => {
    const { winner, reasons, best } = look(seed, 1);
    expect(winner).toBeNull();
    expect(reasons).not.toEqual([]);
    expect(best).toHaveLength(5);
  });

  it.each([1, 2, 3])("finds a profitable grid for a mean-reverting price, series %d", (seed) => {
    const { winner, reasons, overfitting } = look(seed, 0.996);
    expect(reasons).toEqual([]);
    expect(overfitting).toBeLessThan(0.05);
    expect(winner?.worstReturn).toBeGreaterThan(0);
    expect(winner?.last.cycles).toBeGreaterThanOrEqual(30);
    expect(winner?.last.return).toBeGreaterThan(0);
  });

  it("is the same for the same seed, and reports when time runs out", () => {
    expect(look(1, 0.998, { candidates: 50 })).toEqual(look(1, 0.998, { candidates: 50 }));
    let requestCount = 0;
    const part = look(1, 0.998, { candidates: 400, isOver: () => ++requestCount > 50 });
    expect(part.isComplete).toBe(false);
    expect(part.looked + part.refused).toBe(50);
    expect({ ...part, isComplete: true }).toEqual(look(1, 0.998, { candidates: 50 }));
  });

  it("does not depend on the last window", () => {
    const candles = minutesOf(1, { bars: MONTH, keeps: 0.996 });
    const first = candles.times[(MONTH * 5) / 6] as number;
    const other = minutesOf(2, { bars: MONTH, keeps: 1 });
    const changed = { ...candles };
    for (const name of ["open", "high", "low", "close"] as const) {
      const column = Float64Array.from(candles[name]);
      column.set((other[name] as Float64Array).subarray((MONTH * 5) / 6), (MONTH * 5) / 6);
      Object.assign(changed, { [name]: column });
    }
    const options = { market, budget: BUDGET, windows: 6, candidates: 100, seed: 1 };
    const chosen = (found: ReturnType<typeof suggest>) =>
      found.best.map(({ candidate, returns, sharpe, deflatedSharpe }) => ({
        candidate,
        returns,
        sharpe,
        deflatedSharpe,
      }));
    expect(suggest(candles, options).windows.at(-1)?.from).toBe(first);
    expect(chosen(suggest(changed, options))).toEqual(chosen(suggest(candles, options)));
  });

  it("requires enough candles and a budget large enough for orders", () => {
    expect(() =>
      suggest(minutesOf(1, { bars: 5000, keeps: 1 }), {
        market,
        budget: BUDGET,
        windows: 6,
        candidates: 10,
        seed: 1,
      }),
    ).toThrow("5000 candles are too few for 6 windows: at least 5760 are needed");
    expect(() => look(1, 1, { budget: 1, candidates: 10 })).toThrow("10 of 10 grids are below break-even");
  });
});

describe("a candidate grid", () => {
  const candles = slice(minutesOf(7, { bars: 4000, keeps: 0.999 }), 0, Number.MAX_SAFE_INTEGER);
  const some = candidatesOf(3)
    .map(candidateAt)
    .filter((candidate) => gridAt(candidate, candles.open[0] as number, { market, budget: BUDGET }))
    .slice(0, 6);

  it.each(some)("of $slots slots, $width wide, $spacing, matches its backtest", (candidate) => {
    const grid = gridAt(candidate, candles.open[0] as number, { market, budget: BUDGET });
    if (!grid) throw new Error("refused");
    const found = gainsOf(grid, ticksOf(candles, market.tick), { from: 0, until: 4000 }, 48);
    const { lower, upper } = candidateBounds(candidate, (candles.open[0] as number) / 100);
    const request = requestedRangeOf(
      rangeInput(["mexc"]).parse({
        exchange: "mexc",
        symbol: "BTC/USDT",
        gridLevels: candidate.slots,
        spacingModel: candidate.spacing,
        lowerPrice: Number(lower.toFixed(2)),
        upperPrice: Number(upper.toFixed(2)),
        orderSize: Number((BUDGET / candidate.slots / 1.001).toFixed(8)),
      }),
    );
    const balances = [{ asset: "USDT", free: decimal("100000"), used: 0n }];
    const { figures, run } = backtest(request, candles, { market, balances });
    expect(found.cycles).toBe(run.account.strategy.state.ledger.cycles);
    expect(Math.abs(found.total - Number(figures.total) / 1e18)).toBeLessThan(0.02);
  });
});

describe("edgemaker suggest", () => {
  it("searches a file and prints the result", async () => {
    const folder = tempFolder();
    const { times, open, high, low, close } = minutesOf(1, { bars: 6000, keeps: 1 });
    const rows = Array.from(times, (at, row) =>
      [at, ...[open, high, low, close].map((column) => (column[row] as number) / 100), 1].join(","),
    );
    writeFileSync(join(folder, "walk.csv"), `${rows.join("\n")}\n`);
    const rules = ["--tick", "0.01", "--lot", "0.00001", "--maker-fee", "0.001"];
    const words = [
      "suggest",
      "--exchange",
      "mexc",
      "--symbol",
      "BTC/USDT",
      "--budget",
      "1000",
      "--candidates",
      "60",
    ];
    const ran = await edgemaker(folder, [...words, "--data", "walk.csv", ...rules, "--json"]);
    expect(ran.stderr.replace(/^\d+ % done\n/gm, "")).toBe("");
    const answer = JSON.parse(ran.stdout);
    expect(answer).toMatchObject({ bars: 6000, complete: true, hasWinner: false });
    expect(answer.verdict).toBe("no grid is better than chance");
    expect(answer.looked + answer.refused).toBe(60);
    expect(answer.windows[1].from).toBe((times[0] as number) + 1000 * MINUTE);
    await edgemaker(folder, ["candles", "import", "walk.csv", "--symbol", "BTC/USDT", "--from", "mexc"]);
    // Nobody answers there: what is kept is what it looks through.
    const nobody = ["--venue-url", "mexc=http://127.0.0.1:1", "--since", String(times[0])];
    const kept = await edgemaker(folder, [...words, ...nobody, ...rules, "--json"]);
    expect(JSON.parse(kept.stdout)).toEqual(answer);
    const result = await edgemaker(folder, [...words, "--data", "walk.csv", ...rules]);
    expect(result.stdout).toContain("no grid is better than chance");
  });
});
