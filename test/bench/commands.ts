import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand } from "../support/process-time.ts";
import { type Figure, repeat } from "./figure.ts";
import { start } from "./server.ts";

const MARKET = ["--exchange", "kraken", "--symbol", "BTC/USDT"];

/** Processor time of whole commands, from the start of the process to its end, beside what Node alone has. */
export async function commandFigures(): Promise<Figure[]> {
  const home = mkdtempSync(join(tmpdir(), "edgemaker-bench-"));
  const unit = "ms of CPU time";
  const had = async (args: readonly string[]) => {
    // The first one makes the database, and keeps what was compiled.
    runCommand(home, args);
    return repeat(async () => runCommand(home, args).millis);
  };
  const figures = [
    { name: "`--help`", unit, runs: await had(["--help"]), goal: "≤ 60" },
    { name: "`grid list --sandbox`", unit, runs: await had(["grid", "list", "--sandbox"]), goal: "≤ 120" },
    { name: "`ticker --sandbox`", unit, runs: await had(["ticker", ...MARKET, "--sandbox"]) },
    { name: "for comparison, `--version`", unit, runs: await had(["--version"]) },
  ];
  const server = await start(29_090, undefined, home);
  const name = "`grid list --sandbox` while its server runs";
  figures.push({ name, unit, runs: await had(["grid", "list", "--sandbox"]), goal: "≤ 90" });
  await server.stop();
  rmSync(home, { recursive: true, force: true });
  return figures;
}
