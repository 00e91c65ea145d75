import type { Child } from "hono/jsx";
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

interface HistoryProps<Row> {
  readonly of: Owner;
  readonly title: string;
  readonly what: "orders" | "fills" | "events";
  readonly columns: (rows: readonly Row[]) => readonly TableColumn<Row>[];
  readonly keyOf: (row: Row) => string | number;
  readonly empty: string;
  readonly below?: Child;
}

const HistoryPart = <Row,>(props: HistoryProps<Row>) => (
  <FoldedSection title={props.title}>{() => <HistoryTable {...props} />}</FoldedSection>
);

/** Shows a page of a history, newest first; the first page updates live. */
function HistoryTable<Row>({
  of: { kind, id },
  title,
  what,
  columns,
  keyOf,
  empty,
  below,
}: HistoryProps<Row>) {
  const { before, pager } = usePages<string>();
  const page = useLoad<Readonly<Record<typeof what, readonly Row[]>> & { readonly next: string | null }>(
    `GET /strategy/${kind}/${part(id)}/${what}`,
    { limit: LIMIT, before },
    { live: before === undefined, keep: true },
  );
  return (
    <Shown of={page}>
      {({ next, [what]: rows }) => (
        <>
          <Table label={title} columns={columns(rows)} rows={rows} keyOf={keyOf} empty={empty} />
          {below}
          {pager(next)}
        </>
      )}
    </Shown>
  );
}

export const FillsPart = ({ of, digits, symbol }: PartProps & { readonly symbol: string }) => (
  <HistoryPart<Fills["fills"][number]>
    of={of}
    title="Fills"
    what="fills"
    columns={(fills) => {
      const sizes = digitsOf(fills.map((fill) => fill.amount));
      return [
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
    }}
    keyOf={({ id }) => id}
    empty="No fills yet. The price has not reached an order."
    below={
      <SaveButton
        label="Save all fills as CSV"
        route={`GET /strategy/${of.kind}/${part(of.id)}/fills`}
        format="csv"
        file={`fills-${of.id}`}
      />
    }
  />
);

export const OrdersPart = ({ of, digits }: PartProps) => (
  <HistoryPart<HistoricOrders["orders"][number]>
    of={of}
    title="Orders"
    what="orders"
    columns={(orders) => {
      const sizes = digitsOf(orders.map((order) => order.amount));
      return [
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
    }}
    keyOf={({ clientOrderId }) => clientOrderId}
    empty="No orders yet. The next pass places them."
  />
);

export const EventsPart = ({ of }: Pick<PartProps, "of">) => (
  <HistoryPart<Events["events"][number]>
    of={of}
    title="Events"
    what="events"
    columns={() => EVENT_ROW_COLUMNS}
    keyOf={({ id }) => id}
    empty="No events yet."
  />
);

const EVENT_ROW_COLUMNS: readonly TableColumn<Events["events"][number]>[] = [
  { name: "Time", isHead: true, of: ({ timestamp }) => <Time at={timestamp} /> },
  { name: "Event", of: ({ kind }) => kind.replace("_", " ") },
  { name: "Message", of: ({ message }) => message },
  { name: "By", of: ({ by }) => by ?? "–" },
];
