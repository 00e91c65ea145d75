import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../support/bundle.ts";
import { edgemaker } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";

const MARKET = ["--exchange", "kraken", "--symbol", "BTC/USDT"];
const BUDGET = ["--quote-budget", "1000", "--base-budget", "0.05"];
const SIZE = ["--spread-percent", "1", "--size", "100"];

/** A grid and a strategy of one's own that run in one sandbox. */
async function running() {
  const folder = tempFolder();
  mkdirSync(join(folder, "strategies"), { recursive: true });
  cpSync(join(root, "examples", "two-sided.ts"), join(folder, "strategies", "two-sided.ts"));
  const run = (...words: string[]) => edgemaker(folder, [...words, "--sandbox"]);
  const idOf = async (...words: string[]) =>
    (JSON.parse((await run(...words, "--yes", "--json")).stdout) as { id: string }).id;
  const own = await idOf("strategy", "start", "two-sided", ...MARKET, ...BUDGET, ...SIZE);
  const bounds = ["--lower", "57000", "--upper", "63000", "--levels", "4", "--size", "100"];
  const grid = await idOf("grid", "start", ...MARKET, ...bounds, "--no-use-own-base");
  return { run, own, grid };
}

it("edit changes a strategy of any definition, with the flags of its own definition only", async () => {
  const { run, own, grid } = await running();
  const changed = await run("edit", own, "--spread-percent", "4", "--yes");
  expect(changed.stdout).toContain(`${own} is changed`);
  expect(changed.stdout).toContain("spreadPercent from 1 to 4");
  expect((await run("edit", grid, "--stop-loss-price", "40000", "--yes")).stdout).toContain(
    "stopLossPrice from none to 40000",
  );
  expect((await run("quote", "edit", own, "--levels", "2", "--yes")).stderr).toContain("two-sided");
  for (const [id, flag, definition] of [
    [own, "--lower", "two-sided"],
    [grid, "--spread-percent", "grid"],
  ] as const) {
    const { code, stderr } = await run("edit", id, flag, "2", "--yes");
    expect([code, stderr]).toEqual([
      2,
      `edgemaker: ${flag} is not a flag of ${definition}, the definition of ${id}\n`,
    ]);
  }
  const wrong = await run("strategy", "edit", own, "--spread-percent", "-4", "--yes");
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("--spread-percent")]);
  const asked = await run("edit", own, "--spread-percent", "5");
  expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining("add --yes")]);
  const both = await run("edit", own, "--spread-percent", "3", "--name", "first", "--yes");
  expect(both.stdout).toContain("spreadPercent from 4 to 3");
  expect((await run("edit", "first", "--name", "second")).stdout).toContain(`${own} is called second`);
  expect((await run("rename", own, "desk")).stdout).toContain(`${own} is called desk`);
  expect((await run("rename", "desk")).stdout).toContain(`${own} has no name now`);
});
