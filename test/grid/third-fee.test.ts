import { expect, it } from "vitest";
import { asGrid } from "../../src/grid/state/state.ts";
import { d } from "../support/grid.ts";
import { liveApp } from "../support/live.ts";
import { runOperation } from "../support/sandbox.ts";

interface Grid {
  readonly filledOrders: number;
  readonly profit: number;
  readonly totalProfit: number;
  readonly unrealizedProfit: number;
  readonly fees: Readonly<Record<string, string>>;
  readonly feesValue: number;
  readonly feesEstimated: boolean;
  readonly unexplained: { readonly order: string | null; readonly assets: object };
  readonly otherChanges: Readonly<Record<string, string>>;
  readonly lastError: string | null;
}

/** kraken has no such deduction. */
const THIRD = { mexc: "MX", gateio: "GT", bitget: "BGB" } as const;

it.each(["mexc", "gateio", "bitget"] as const)(
  "a fee that %s charges in its own coin is explained, and lowers the profit once",
  async (name) => {
    const { deps, venues } = await liveApp([name], { live: { keptFor: 0 } });
    const exchange = venues[name];
    exchange.move("BTC/USDT", "60000");
    // mexc takes nothing of an order that rests, unless the account is told otherwise.
    if (name === "mexc") exchange.list("BTC/USDT", { maker: d("0.0005") });
    exchange.deposit(THIRD[name], "1000");
    exchange.deduct({ asset: THIRD[name], price: "5" });
    const { id } = await runOperation<{ id: string }>(deps, "start_grid", {
      exchange: name,
      symbol: "BTC/USDT",
      lowerPrice: d("58000"),
      upperPrice: d("62000"),
      gridLevels: 4,
      orderSize: d("100"),
    });
    const status = async (): Promise<Grid> => {
      const { strategies } = await runOperation<{ strategies: Grid[] }>(deps, "get_grid_status", { id });
      return strategies[0] as Grid;
    };
    for (const price of ["58900", "60100", "60000"]) {
      exchange.move("BTC/USDT", price);
      await runOperation(deps, "tick", {});
    }
    const grid = await status();
    const executed = exchange.executions();
    expect(executed.length).toBeGreaterThan(1);
    expect(Object.keys(grid.fees)).toEqual([THIRD[name]]);
    expect(grid).toMatchObject({
      feesEstimated: true,
      lastError: null,
      unexplained: { order: null, assets: {} },
    });
    // Without a market of the coin: the rate × the notional, summed over the fills that the venue made.
    const fills = await deps.store.fillsOf(id, { limit: 100 });
    expect(fills).toHaveLength(executed.length);
    const rate = (await deps.venue(name).market("BTC/USDT")).taker;
    const worth = fills.reduce((sum, { notional }) => sum + (notional * rate) / 10n ** 18n, 0n);
    expect(grid.feesValue).toBeCloseTo(Number(worth) / 1e18, 9);
    const [view] = await deps.store.strategies({ id });
    const { slots, ledger } = view ? asGrid(view.strategy).state : { slots: [], ledger: undefined };
    const cost = slots.reduce(
      (sum, { cost: one, base, sold }) => sum + (sold === 0n ? one : one - (one * sold) / base),
      0n,
    );
    const gross = (ledger?.quote ?? 0n) + cost - (ledger?.firstCost ?? 0n);
    expect(grid.profit).toBeCloseTo(Number(gross - (ledger?.feesValue ?? 0n)) / 1e18, 9);
    expect(grid.otherChanges).toEqual({});
  },
);
