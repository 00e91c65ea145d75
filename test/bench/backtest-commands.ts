import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { MINUTE } from "../../src/kernel/time.ts";
import { runCommand } from "../support/process-time.ts";
import { type Figure, noCandles, repeat } from "./figure.ts";

const FILE = "../shared/data/btc-usd-2022-01-1m.csv.gz";
const YEAR = 525_600;
const GRID =
  "--exchange kraken --symbol BTC/USDT --lower 33000 --upper 48000 --levels 40 --size 500 --tick 0.1 --lot 0.00001 --maker-fee 0.001".split(
    " ",
  );

/** The real month again and again, as a file of a year of minutes. */
function yearOfMinutes(): string {
  const [names, ...rows] = gunzipSync(readFileSync(FILE)).toString("utf8").trim().split("\n");
  const figures = rows.map((row) => row.slice(row.indexOf(",")));
  const from = Date.UTC(2022, 0, 1);
  const all = Array.from({ length: YEAR }, (_, i) => `${from + i * MINUTE}${figures[i % figures.length]}`);
  return [names, ...all].join("\n");
}

/** Processor time of whole commands, from the start of the process to its end, beside what Node alone has. */
export async function backtestCommandFigures(): Promise<Figure[]> {
  if (!existsSync(FILE)) return noCandles("backtest-commands", FILE);
  const home = mkdtempSync(join(tmpdir(), "edgemaker-bench-"));
  const file = join(home, "year.csv");
  writeFileSync(file, yearOfMinutes());
  const millisOf = (args: readonly string[]) => async () => runCommand(home, args).millis;
  runCommand(home, ["candles", "import", file, "--symbol", "BTC/USDT", "--from", "kraken"]);
  const unit = "ms of CPU time";
  const figures: Figure[] = [
    {
      name: "`edgemaker backtest` over a year of minutes from CSV, with the band",
      unit,
      runs: await repeat(millisOf(["backtest", ...GRID, "--data", file])),
      goal: "≤ 1,500",
    },
    {
      name: "the same from stored candles",
      unit,
      runs: await repeat(millisOf(["backtest", ...GRID])),
      goal: "≤ 300",
    },
    { name: "for comparison, `--version`", unit, runs: await repeat(millisOf(["--version"])) },
  ];
  rmSync(home, { recursive: true, force: true });
  return figures;
}
