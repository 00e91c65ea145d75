import { readdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { edgemaker } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";
import { hasTerminal, terminal } from "../support/terminal.ts";

const BARS = 300_000;
const FIRST = Date.UTC(2024, 0, 1);
const MARKET =
  "--exchange kraken --symbol BTC/USDT --data bars.csv --tick 0.1 --lot 0.00001 --maker-fee 0.001";
const REPORTED = /\d+ % done; Ctrl-C stops here and shows the result so far/;
const CONTROL_C = "\x03";

/** A price that goes up and down by more than a slot in each hour. */
function folderWithBars(bars = BARS): string {
  const folder = tempFolder();
  const rows = Array.from({ length: bars }, (_, i) => {
    const price = Math.round(40_000 + 900 * Math.sin(i / 9));
    return `${FIRST + i * 60_000},${price},${price + 9},${price - 9},${price},1`;
  });
  writeFileSync(join(folder, "bars.csv"), `${rows.join("\n")}\n`);
  return folder;
}

/** So often the same file: minutes of work. */
const FILES = Array.from({ length: 400 }, () => "bars.csv");

describe.skipIf(!hasTerminal)("a long import in a terminal", () => {
  it("stops on Ctrl-C and leaves stored candles unchanged", async () => {
    const folder = folderWithBars();
    writeFileSync(join(folder, "one.csv"), `${FIRST},40000,40009,39991,40000,1\n`);
    const words = [
      "candles",
      "import",
      "--symbol",
      "BTC/USDT",
      "--from",
      "binance",
      "--span",
      "1m",
      "--json",
    ];
    const before = JSON.parse((await edgemaker(folder, [...words, "one.csv"])).stdout);
    const screen = terminal(folder, [...words, ...FILES], { columns: 100 });
    await screen.until(/\d+ % done; Ctrl-C leaves stored candles unchanged/);
    screen.type(CONTROL_C);
    expect(await screen.ended).toBe(130);
    expect(screen.written()).toContain("Nothing was imported. Stored candles are unchanged.");
    const after = await edgemaker(folder, "candles show --symbol BTC/USDT --from binance --json".split(" "));
    expect(JSON.parse(after.stdout)).toMatchObject({ bars: 1, hash: before.hash });
    expect(readdirSync(dirname(before.file))).toEqual([basename(before.file)]);
  });
});

describe.skipIf(!hasTerminal)("a long calculation in a terminal", () => {
  it("of a backtest stops on Ctrl-C with the partial result", async () => {
    // A pass each second of the market: minutes of work.
    const grid = "--lower 38000 --upper 42000 --levels 20 --size 500 --tick-interval 1000";
    const screen = terminal(folderWithBars(), `backtest ${MARKET} ${grid}`.split(" "), { columns: 100 });
    await screen.until(REPORTED);
    screen.type(CONTROL_C);
    expect(await screen.ended).toBe(130);
    expect(screen.written()).toContain("Stopped early. This is the result so far.");
    expect(screen.written()).toMatch(/bars +\d+, ended before the last/);
    const [, bars] = /bars +(\d+), ended/.exec(screen.written()) ?? [];
    expect(Number(bars)).toBeGreaterThan(0);
    expect(Number(bars)).toBeLessThan(BARS);
  });

  // Many bars, so that also a machine that is ten times as fast has much left to look at when it is told to end.
  it("of a search stops on Ctrl-C with the candidates tested", async () => {
    const words = `suggest ${MARKET} --budget 10000 --seconds 600 --candidates 2016`;
    const screen = terminal(folderWithBars(4 * BARS), words.split(" "), { columns: 100 });
    // A slow machine tells of it before it has looked at any.
    await screen.until(/[1-9]\d* % done; Ctrl-C stops here and shows the result so far/);
    screen.type(CONTROL_C);
    expect(await screen.ended).toBe(130);
    expect(screen.written()).toContain("Stopped early. This is the result so far.");
    const [, looked] = /grids tried +(\d+)/.exec(screen.written()) ?? [];
    expect(Number(looked)).toBeGreaterThan(1);
    expect(Number(looked)).toBeLessThan(2016);
  });
});
