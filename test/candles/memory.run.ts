import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { currentBundle } from "../../cli/build/current.cjs";
import { type Had, runCommand } from "../support/process-time.ts";

const ROWS = 10_000_000;
const FEW_ROWS = 10_000;
const FIRST = Date.UTC(2009, 0, 1);
/** Ten million minutes since 2009 end in the future. */
const STEP_MS = 30_000;
/** Times, volumes, prices and prices in ticks are 48 bytes a row; the rest is what waits to be freed. */
const MAX_BYTES_A_ROW = 60;
const home = mkdtempSync(join(tmpdir(), "edgemaker-rows-"));

afterAll(() => rmSync(home, { recursive: true, force: true }));

/** A price that goes up and down, a row every 30 seconds. */
function writeRows(file: string, count: number): void {
  const opened = openSync(file, "w");
  writeSync(opened, "timestamp,open,high,low,close,volume\n");
  for (let from = 0; from < count; from += 10_000) {
    const rows: string[] = [];
    for (let i = from; i < from + 10_000; i++) {
      const open = 40_000 + Math.round(2000 * Math.sin(i / 700));
      rows.push(`${FIRST + i * STEP_MS},${open}.5,${open + 20}.1,${open - 20}.2,${open + 3}.4,1.25\n`);
    }
    writeSync(opened, rows.join(""));
  }
  closeSync(opened);
}

const GRID =
  "--exchange kraken --symbol BTC/USDT --lower 37000 --upper 43000 --levels 40 --size 500 --tick 0.1 --lot 0.00001 --maker-fee 0.001".split(
    " ",
  );

/** What each command has had. Each reads a home without stored candles first. */
function runsOf(file: string): Record<"backtest" | "import" | "stored", Had> {
  rmSync(join(home, "edgemaker"), { recursive: true, force: true });
  return {
    backtest: runCommand(home, ["backtest", ...GRID, "--data", file, "--json"]),
    import: runCommand(home, ["candles", "import", file, "--symbol", "BTC/USDT", "--from", "kraken"]),
    stored: runCommand(home, ["backtest", ...GRID, "--timeframe", "30s", "--json"]),
  };
}

it("reads, stores and looks at ten million rows in 60 bytes each", async () => {
  await currentBundle();
  const [file, short] = [join(home, "rows.csv"), join(home, "short.csv")];
  writeRows(file, ROWS);
  writeRows(short, FEW_ROWS);
  const [few, runs] = [runsOf(short), runsOf(file)];
  expect(JSON.parse(runs.backtest.stdout)).toMatchObject({ bars: ROWS, details: { engine: "jump" } });
  expect(runs.stored.stdout).toBe(runs.backtest.stdout);
  for (const name of ["backtest", "import", "stored"] as const) {
    // The program itself takes more or less on other machines: both runs have it.
    const mebibytes = runs[name].mebibytes - few[name].mebibytes;
    const bytes = (mebibytes * 2 ** 20) / (ROWS - FEW_ROWS);
    console.info(`${name}: ${Math.round(runs[name].mebibytes)} MiB, ${bytes.toFixed(1)} bytes a row`);
    expect(bytes, name).toBeLessThanOrEqual(MAX_BYTES_A_ROW);
  }
});
