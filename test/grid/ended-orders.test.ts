import { expect, it, onTestFinished } from "vitest";
import { runRound } from "../../src/engine/pass/round.ts";
import { HOUR, SECOND } from "../../src/kernel/time.ts";
import { emulatedExchanges } from "../support/emulated.ts";
import { d } from "../support/grid.ts";
import { runOperation } from "../support/sandbox.ts";

it("an ended order with missing trades does not block new orders", async () => {
  const setup = await emulatedExchanges({ names: ["gateio"] });
  onTestFinished(() => setup.close());
  const exchange = setup.exchange("gateio");
  const grid = { exchange: "gateio", symbol: "BTC/USDT", gridLevels: 4, orderSize: d("100") };
  const pass = async () => {
    setup.time.pass(5 * SECOND);
    await runRound(setup.deps);
  };
  await runOperation(setup.deps, "start_grid", { ...grid, lowerPrice: d("59000"), upperPrice: d("61000") });
  await pass();
  exchange.late({ trades: HOUR });
  // Both buys are filled, and the market falls on.
  exchange.move("BTC/USDT", "57000");
  await pass();
  const { id } = await runOperation<{ id: string }>(setup.deps, "start_grid", {
    ...grid,
    lowerPrice: d("56000"),
    upperPrice: d("58000"),
  });
  await pass();
  const { strategies } = await runOperation<{ strategies: { refused: unknown[]; openOrders: number }[] }>(
    setup.deps,
    "get_grid_status",
    { id },
  );
  expect(strategies[0]).toMatchObject({ refused: [], openOrders: 4 });
});
