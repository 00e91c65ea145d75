import { money, number, pairOf } from "../format.ts";
import { numberColumn, Table, type TableColumn } from "../table.tsx";
import type { Grid, HistoricOrders } from "../types.ts";
import { FoldedSection, SideText } from "../ui.tsx";
import { hasOlderOpen, isResting } from "./levels.ts";

type SlotShown = NonNullable<Grid["slots"]>[number];

/** The table of slots: open order or reason, base, and number of cycles. */
export function Slots({
  grid,
  orders,
  digits,
}: {
  grid: Grid;
  orders: HistoricOrders["orders"];
  digits: number;
}) {
  const { base, quote } = pairOf(grid.symbol);
  const columns: readonly TableColumn<SlotShown>[] = [
    {
      name: "Slot",
      isHead: true,
      of: ({ slot, lowerPrice, upperPrice }) =>
        `${slot}: ${number(lowerPrice, digits)} – ${number(upperPrice, digits)}`,
      by: ({ slot }) => slot,
    },
    { name: "Order", of: ({ slot, side }) => restingText(grid, orders, { slot, side }, digits) },
    numberColumn(`Position, ${base}`, ({ position }) => Number(position), number),
    numberColumn(`Cost, ${quote}`, ({ cost }) => cost, money),
    numberColumn("Cycles", ({ cycles }) => cycles),
  ];
  return (
    <FoldedSection title="Slots">
      {() => (
        <Table
          label="Slots"
          columns={columns}
          rows={(grid.slots ?? []).toReversed()}
          keyOf={({ slot }) => slot}
          empty="No slots yet. The first pass creates them."
        />
      )}
    </FoldedSection>
  );
}

function restingText(
  grid: Grid,
  orders: HistoricOrders["orders"],
  { slot, side }: Pick<SlotShown, "slot" | "side">,
  digits: number,
) {
  const order = orders.find((one) => one.slot === slot && isResting(one));
  const refused = grid.refused.find((one) => one.slot === slot);
  if (order)
    return (
      <>
        <SideText side={order.side} /> {number(order.amount)} at {number(order.price, digits)}
      </>
    );
  if (refused)
    return (
      <span class="warn">
        no {side}: {refused.reason.replaceAll("_", " ")}
        {refused.detail ? <small>{refused.detail}</small> : null}
      </span>
    );
  if (hasOlderOpen(grid, orders)) return "not among the newest orders";
  return grid.status === "stopped" ? "–" : `no open ${side}`;
}
