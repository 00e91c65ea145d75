import { pluralize } from "../../kernel/pluralize.ts";
import { amount, inPercent, number, pairOf } from "../format.ts";
import type { Loaded } from "../load.ts";
import { nameColumn, passColumn, profitColumn, stateColumn, strategyState } from "../strategy/parts.tsx";
import { Table, type TableColumn } from "../table.tsx";
import type { Quoted, QuotesStatus } from "../types.ts";
import { Failed, Section } from "../ui.tsx";

const QUOTE_COLUMNS: readonly TableColumn<Quoted>[] = [
  nameColumn("quote"),
  profitColumn("Total", ({ totalProfit }) => totalProfit),
  stateColumn(strategyState),
  {
    name: "Reference price",
    isNumber: true,
    of: ({ reference, sources }) => (
      <>
        {reference === null ? "no price" : number(reference)}
        <small>
          {sources
            .filter(({ counted }) => counted)
            .map(sourceText)
            .join(", ") || "no source counts"}
        </small>
      </>
    ),
    by: ({ reference }) => reference ?? 0,
  },
  {
    name: "Spread",
    isNumber: true,
    of: ({ halfSpreadPercent, spreadPercent, widenedBy }) => (
      <>
        {inPercent(halfSpreadPercent === null ? spreadPercent : 2 * halfSpreadPercent)}
        {widenedBy === null || widenedBy === "asked" ? null : <small>{`by ${widenedBy}`}</small>}
      </>
    ),
    by: ({ spreadPercent }) => spreadPercent,
  },
  {
    name: "Orders",
    isNumber: true,
    of: (quote) =>
      `${pluralize(restingOf(quote, "buy"), "bid")}, ${pluralize(restingOf(quote, "sell"), "ask")}, ${quote.filledOrders} filled`,
    by: ({ filledOrders }) => filledOrders,
  },
  {
    name: "Position",
    isNumber: true,
    of: ({ position, symbol }) => `${amount(position)} ${pairOf(symbol).base}`,
    by: ({ position }) => Number(position),
  },
  passColumn(),
];

const sourceText = ({ source }: Quoted["sources"][number]): string =>
  source === "own" ? "own book" : source;

const restingOf = ({ orders }: Quoted, side: "buy" | "sell"): number =>
  orders.filter((order) => order.side === side).length;

/** A table of running quotes, if any. */
export function Quotes({ running }: { running: Loaded<QuotesStatus> }) {
  const { data, error, again } = running;
  if (error) return <Failed error={error} again={again} />;
  if (data === undefined || data.count === 0) return null;
  return (
    <Section title={`Quotes (${data.count})`}>
      <Table
        label="Running quotes"
        columns={QUOTE_COLUMNS}
        rows={data.strategies}
        keyOf={({ id }) => id}
        empty="No quotes run."
      />
    </Section>
  );
}
