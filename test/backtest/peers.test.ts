import { describe, expect, it } from "vitest";
import { backtest } from "../../src/backtest/backtest.ts";
import { slice } from "../../src/candles/candles.ts";
import { DAY } from "../../src/kernel/time.ts";
import { d, market as marketOf } from "../support/grid.ts";
import { sharedCandles } from "../support/january.ts";

/** Two days of a public grid bot's own data, with what its integration tests publish: see docs/backtest.md. */
const PUBLISHED = { buys: 6, sells: 3, fees: 0.22, end: 143.85, center: 162.5 };

const all = sharedCandles("peers/sol-usdt-1m.csv.gz", "SOL/USDT");

describe.skipIf(!all)("beside a public grid bot's published results", () => {
  const candles = all && slice(all, all.from, all.from + 2 * DAY);
  const market = marketOf({
    ...{ symbol: "SOL/USDT", base: "SOL", quote: "USDT", tick: d("0.01") },
    ...{ lot: d("0.000001"), minAmount: d("0.000001"), minNotional: d("1") },
  });
  const asked = {
    ...{ lowerPrice: d("155"), upperPrice: d("170"), gridLevels: 7, orderSize: d("18.75") },
    triggerPrice: d(String(PUBLISHED.center)),
    initialBuy: true,
  };
  const run = () => {
    if (!candles) throw new Error("no candles");
    const { figures, run: done } = backtest(asked, candles, { market, rules: { fill: "touch" } });
    const fills = done.fills.newest(done.fills.count);
    return { figures, ledger: done.account.strategy.state.ledger, fills };
  };

  it("comes to what docs/backtest.md says", () => {
    const { figures, ledger, fills } = run();
    const of = (side: string) => fills.filter((fill) => fill.side === side).length;
    expect([of("buy"), of("sell")]).toEqual([14, 10]);
    expect(Number(figures.total) / 1e18).toBeCloseTo(-3.45, 2);
    expect(Number(ledger.fees.USDT) / 1e18).toBeCloseTo(0.5055, 4);
  });

  it("differs by the sells below the center, which the other never places", () => {
    const { fills } = run();
    const center = d(String(PUBLISHED.center));
    const above = fills.filter(({ side, price }) => side === "sell" && price > center).length;
    const below = fills.filter(({ side, price }) => side === "sell" && price < center).length;
    expect([above, below]).toEqual([6, 4]);
    expect(above + below).toBeGreaterThan(PUBLISHED.sells);
  });
});
