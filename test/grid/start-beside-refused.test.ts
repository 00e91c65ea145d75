import { expect, it } from "vitest";
import { drivenApp } from "../support/driven.ts";

const GRID = {
  exchange: "kraken",
  symbol: "BTC/USDT",
  lowerPrice: 57_000,
  upperPrice: 63_000,
  gridLevels: 6,
  orderSize: 200,
};

it("a grid starts although the exchange refuses another pair with the same base", async () => {
  const { start, grid, switches, resting } = await drivenApp();
  await start({ ...GRID, symbol: "BTC/EUR", lowerPrice: 52_000, upperPrice: 58_000 });
  const before = (await resting()).length;
  switches.refused = "BTC/EUR";
  const { id } = await start(GRID);
  expect(await grid(id)).toMatchObject({ phase: "active", openOrders: 6 });
  expect(await resting()).toHaveLength(before + 6);
});
