import { useState } from "hono/jsx/dom";
import { countWithVerb } from "../kernel/plain-text.ts";
import { describeRefusals } from "../model/refusal-text.ts";
import { amount, digitsOf, inPercent, money, number, pairOf } from "./format.ts";
import { NumberSettings, settingsBody } from "./start/backtest.tsx";
import { quoteSettings } from "./start-quotes.tsx";
import { EditSection } from "./strategy/edit.tsx";
import {
  ById,
  MainFigures,
  mainFiguresOf,
  NameLine,
  PassStats,
  StrategyActions,
  StrategyHeader,
} from "./strategy/parts.tsx";
import { OrderTable, QuoteStats } from "./strategy/plan.tsx";
import { QualityPart } from "./strategy/quality.tsx";
import { EventsPart, FillsPart, OrdersPart } from "./strategy/slots.tsx";
import { Table } from "./table.tsx";
import type { Quoted, QuoteEditPlan, Session } from "./types.ts";
import { ChangeStat, Section, Stat } from "./ui.tsx";

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

/** The page of one market's quotes: open orders, reference price, P&L and actions. */
export const QuotesPage = ({ id, session }: { id: string; session: Session }) => (
  <ById<Quoted> id={id}>{(quotes) => <KnownQuotes quotes={quotes} session={session} />}</ById>
);

function KnownQuotes({ quotes, session }: { quotes: Quoted; session: Session }) {
  const { id, orders, budget, symbol } = quotes;
  const { base, quote } = pairOf(symbol);
  const [isEdited, setEdited] = useState(false);
  const digits = digitsOf(orders.map(({ price }) => price));
  const of = { kind: "quote", id } as const;
  return (
    <>
      <StrategyHeader of={quotes}>
        <StrategyActions
          of={quotes}
          session={session}
          editing={{ isEdited, turn: () => setEdited(!isEdited) }}
          whom="these quotes"
          pause={`Their ${countWithVerb(orders.length, "order")} canceled until you resume. The base stays.`}
          resume={`The next pass places both sides again, with their budgets: ${money(budget.quote)} ${quote} and ${amount(budget.base)} ${base}.`}
        />
      </StrategyHeader>
      {isEdited && quotes.status !== "stopped" ? <EditQuotes quotes={quotes} /> : null}
      <QuoteFigures quotes={quotes} />
      <Section title="Open orders">
        <OrderTable
          label="Open orders"
          orders={orders}
          symbol={symbol}
          empty="There are no open orders."
          reference={quotes.reference}
        />
        {quotes.waiting.length > 0 ? (
          <p class="quiet">Not placed: {describeRefusals(quotes.waiting)}</p>
        ) : null}
      </Section>
      <PricePlaces quotes={quotes} />
      <QualityPart id={id} />
      <FillsPart of={of} digits={digits} symbol={quotes.symbol} />
      <OrdersPart of={of} digits={digits} />
      <EventsPart of={of} />
      <NameLine of={quotes} session={session} />
    </>
  );
}

function QuoteFigures({ quotes }: { quotes: Quoted }) {
  const { base, quote } = pairOf(quotes.symbol);
  const { reference, averageCost, halfSpreadPercent, widenedBy, spreadPercent } = quotes;
  return (
    <MainFigures {...mainFiguresOf(quotes)}>
      <ChangeStat name="Unrealized" of={quotes.unrealizedProfit} />
      <Stat name="Reference price">{reference === null ? "no price" : number(reference)}</Stat>
      <Stat name="Requested spread">{inPercent(spreadPercent)}</Stat>
      <Stat name="Current spread">
        {halfSpreadPercent === null ? "–" : inPercent(2 * halfSpreadPercent)}
        {widenedBy === null || widenedBy === "asked" ? null : <small>{` by ${widenedBy}`}</small>}
      </Stat>
      <Stat name={`Loss limit, ${quote}`}>{quotes.maxLoss === null ? "none" : amount(quotes.maxLoss)}</Stat>
      <Stat name="Average entry">{averageCost === null ? "–" : number(averageCost)}</Stat>
      <Stat name="Budget">{`${money(Number(quotes.budget.quote))} ${quote}, ${amount(quotes.budget.base)} ${base}`}</Stat>
      <Stat name="Orders">{`${quotes.orders.length} open, ${quotes.filledOrders} filled`}</Stat>
      <PassStats of={quotes} />
    </MainFigures>
  );
}

/** A form for new settings of running quotes: their effect, and a change to exactly that. */
function EditQuotes({ quotes }: { quotes: Quoted }) {
  const { id } = quotes;
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const settings = editableSettings(quotes);
  const numbers = settingsBody(settings, texts) ?? {};
  return (
    <EditSection<QuoteEditPlan>
      title="Change these quotes"
      id={id}
      config={Object.keys(numbers).length === 0 ? undefined : numbers}
      fields={<NumberSettings settings={settings} texts={texts} change={setTexts} />}
      names={{ ...FOLLOWING_NAMES, ...Object.fromEntries(settings.map(({ name, label }) => [name, label])) }}
      empty="Change a setting; empty ones stay as they are. The orders to cancel and to place appear here."
      changed={() => setTexts({})}
      stats={(planned) => <QuoteStats planned={planned} />}
    />
  );
}

/** Settings that change with another one. */
const FOLLOWING_NAMES = {
  size: "Size of each order",
  tolerancePercent: "Distance within which an order stays, %",
};

function editableSettings({ symbol, spreadPercent, levels, maxLoss, defend }: Quoted) {
  const { base, quote } = pairOf(symbol);
  const of = quoteSettings(base, quote);
  return [
    { ...of.spreadPercent, hint: `${spreadPercent} now` },
    { ...of.levels, hint: `${levels} now` },
    of.depth,
    { ...of.maxLoss, hint: maxLoss === null ? "none now" : `${amount(maxLoss)} now` },
    of.maxBase,
    of.minBase,
    { ...of.defend, hint: `${defend ?? "off"} now; ticks or pause, and passes` },
    of.fixedPrice,
    ...[of.stopLossPrice, of.takeProfitPrice, of.trailingStopPercent, of.endsAt].map((one) => ({
      ...one,
      hint: `${one.hint}; 0 removes it`,
    })),
    of.onEnd,
  ];
}
