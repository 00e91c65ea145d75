import { amount, digitsOf, inPercent, money, number, pairOf } from "../format.ts";
import { Table, type TableColumn } from "../table.tsx";
import type { Planned } from "../types.ts";
import { SideText, Stat, Warnings } from "../ui.tsx";

/** Shows everything that a start would do, as the server planned it. */
export function PlanShown({ planned }: { planned: Planned }) {
  const { base, quote } = pairOf(planned.config.symbol);
  const net = planned.slots.map(({ netPercent }) => netPercent);
  const worst = planned.worstCase.toSorted((a, b) => a.price - b.price);
  return (
    <>
      <Warnings of={planned.warnings} />
      <dl class="stats">
        <Stat name="Maximum use of quote">{`${money(Number(planned.maxQuoteUsed))} ${quote}`}</Stat>
        <Stat name="Buys">{`${money(Number(planned.investment.quote))} ${quote}`}</Stat>
        <Stat name="Own base in sells">{`${amount(planned.ownBaseUsed)} ${base}`}</Stat>
        <Stat name="Profit per cycle" tone={Math.min(...net) > 0 ? "up" : "down"}>
          {`${number(Math.min(...net), 3)} to ${inPercent(Math.max(...net), 3)}`}
        </Stat>
        <Stat name="Smallest profitable spacing">{inPercent(planned.breakEvenSpacingPercent, 3)}</Stat>
        {worst.map(({ price, loss }) => (
          <Stat key={price} name={`Loss at ${number(price)}`} tone={loss > 0 ? "down" : ""}>
            {`${money(loss)} ${quote}`}
          </Stat>
        ))}
      </dl>
      <p class="quiet">Break-even: {planned.lastWeek.message}.</p>
      <PlanOrders planned={planned} />
      <p class="quiet">
        Plan <code>{planned.planHash}</code>
      </p>
    </>
  );
}

type PlannedSlot = Planned["slots"][number];

function planColumns(planned: Planned): readonly TableColumn<PlannedSlot>[] {
  const { base, quote } = pairOf(planned.config.symbol);
  const digits = digitsOf(planned.slots.map(({ lowerPrice }) => lowerPrice));
  const orderOf = (slot: number) => planned.orders.find((order) => order.slot === slot);
  const refusalOf = (slot: number) => planned.refused.find((refused) => refused.slot === slot);
  return [
    {
      name: "Slot",
      isHead: true,
      of: ({ slot, lowerPrice, upperPrice }) =>
        `${slot}: ${number(lowerPrice, digits)} – ${number(upperPrice, digits)}`,
    },
    {
      name: "Order",
      of: ({ slot }) => {
        const order = orderOf(slot);
        if (order) return <SideText side={order.side} />;
        const refused = refusalOf(slot);
        return refused ? <span class="warn">{refused.detail ?? refused.reason}</span> : "–";
      },
    },
    {
      name: `Price, ${quote}`,
      isNumber: true,
      of: ({ slot }) => {
        const order = orderOf(slot);
        return order ? number(order.price, digits) : "–";
      },
    },
    {
      name: `Amount, ${base}`,
      isNumber: true,
      of: ({ slot }) => {
        const order = orderOf(slot);
        return order ? number(order.amount) : "–";
      },
    },
    {
      name: `Profit per cycle, ${quote}`,
      isNumber: true,
      of: ({ netProfit, netPercent }) => `${money(netProfit)} (${inPercent(netPercent, 3)})`,
    },
  ];
}

function PlanOrders({ planned }: { planned: Planned }) {
  return (
    <details>
      <summary>
        {planned.orders.length} orders by slot
        {planned.refused.length > 0 ? `; ${planned.refused.length} slots have no order now` : ""}
      </summary>
      <Table
        label="Orders of the plan"
        columns={planColumns(planned)}
        rows={planned.slots.toReversed()}
        keyOf={({ slot }) => slot}
        empty="The plan has no slots."
      />
    </details>
  );
}
