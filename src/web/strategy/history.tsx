import { part } from "../api.ts";
import { digitsOf, feeText, number } from "../format.ts";
import { useLoad } from "../load.ts";
import { SaveButton } from "../save.tsx";
import { Table, type TableColumn, usePages } from "../table.tsx";
import type { Events, Fills, HistoricOrders } from "../types.ts";
import { FoldedSection, Shown, SideText, Time } from "../ui.tsx";

const LIMIT = 100;

/** The owner of a history: a strategy and its kind. */
interface Owner {
  readonly kind: string;
  readonly id: string;
}

interface PartProps {
  readonly of: Owner;
  readonly digits: number;
}

/** Loads a page of a history, newest first; the first page updates live. */
function usePage<T>({ kind, id }: Owner, what: "orders" | "fills" | "events") {
  const { before, pager } = usePages<string>();
  const page = useLoad<T>(
    `GET /strategy/${kind}/${part(id)}/${what}`,
    { limit: LIMIT, before },
    { live: before === undefined, keep: true },
  );
  return { page, pager };
}

type FillsProps = PartProps & { readonly symbol: string };

export const FillsPart = (props: FillsProps) => (
  <FoldedSection title="Fills">{() => <FillsTable {...props} />}</FoldedSection>
);

function FillsTable({ of, digits, symbol }: FillsProps) {
  const { page, pager } = usePage<Fills>(of, "fills");
  const sizes = digitsOf(page.data?.fills.map((fill) => fill.amount) ?? []);
  const columns: readonly TableColumn<Fills["fills"][number]>[] = [
    { name: "Time", isHead: true, of: ({ timestamp }) => <Time at={timestamp} /> },
    { name: "Side", of: ({ side }) => <SideText side={side} /> },
    { name: "Slot", isNumber: true, of: ({ slot }) => slot ?? "–" },
    { name: "Price", isNumber: true, of: ({ price }) => number(price, digits) },
    { name: "Amount", isNumber: true, of: (fill) => number(fill.amount, sizes) },
    { name: "Notional", isNumber: true, of: ({ notional }) => number(notional, 2) },
    {
      name: "Fees",
      isNumber: true,
      of: ({ fees }) => fees.map((fee) => feeText(fee.asset, fee.amount, symbol)).join(", ") || "none",
    },
  ];
  return (
    <Shown of={page}>
      {({ fills, next }) => (
        <>
          <Table
            label="Fills"
            columns={columns}
            rows={fills}
            keyOf={({ id }) => id}
            empty="No fills yet. The price has not reached an order."
          />
          <SaveButton
            label="Save all fills as CSV"
            route={`GET /strategy/${of.kind}/${part(of.id)}/fills`}
            format="csv"
            file={`fills-${of.id}`}
          />
          {pager(next)}
        </>
      )}
    </Shown>
  );
}

export const OrdersPart = (props: PartProps) => (
  <FoldedSection title="Orders">{() => <OrdersTable {...props} />}</FoldedSection>
);

function OrdersTable({ of, digits }: PartProps) {
  const { page, pager } = usePage<HistoricOrders>(of, "orders");
  const sizes = digitsOf(page.data?.orders.map((order) => order.amount) ?? []);
  const columns: readonly TableColumn<HistoricOrders["orders"][number]>[] = [
    { name: "Placed", isHead: true, of: ({ timestamp }) => <Time at={timestamp} /> },
    { name: "Side", of: ({ side }) => <SideText side={side} /> },
    { name: "Slot", isNumber: true, of: ({ slot }) => slot },
    { name: "Price", isNumber: true, of: ({ price }) => number(price, digits) },
    { name: "Amount", isNumber: true, of: (order) => number(order.amount, sizes) },
    { name: "Filled", isNumber: true, of: ({ filled }) => number(filled, sizes) },
    {
      name: "Status",
      of: ({ status, reason }) => (
        <>
          {status.replace("_", " ")}
          {reason ? <small>{reason}</small> : null}
        </>
      ),
    },
  ];
  return (
    <Shown of={page}>
      {({ orders, next }) => (
        <>
          <Table
            label="Orders"
            columns={columns}
            rows={orders}
            keyOf={({ clientOrderId }) => clientOrderId}
            empty="No orders yet. The next pass places them."
          />
          {pager(next)}
        </>
      )}
    </Shown>
  );
}

export const EventsPart = (props: PartProps) => (
  <FoldedSection title="Events">{() => <EventsTable {...props} />}</FoldedSection>
);

function EventsTable({ of }: PartProps) {
  const { page, pager } = usePage<Events>(of, "events");
  const columns: readonly TableColumn<Events["events"][number]>[] = [
    { name: "Time", isHead: true, of: ({ timestamp }) => <Time at={timestamp} /> },
    { name: "Event", of: ({ kind }) => kind.replace("_", " ") },
    { name: "Message", of: ({ message }) => message },
    { name: "By", of: ({ by }) => by ?? "–" },
  ];
  return (
    <Shown of={page}>
      {({ events, next }) => (
        <>
          <Table
            label="Events"
            columns={columns}
            rows={events}
            keyOf={({ id }) => id}
            empty="No events yet."
          />
          {pager(next)}
        </>
      )}
    </Shown>
  );
}
