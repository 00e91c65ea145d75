import { useState } from "hono/jsx/dom";
import { describeRefusals } from "../../model/refusal-text.ts";
import { amount, change, digitsOf, inPercent, money, number, pairOf, toneOf } from "../format.ts";
import { useLoad } from "../load.ts";
import { linkTo } from "../route.ts";
import { EventsPart, FillsPart, OrdersPart } from "../strategy/history.tsx";
import { NameLine, strategyTitle } from "../strategy/name.tsx";
import { QualityPart } from "../strategy/quality.tsx";
import { Table } from "../table.tsx";
import { useTitle } from "../title.ts";
import type { Quoted, QuotesStatus, Session } from "../types.ts";
import { Ago, NoticeBox, Section, Shown, SideText, Stat, Warnings } from "../ui.tsx";
import { QuoteActions } from "./actions.tsx";
import { EditQuotes } from "./edit.tsx";
import { quoteState } from "./state.ts";

/** The page of one market's quotes: open orders, reference price, P&L and actions. */
export function QuotesPage({ id, session }: { id: string; session: Session }) {
  const status = useLoad<QuotesStatus>("GET /strategy/quote/status", { id }, { live: true });
  return (
    <Shown of={status} rows={12}>
      {({ strategies: [quotes] }) =>
        quotes ? (
          <KnownQuotes quotes={quotes} session={session} />
        ) : (
          <NoticeBox>
            There are no quotes with the id {id}. <a href={linkTo()}>See all strategies</a>
          </NoticeBox>
        )
      }
    </Shown>
  );
}

function KnownQuotes({ quotes, session }: { quotes: Quoted; session: Session }) {
  const { id, symbol, exchange, lastError, notices, orders } = quotes;
  const { name, tone } = quoteState(quotes);
  const [isEdited, setEdited] = useState(false);
  const { title, beside } = strategyTitle(quotes);
  useTitle(quotes.name ?? `${symbol} on ${exchange}`);
  const digits = digitsOf(orders.map(({ price }) => price));
  const of = { kind: "quote", id } as const;
  return (
    <>
      <header class="title">
        <h1>
          {title} <small>{beside}</small> <b class={`tag ${tone}`}>{name}</b>
        </h1>
        <QuoteActions
          quotes={quotes}
          session={session}
          isEdited={isEdited}
          turnEdit={() => setEdited(!isEdited)}
        />
      </header>
      {lastError ? <NoticeBox kind="error">{lastError}</NoticeBox> : null}
      <Warnings of={notices} />
      {isEdited && quotes.status !== "stopped" ? <EditQuotes quotes={quotes} /> : null}
      <QuoteFigures quotes={quotes} digits={digits} />
      <OrdersResting quotes={quotes} digits={digits} />
      <PricePlaces quotes={quotes} />
      <QualityPart id={id} />
      <FillsPart of={of} digits={digits} symbol={quotes.symbol} />
      <OrdersPart of={of} digits={digits} />
      <EventsPart of={of} digits={digits} />
      <NameLine of={quotes} session={session} />
    </>
  );
}

function QuoteFigures({ quotes, digits }: { quotes: Quoted; digits: number }) {
  const { base, quote } = pairOf(quotes.symbol);
  const { reference, averageCost, halfSpreadPercent, widenedBy, spreadPercent, lastStepAt } = quotes;
  return (
    <dl class="stats">
      <Stat name={`Total, ${quote}`} tone={`large ${toneOf(quotes.totalProfit)}`}>
        {change(quotes.totalProfit)}
      </Stat>
      <Stat name="Realized" tone={toneOf(quotes.profit)}>
        {change(quotes.profit)}
      </Stat>
      <Stat name="Reference price">{reference === null ? "no price" : number(reference, digits)}</Stat>
      <Stat name="Requested spread">{inPercent(spreadPercent)}</Stat>
      <Stat name="Current spread">
        {halfSpreadPercent === null ? "–" : inPercent(2 * halfSpreadPercent)}
        {widenedBy === null || widenedBy === "asked" ? null : <small>{` by ${widenedBy}`}</small>}
      </Stat>
      <Stat name={`Loss limit, ${quote}`}>{quotes.maxLoss === null ? "none" : amount(quotes.maxLoss)}</Stat>
      <Stat name={`Position, ${base}`}>{amount(quotes.position)}</Stat>
      <Stat name="Average entry">{averageCost === null ? "–" : number(averageCost, digits)}</Stat>
      <Stat name="Budget">{`${money(Number(quotes.budget.quote))} ${quote}, ${amount(quotes.budget.base)} ${base}`}</Stat>
      <Stat name="Orders">{`${quotes.orders.length} open, ${quotes.filledOrders} filled`}</Stat>
      <Stat name="Last pass">{lastStepAt === null ? "none yet" : <Ago at={lastStepAt} />}</Stat>
      {quotes.stream === null ? null : <Stat name="Stream">{quotes.stream}</Stat>}
    </dl>
  );
}

function OrdersResting({ quotes, digits }: { quotes: Quoted; digits: number }) {
  const { base, quote } = pairOf(quotes.symbol);
  const away = (price: number) =>
    quotes.reference === null
      ? "–"
      : inPercent((100 * Math.abs(price - quotes.reference)) / quotes.reference, 3);
  return (
    <Section title="Open orders">
      <Table
        label="Open orders"
        columns={[
          {
            name: "Side",
            isHead: true,
            of: ({ side }) => <SideText side={side} />,
          },
          { name: `Price, ${quote}`, isNumber: true, of: ({ price }) => number(price, digits) },
          { name: "From the price", isNumber: true, of: ({ price }) => away(price) },
          { name: `Amount, ${base}`, isNumber: true, of: (order) => number(order.amount) },
        ]}
        rows={quotes.orders.toSorted((a, b) => b.price - a.price)}
        keyOf={({ side, price }) => `${side} ${price}`}
        empty="There are no open orders."
      />
      {quotes.refused.length > 0 ? <p class="quiet">Not placed: {describeRefusals(quotes.refused)}</p> : null}
    </Section>
  );
}

const PricePlaces = ({ quotes }: { quotes: Quoted }) => (
  <Section title="Price sources">
    <Table
      label="Price sources"
      columns={[
        { name: "Source", isHead: true, of: ({ source }) => (source === "own" ? "own book" : source) },
        { name: "Counts", of: ({ counted }) => (counted ? "yes" : "no") },
        { name: "Reason", of: ({ because }) => because ?? "–" },
      ]}
      rows={quotes.sources}
      keyOf={({ source }) => source}
      empty="No price source yet."
    />
  </Section>
);
