import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { edgemaker } from "../support/command.ts";
import { swingsCsv, swung } from "../support/swings.ts";
import { tempFolder } from "../support/temp.ts";

it("replays and backtests a stored grid over the candles of a file, on the command line", async () => {
  const folder = tempFolder();
  const file = join(folder, "candles.csv");
  writeFileSync(file, swingsCsv(70));
  const database = join(folder, "grids.db");
  const { app, id } = await swung({ minutes: 60, asleep: [30, 52], url: `file:${database}` });
  await app.stop(id);
  const on = ["--data", file, "--sandbox", "--db", `file:${database}`];
  const result = await edgemaker(folder, ["replay", id, "--set", "size=400", ...on]);
  expect([result.code, result.stderr]).toEqual([0, ""]);
  expect(result.stdout).toMatch(/^match +\d+(\.\d+)? %/);
  expect(result.stdout).toMatch(/with size=400 +total/);
  const json = JSON.parse((await edgemaker(folder, ["replay", id, "--json", ...on])).stdout);
  expect(result.stdout).toContain(json.details.replay.text.replace("match ", ""));
  const from = await edgemaker(folder, ["backtest", "--from", id, "--fill", "touch", "--json", ...on]);
  expect([from.code, from.stderr]).toEqual([0, ""]);
  expect(JSON.parse(from.stdout)).toMatchObject({ symbol: "BTC/USDT", exchange: "kraken", bars: 70 });
  const wrong = await edgemaker(folder, ["replay", id, "--set", "depth=3", ...on]);
  expect([wrong.code, wrong.stderr]).toEqual([
    1,
    expect.stringContaining("depth is not a setting of a grid between two prices"),
  ]);
});
