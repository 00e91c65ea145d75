import { DataTable } from "../kernel/html.tsx";
import type { LiquidityAnswer } from "./schema.ts";
import { TRADE_AMOUNTS, type TradeCost, tradeCostDay, tradeCostRows } from "./trade-cost.ts";

type MarketTrades = Pick<LiquidityAnswer, "costToTrade">;

const tradeHeads = (first: string, asset: string): string[] => [
  first,
  ...TRADE_AMOUNTS.map((amount) => `${amount} ${asset}`),
];

const ofPeriod = (costs: readonly TradeCost[]) => costs.filter(({ day }) => day === null);

/** Renders the average slippage of market orders over the period, one row per market. */
export const tradeCostPart = (
  rows: readonly (readonly [name: string, market: MarketTrades])[],
  asset: string,
) => (
  <>
    <h2>Average slippage of a market order</h2>
    <DataTable
      heads={tradeHeads("Market", asset)}
      rows={rows.flatMap(([name, { costToTrade }]) =>
        tradeCostRows(ofPeriod(costToTrade)).map(({ texts }) => [name, ...texts]),
      )}
      kind="trades"
    />
  </>
);

/** Renders it by day; nothing if the days were not requested. */
export function tradeDaysPart({ costToTrade }: MarketTrades, asset: string) {
  const ofDays = costToTrade.filter(({ day }) => day !== null);
  return (
    ofDays.length > 0 && (
      <>
        <h2>Average slippage of a market order, by day</h2>
        <DataTable
          heads={tradeHeads("Day, UTC", asset)}
          rows={tradeCostRows(ofDays).map(({ day, texts }) => [tradeCostDay(day), ...texts])}
          kind="trades"
        />
      </>
    )
  );
}
