import { expect, it } from "vitest";
import { gridsView, listView } from "../../src/grid/schema/view.ts";
import { BY } from "../support/by.ts";
import { gridOver } from "../support/path.ts";
import { starts } from "../support/starts.ts";

interface Listed {
  readonly rangeNow: { readonly lowerPrice: number; readonly upperPrice: number } | null;
  readonly follows: object | null;
}

/** What status and list tell of a grid once the market has gone this path. */
async function readAfter(path: readonly number[], start: string, request: object) {
  const grid = await gridOver([...path], { quote: "5000" });
  const { id } = await grid.ask<{ id: string }>(start, { ...grid.where, ...request });
  await grid.pass(path.length);
  const status = await grid.ask<{
    strategies: readonly (Listed & { lowerPrice: number; upperPrice: number })[];
  }>("get_grid_status", { id });
  const list = await grid.ask<{ strategies: readonly Listed[] }>("list_grids", {});
  const [one] = status.strategies;
  const [listed] = list.strategies;
  expect(listed).toMatchObject({ rangeNow: one?.rangeNow, follows: one?.follows });
  const [line] = gridsView(status).strategies as { range: string; requested?: string }[];
  const listLine = (listView(list).strategies as { range?: string }[])[0]?.range;
  return { one, line, listLine };
}

const RANGE = { lowerPrice: 90, upperPrice: 110, gridLevels: 10, orderSize: 50 };

it("a trailing grid reports its current range and the requested one", async () => {
  const up = [100, 105, 111, 113, 113, 113, 115, 115, 115, 115, 115];
  const { one, line, listLine } = await readAfter(up, "start_grid", { ...RANGE, trail: { up: 114 } });
  expect(one).toMatchObject({
    lowerPrice: 90,
    upperPrice: 110,
    rangeNow: { lowerPrice: 94, upperPrice: 114 },
    follows: { how: "trail", up: 114, down: null },
  });
  expect(line).toMatchObject({
    range: "94 – 114 now, 10 slots of 50 USDT",
    requested: "90 – 110, following the market up to 114",
  });
  expect(listLine).toBe("94 – 114");
});

it("a centered grid reports its current range and how it was set to follow", async () => {
  const path = [100, 100, 110, 110, 110, 110, 110, 110, 110];
  const around = { levels: 3, spacing: 0.01, size: 50, deviation: 0.02, debounce: 60_000 };
  const { one, line } = await readAfter(path, ...starts("centered", around));
  expect(one?.follows).toEqual({
    how: "centered",
    levels: 3,
    spacing: 0.01,
    spacingModel: "linear",
    deviation: 0.02,
    deviationFrom: "edge",
    debounce: 60_000,
  });
  expect(Math.round(one?.rangeNow?.lowerPrice ?? 0)).toBe(107);
  expect(line?.range).toMatch(/^106\.\d+ – 113\.\d+ now, 6 slots of 50 USDT$/);
  expect(line?.requested).toBe("3 levels per side, 1 % apart, rebuilt 2 % beyond them");
});

it("a grid still in its requested range reports that once", async () => {
  const { one, line } = await readAfter([100, 97, 93, 97], "start_grid", RANGE);
  expect(one).toMatchObject({ rangeNow: { lowerPrice: 90, upperPrice: 110 }, follows: null });
  expect(line?.range).toBe("90 – 110, 10 slots of 50 USDT");
  expect(line).not.toHaveProperty("requested");
});

it("a grid whose counter-orders wait for the kill switch names the command that ends it", async () => {
  const grid = await gridOver([100, 100, 96, 96, 96, 96], { quote: "5000" });
  const { id } = await grid.ask<{ id: string }>("start_grid", { ...grid.where, ...RANGE });
  await grid.pass(1);
  await grid.store.setKill(true, BY);
  await grid.pass(4);
  const [line] = gridsView(await grid.ask("get_grid_status", { id })).strategies as { waiting?: string }[];
  expect(line?.waiting).toContain("the kill switch is on; `edgemaker kill off` ends it");
});

it("shows small fees and prices of a grid as plain decimals", async () => {
  const grid = await gridOver([100, 99], { quote: "5000" });
  await grid.ask("start_grid", { ...grid.where, ...RANGE });
  await grid.pass(2);
  const status = await grid.ask<{ strategies: readonly object[] }>("get_grid_status", {});
  const tiny = {
    lowerPrice: 9e-8,
    upperPrice: 1.1e-7,
    averageCost: 9.5e-8,
    position: "5",
    breakEvenPrice: 9.6e-8,
    fees: { BTC: "0.000000169", USDT: "0.00499" },
    stopPrices: [{ reason: "stop_loss", price: 8e-8, distancePercent: null, armed: true }],
  };
  const shown = gridsView({ ...status, strategies: status.strategies.map((one) => ({ ...one, ...tiny })) });
  expect(shown.strategies).toMatchObject([
    {
      profit: expect.stringMatching(/; fees 0\.000000169 BTC, 0\.00499 USDT$/),
      range: expect.stringMatching(/^0\.00000009 – 0\.00000011, /),
      holds: expect.stringMatching(/^5 \S+ at 0\.000000095, break-even 0\.000000096$/),
      stops: "stop loss at 0.00000008, armed",
    },
  ]);
});
