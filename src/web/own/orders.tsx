import { number, pairOf } from "../format.ts";
import { Table } from "../table.tsx";
import type { StatusOfAny } from "../types.ts";
import { SideText } from "../ui.tsx";

/** The table of a strategy's orders. */
export function OwnOrders({
  label,
  orders,
  symbol,
}: {
  label: string;
  orders: StatusOfAny["orders"];
  symbol: string;
}) {
  const { base, quote } = pairOf(symbol);
  return (
    <Table
      label={label}
      columns={[
        { name: "Order", isHead: true, of: ({ id }) => id },
        { name: "Side", of: ({ side }) => <SideText side={side} /> },
        { name: `Price, ${quote}`, isNumber: true, of: ({ price }) => number(price) },
        { name: `Amount, ${base}`, isNumber: true, of: (order) => number(order.amount) },
      ]}
      rows={orders}
      keyOf={({ id }) => id}
      empty="There are no open orders."
    />
  );
}
