import { pluralize } from "../../kernel/pluralize.ts";
import { amount, change, inPercent, number, pairOf, toneOf } from "../format.ts";
import type { Loaded } from "../load.ts";
import { linkTo } from "../route.ts";
import { strategyTitle } from "../strategy/name.tsx";
import { Table, type TableColumn } from "../table.tsx";
import type { Quoted, QuotesStatus } from "../types.ts";
import { Ago, Failed, Section } from "../ui.tsx";
import { quoteState } from "./state.ts";

const QUOTE_COLUMNS: readonly TableColumn<Quoted>[] = [
  {
    name: "Strategy",
    isHead: true,
    of: (quotes) => (
      <>
        <a href={linkTo("quotes", quotes.id)}>{strategyTitle(quotes).title}</a>
        <small>{strategyTitle(quotes).beside}</small>
        <small>{quotes.id}</small>
      </>
    ),
    by: (quotes) => strategyTitle(quotes).title,
  },
  {
    name: "Total",
    isNumber: true,
    of: ({ totalProfit }) => <span class={toneOf(totalProfit)}>{change(totalProfit)}</span>,
    by: ({ totalProfit }) => totalProfit ?? Number.NEGATIVE_INFINITY,
  },
  {
    name: "State",
    of: (quotes) => {
      const { name, tone, todo } = quoteState(quotes);
      return (
        <>
          <b class={`tag ${tone}`}>{name}</b>
          {todo === undefined ? null : <small class="todo">{todo}</small>}
        </>
      );
    },
    by: ({ phase }) => phase,
  },
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
  {
    name: "Last pass",
    isNumber: true,
    of: ({ lastStepAt }) => (lastStepAt === null ? "none yet" : <Ago at={lastStepAt} />),
    by: ({ lastStepAt }) => lastStepAt ?? 0,
  },
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
