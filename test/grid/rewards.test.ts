import { expect, it, onTestFinished } from "vitest";
import { SECOND } from "../../src/kernel/time.ts";
import { emulatedExchanges } from "../support/emulated.ts";
import { d } from "../support/grid.ts";
import { runOperation } from "../support/sandbox.ts";

interface Grid {
  readonly status: string;
  readonly lastError: string | null;
  readonly openOrders: number;
  readonly otherChanges: Readonly<Record<string, string>>;
}

it.each([
  ["starts with what earns rewards, and sells what is bought into them", 0],
  ["sells what has moved to rewards since it was bought", 1],
])("a grid on kraken %s", async (_what, earnsFrom) => {
  const setup = await emulatedExchanges({ names: ["kraken"] });
  onTestFinished(() => setup.close());
  const { deps } = setup;
  const exchange = setup.exchange("kraken");
  exchange.move("LTC/USDT", "75");
  const earn = () => {
    exchange.earn("LTC");
    exchange.earn("USDT");
  };
  if (earnsFrom === 0) earn();
  const { id } = await runOperation<{ id: string }>(deps, "start_grid", {
    exchange: "kraken",
    symbol: "LTC/USDT",
    lowerPrice: d("70"),
    upperPrice: d("80"),
    gridLevels: 4,
    orderSize: d("20"),
  });
  const status = async (): Promise<Grid> => {
    const { strategies } = await runOperation<{ strategies: Grid[] }>(deps, "get_grid_status", { id });
    return strategies[0] as Grid;
  };
  for (const [place, price] of ["72", "72", "76", "76"].entries()) {
    exchange.move("LTC/USDT", price);
    // What was bought is gone from LTC before a pass could sell it.
    if (place + 1 === earnsFrom) earn();
    setup.time.pass(10 * SECOND);
    await runOperation(deps, "tick", {});
  }
  expect(await status()).toMatchObject({ status: "running", lastError: null, otherChanges: {} });
  expect(exchange.executions().map(({ order }) => order.side)).toEqual(["buy", "sell"]);
  const result = await runOperation<{ balances: { total: string }[] }>(deps, "get_balance", {
    exchange: "kraken",
    asset: "LTC",
  });
  expect(result.balances.map(({ total }) => d(total))).toEqual([exchange.total("LTC")]);
});
