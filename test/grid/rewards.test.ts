import { expect, it } from "vitest";
import { d } from "../support/grid.ts";
import { liveApp } from "../support/live.ts";
import { runOperation } from "../support/sandbox.ts";

interface Grid {
  readonly status: string;
  readonly lastError: string | null;
  readonly openOrders: number;
  readonly otherChanges: Readonly<Record<string, string>>;
}

it("a grid on kraken starts with what earns rewards, and sells what was bought into them", async () => {
  const { deps, venues, ask, tokens } = await liveApp(["kraken"], { live: { keptFor: 0 } });
  const exchange = venues.kraken;
  exchange.move("LTC/USDT", "75");
  exchange.earn("LTC");
  exchange.earn("USDT");
  const { id } = await runOperation<{ id: string }>(deps, "start_grid", {
    exchange: "kraken",
    symbol: "LTC/USDT",
    ...{ lowerPrice: d("70"), upperPrice: d("80"), gridLevels: 4, orderSize: d("20") },
  });
  const status = async (): Promise<Grid> => {
    const { strategies } = await runOperation<{ strategies: Grid[] }>(deps, "get_grid_status", { id });
    return strategies[0] as Grid;
  };
  for (const price of ["72", "72", "76", "76"]) {
    exchange.move("LTC/USDT", price);
    await runOperation(deps, "tick", {});
  }
  expect(await status()).toMatchObject({ status: "running", lastError: null, otherChanges: {} });
  expect(exchange.executions().map(({ order }) => order.side)).toEqual(["buy", "sell"]);
  const answer = await ask("/api/v1/balance?exchange=kraken&asset=LTC", {
    headers: { authorization: `Bearer ${tokens.read}` },
  });
  const [held] = (await answer.json()).balances;
  expect(d(held.total)).toBe(exchange.total("LTC"));
});
