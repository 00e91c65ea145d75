import { expect, it } from "vitest";
import { drivenApp } from "../support/driven.ts";

const GRID = {
  exchange: "kraken",
  symbol: "BTC/USDT",
  lowerPrice: 57_000,
  upperPrice: 63_000,
  gridLevels: 6,
  orderSize: 200,
  useOwnBase: false,
  initialBuy: true,
};

it("the buy of missing base is still tried after many orders that did not leave in time", async () => {
  const { start, tick, switches, resting } = await drivenApp();
  switches.isLate = true;
  await start(GRID);
  for (let pass = 0; pass < 7; pass++) await tick();
  expect(await resting()).toEqual([]);
  switches.isLate = false;
  for (const _pass of [1, 2, 3]) await tick();
  const sells = (await resting()).filter(({ side }) => side === "sell");
  expect(sells.length).toBeGreaterThan(1);
});
