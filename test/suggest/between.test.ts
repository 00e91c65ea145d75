import { expect, it } from "vitest";
import { runRound } from "../../src/engine/pass/round.ts";
import { d, GRID } from "../support/grid.ts";
import { runOperation, testSandbox } from "../support/sandbox.ts";
import { minutesOf } from "./series.ts";

it("grids are ticked while one process searches for another grid", async () => {
  const box = await testSandbox({ realTime: true });
  const past = minutesOf(1, { bars: 44_640, keeps: 0.996 });
  const deps = { ...box.deps, kept: { candles: async () => past } };
  const { id } = await runOperation<{ id: string }>(deps, "start_grid", GRID);
  const steppedAt = async () => (await box.store.strategies({ id }))[0]?.steppedAt;

  let isOver = false;
  const { exchange, symbol } = GRID;
  const request = { exchange, symbol, budget: d("1000"), timeframe: "1m", seed: 1, seconds: 600 };
  const suggested = runOperation(deps, "suggest_grid", { ...request, windows: 6, candidates: 2016 }).finally(
    () => {
      isOver = true;
    },
  );
  const observed = new Set<number | null | undefined>();
  while (!isOver && observed.size < 4) {
    await runRound(deps);
    observed.add(await steppedAt());
  }
  expect([isOver, observed.size]).toEqual([false, 4]);
  expect(await suggested).toMatchObject({ symbol });
});
