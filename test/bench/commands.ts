import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Figure, repeat } from "./figure.ts";

const launcher = join(process.cwd(), "cli/edgemaker.mjs");
const MARKET = ["--exchange", "kraken", "--symbol", "BTC/USDT"];

/** Milliseconds from start to end of a command, started with `node`. */
export async function commandFigures(): Promise<Figure[]> {
  const home = mkdtempSync(join(tmpdir(), "edgemaker-bench-"));
  const env = { PATH: process.env.PATH, HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home };
  const timed = (args: readonly string[]) => async () => {
    const startedAt = performance.now();
    const { status, stderr } = spawnSync(process.execPath, [launcher, ...args], { env, encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
    return performance.now() - startedAt;
  };
  const ticker = timed(["ticker", ...MARKET, "--sandbox"]);
  // The first one makes the database.
  await ticker();
  const figures = [
    { name: "`--help`", unit: "ms", runs: await repeat(timed(["--help"])), goal: "≤ 120" },
    { name: "`ticker --sandbox`", unit: "ms", runs: await repeat(ticker), goal: "≤ 350" },
  ];
  rmSync(home, { recursive: true, force: true });
  return figures;
}
