import { describeRefusals } from "../../model/refusal-text.ts";
import { digitsOf, inPercent, money, number, pairOf } from "../format.ts";
import { Table } from "../table.tsx";
import type { PlannedQuoteEdit, PlannedQuotes } from "../types.ts";
import { SideText, Stat, Warnings } from "../ui.tsx";

type PlannedOrders = Pick<PlannedQuotes, "orders">["orders"];

/** Describes the orders of one side in money. */
export function sideText({ symbol, orders }: PlannedQuotes, side: "buy" | "sell"): string {
  const { base, quote } = pairOf(symbol);
  const own = orders.filter((order) => order.side === side);
  const sum = (of: (order: PlannedOrders[number]) => number) =>
    own.reduce((all, order) => all + of(order), 0);
  return side === "buy"
    ? `bids of ${money(sum(({ price, amount }) => price * amount))} ${quote}`
    : `asks of ${number(sum((order) => order.amount))} ${base}`;
}

interface PlanViewProps {
  readonly planned: PlannedQuotes | PlannedQuoteEdit;
  readonly symbol: string;
}

/** Shows what a start or a change of quotes would do, as the server planned it. */
export function QuotePlanView({
  planned,
  symbol,
}: {
  planned: PlannedQuotes | PlannedQuoteEdit;
  symbol: string;
}) {
  const { orders, refused, cadence, warnings } = planned;
  const digits = digitsOf(orders.map(({ price }) => price));
  return (
    <>
      <Warnings of={warnings} />
      <QuotePlanFigures planned={planned} symbol={symbol} digits={digits} />
      {"worstCase" in planned ? <p>Worst case: {planned.worstCase}</p> : null}
      <p class="quiet">{cadence.message}</p>
      <QuotePlanOrders orders={orders} symbol={symbol} digits={digits} />
      {refused.length > 0 ? <p class="quiet">Not placed: {describeRefusals(refused)}</p> : null}
      <p class="quiet">
        Plan <code>{planned.planHash}</code>
      </p>
    </>
  );
}

function QuotePlanFigures({ planned, symbol, digits }: PlanViewProps & { digits: number }) {
  const { quote } = pairOf(symbol);
  const { reference, halfSpreadPercent, widenedBy } = planned;
  return (
    <dl class="stats">
      <Stat name={`Reference price, ${quote}`}>
        {reference === null ? "no price" : number(reference, digits)}
      </Stat>
      <Stat name="Spread">
        {halfSpreadPercent === null ? "–" : inPercent(2 * halfSpreadPercent, 2)}
        {widenedBy === null || widenedBy === "asked" ? null : <small>{` by ${widenedBy}`}</small>}
      </Stat>
      {"budget" in planned ? (
        <>
          <Stat name="Bids and asks">{`${sideText(planned, "buy")}, ${sideText(planned, "sell")}`}</Stat>
          <Stat name="Loss limit">
            {planned.maxLoss === null ? "none" : `${money(Number(planned.maxLoss))} ${quote}`}
          </Stat>
        </>
      ) : (
        <>
          <Stat name="Kept">{`${planned.kept} orders`}</Stat>
          <Stat name="Canceled">{`${planned.cancelled} orders`}</Stat>
        </>
      )}
    </dl>
  );
}

function QuotePlanOrders({
  orders,
  symbol,
  digits,
}: {
  orders: PlannedOrders;
  symbol: string;
  digits: number;
}) {
  const { base, quote } = pairOf(symbol);
  return (
    <Table
      label="Orders of the plan"
      columns={[
        {
          name: "Side",
          isHead: true,
          of: ({ side }) => <SideText side={side} />,
        },
        { name: `Price, ${quote}`, isNumber: true, of: ({ price }) => number(price, digits) },
        { name: `Amount, ${base}`, isNumber: true, of: (order) => number(order.amount) },
      ]}
      rows={orders.toSorted((a, b) => b.price - a.price)}
      keyOf={({ side, price }) => `${side} ${price}`}
      empty="No order changes now."
    />
  );
}
