import { change, money, number, toneOf } from "../format.ts";
import { Table, type TableColumn } from "../table.tsx";
import type { AgreementReportView } from "../types.ts";

type CostView = Omit<NonNullable<AgreementReportView["costs"]>[number], "markets" | "unknownMarkets">;

export interface MarketCostRow {
  readonly name: string;
  /** Null if it is unknown. */
  readonly cost: CostView | null;
}

const knownAmount = (value: number | null): string => (value === null ? "unknown" : change(value));

const MARKET_COST_COLUMNS: readonly TableColumn<MarketCostRow>[] = [
  { name: "Market", isHead: true, of: ({ name }) => name },
  {
    name: "P&L",
    isNumber: true,
    of: ({ cost }) =>
      cost ? (
        <span class={toneOf(cost.totalProfit)}>{`${change(cost.totalProfit)} ${cost.quote}`}</span>
      ) : (
        "unknown"
      ),
  },
  { name: "Spread", isNumber: true, of: ({ cost }) => (cost ? knownAmount(cost.spread) : "") },
  { name: "Inventory", isNumber: true, of: ({ cost }) => (cost ? change(cost.inventory) : "") },
  { name: "Fees", isNumber: true, of: ({ cost }) => (cost ? money(cost.fees) : "") },
  { name: "Fills", isNumber: true, of: ({ cost }) => (cost ? number(cost.fills) : "") },
  { name: "Without mid", isNumber: true, of: ({ cost }) => (cost ? number(cost.withoutMid) : "") },
];

/** P&L by cause of strategies on markets. */
export const CostTable = ({ label, rows }: { label: string; rows: readonly MarketCostRow[] }) => (
  <Table
    label={label}
    columns={MARKET_COST_COLUMNS}
    rows={rows}
    keyOf={({ name }) => name}
    empty="No markets."
  />
);

/** Lists the markets, then the sum of each quote asset with several markets. */
export const agreementCosts = ({ costs = [], markets }: AgreementReportView): MarketCostRow[] => [
  ...markets.map(({ symbol, exchange, cost = null }) => ({ name: `${symbol} on ${exchange}`, cost })),
  ...costs
    .filter(({ markets: count }) => count > 1)
    .map((cost) => ({
      name: `${cost.markets - cost.unknownMarkets} of ${cost.markets} markets in ${cost.quote}`,
      cost,
    })),
];
