import { amount, change, money, number, pairOf } from "../format.ts";
import { Table } from "../table.tsx";
import type { Grid, PlannedEditAnswer } from "../types.ts";
import { SideText, Stat, Warnings } from "../ui.tsx";

const CHANGED_NAMES: Readonly<Record<string, string>> = {
  lowerPrice: "Lower price",
  upperPrice: "Upper price",
  gridLevels: "Levels",
  orderSize: "Per order",
  gridSpacing: "Spacing in price",
  spacing: "Spacing",
  stopLossPrice: "Stop loss",
  takeProfitPrice: "Take profit",
  allowLoss: "Can sell below cost",
};

/** Shows what a change would do, as the server planned it. */
export function EditPlan({
  grid,
  planned,
  digits,
}: {
  grid: Grid;
  planned: PlannedEditAnswer;
  digits: number;
}) {
  return (
    <>
      <Warnings of={planned.warnings} />
      <Table
        label="Changes"
        columns={[
          { name: "Setting", isHead: true, of: ({ field }) => CHANGED_NAMES[field] ?? field },
          { name: "Now", isNumber: true, of: ({ from }) => shownValue(from) },
          { name: "New", isNumber: true, of: ({ to }) => shownValue(to) },
        ]}
        rows={planned.changes}
        keyOf={({ field }) => field}
        empty="Nothing changes."
      />
      <MoneyPlan planned={planned} symbol={grid.symbol} />
      {planned.orders.length > 0 ? <Orders planned={planned} symbol={grid.symbol} digits={digits} /> : null}
      <p class="quiet">
        Plan <code>{planned.planHash}</code>
      </p>
    </>
  );
}

const shownValue = (text: string): string => (Number.isFinite(Number(text)) ? amount(text) : text);

function MoneyPlan({ planned, symbol }: { planned: PlannedEditAnswer; symbol: string }) {
  const { base, quote } = pairOf(symbol);
  return (
    <dl class="stats">
      <Stat name="Canceled">{`${planned.cancelled} orders`}</Stat>
      <Stat name="Placed">{`${planned.orders.length} orders`}</Stat>
      <Stat name="Quote for buys">{`${money(Number(planned.investment.quote))} ${quote}`}</Stat>
      <Stat name="Free quote">{`${money(Number(planned.free))} ${quote}`}</Stat>
      <Stat name="Realized P&L, stays">{`${change(planned.realized)} ${quote}`}</Stat>
      <Stat name="Maximum use of quote">{`${money(Number(planned.maxQuoteUsed))} ${quote}`}</Stat>
      {Number(planned.idleBase) > 0 ? (
        <Stat name="Base without a sell order" tone="warn">{`${amount(planned.idleBase)} ${base}`}</Stat>
      ) : null}
      {planned.worstCase
        .toSorted((a, b) => a.price - b.price)
        .map(({ price, loss }) => (
          <Stat key={price} name={`Loss at ${number(price)}`} tone={loss > 0 ? "down" : ""}>
            {`${money(loss)} ${quote}`}
          </Stat>
        ))}
    </dl>
  );
}

function Orders({ planned, symbol, digits }: { planned: PlannedEditAnswer; symbol: string; digits: number }) {
  const { base, quote } = pairOf(symbol);
  const waiting = planned.refused.length;
  return (
    <details>
      <summary>
        {planned.orders.length} orders{waiting > 0 ? `; ${waiting} slots have no order now` : ""}
      </summary>
      <Table
        label="Orders after the change"
        columns={[
          { name: "Slot", isHead: true, of: ({ slot }) => slot },
          { name: "Side", of: ({ side }) => <SideText side={side} /> },
          { name: `Price, ${quote}`, isNumber: true, of: ({ price }) => number(price, digits) },
          { name: `Amount, ${base}`, isNumber: true, of: (order) => number(order.amount) },
        ]}
        rows={planned.orders.toSorted((a, b) => b.price - a.price)}
        keyOf={({ slot }) => slot}
        empty="None."
      />
    </details>
  );
}

/** Describes the change in one sentence, in money. */
export function editSays({ cancelled, orders, ...plan }: PlannedEditAnswer, quote: string): string {
  const kept = `The ${change(plan.realized)} ${quote} of realized P&L stay. The change sells nothing.`;
  if (cancelled === 0 && orders.length === 0) return `No order is canceled or placed. ${kept}`;
  return `${cancelled} orders are canceled, then ${orders.length} placed: ${money(Number(plan.investment.quote))} ${quote} in buys, of ${money(Number(plan.free))} free. ${kept} It can use up to ${money(Number(plan.maxQuoteUsed))} ${quote}. If the market moves and the plan changes, nothing is changed.`;
}
