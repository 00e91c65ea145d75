import type { Child } from "hono/jsx";
import { pluralize } from "../../kernel/plain-text.ts";
import { describeRefusals, describeWait } from "../../model/refusal-text.ts";
import { FIRST_WHOLE_SLOT } from "../../model/strategy.ts";
import { part } from "../api.ts";
import { change, type Digits, digitsOf, feeText, inPercent, money, number, pairOf } from "../format.ts";
import { useLoad } from "../live.ts";
import { numberColumn, Table, type TableColumn, usePages } from "../table.tsx";
import type {
  Events,
  Fills,
  HistoricOrders,
  OwnStatus,
  Quoted,
  ReplayedGrid,
  RunningGrid,
} from "../types.ts";
import { NoticeBox, SaveButton, Section, Shown, SideText, Stat, Time } from "../ui.tsx";
import { OrderTable } from "./plan.tsx";

/** The table of slots: open order or reason, base, and number of cycles. */
export function Slots({ grid, digits }: { grid: RunningGrid; digits: Digits }) {
  const { base, quote } = pairOf(grid.symbol);
  const columns: readonly TableColumn<SlotShown>[] = [
    {
      name: "Slot",
      isHead: true,
      of: ({ slot, lowerPrice, upperPrice }) =>
        `${slot}: ${number(lowerPrice, digits)} – ${number(upperPrice, digits)}`,
      by: ({ slot }) => slot,
    },
    { name: "Order", of: (slot) => openText(grid, slot, digits) },
    numberColumn(`Position, ${base}`, ({ position }) => Number(position), number),
    numberColumn(`Cost, ${quote}`, ({ cost }) => Number(cost), money),
    numberColumn("Cycles", ({ cycles }) => cycles),
  ];
  return (
    <Section title="Slots">
      <Table
        label="Slots"
        columns={columns}
        rows={grid.slots.toReversed()}
        keyOf={({ slot }) => slot}
        empty="No slots yet. The first pass creates them."
      />
    </Section>
  );
}

type SlotShown = RunningGrid["slots"][number];

function openText(grid: RunningGrid, { slot, side, lowerPrice }: SlotShown, digits: Digits) {
  const [order, wait] = [
    grid.orders.find(({ id }) => id === String(slot)),
    grid.waiting.find(({ id }) => id === String(slot)),
  ];
  if (order)
    return (
      <>
        <SideText side={order.side} /> {number(order.amount, digitsOf(grid.orders.map((one) => one.amount)))}{" "}
        at {number(order.price, digits)}
      </>
    );
  // Only the answer for base needs the slot's price; the others are sentences already.
  const why = wait?.reason === "no_base" ? { reason: wait.reason } : wait;
  if (why) return <span class="warn">waits: {describeWait(why, number(lowerPrice, digits))}</span>;
  return grid.status === "stopped" ? "–" : `no open ${side}`;
}

/** The open orders of a strategy without slots, and those that wait. */
export const OpenOrderPart = ({ one }: { one: Quoted | OwnStatus }) => (
  <Section title="Open orders">
    <OrderTable
      label="Open orders"
      orders={one.orders}
      symbol={one.symbol}
      empty="There are no open orders."
      {...(one.kind === "quote" ? { reference: one.reference } : {})}
    />
    {one.waiting.length > 0 ? <p class="warn">Not placed: {describeRefusals(one.waiting)}</p> : null}
  </Section>
);

const LIMIT = 100;

interface PartProps {
  readonly id: string;
  readonly digits: Digits;
}

interface HistoryProps<Row> {
  readonly id: string;
  readonly title: string;
  readonly what: "orders" | "fills" | "events";
  readonly columns: (rows: readonly Row[]) => readonly TableColumn<Row>[];
  readonly keyOf: (row: Row) => string | number;
  readonly empty: string;
  readonly below?: Child;
}

/** Shows a page of a history, newest first; the first page updates live. */
function HistoryPart<Row>({ id, title, what, columns, keyOf, empty, below }: HistoryProps<Row>) {
  const { before, pager } = usePages<string>();
  const page = useLoad<Readonly<Record<typeof what, readonly Row[]>> & { readonly next: string | null }>(
    `GET /strategies/${part(id)}/${what}`,
    { limit: LIMIT, before },
    { live: before === undefined, keep: true },
  );
  return (
    <Section title={title}>
      <Shown of={page}>
        {({ next, [what]: rows }) => (
          <>
            <Table label={title} columns={columns(rows)} rows={rows} keyOf={keyOf} empty={empty} />
            {below}
            {pager(next)}
          </>
        )}
      </Shown>
    </Section>
  );
}

/** An order of the strategy as a whole, such as an initial buy or an exit, has no slot. */
const shownSlot = (slot: number | string | null) =>
  slot === null || (typeof slot === "number" && slot >= FIRST_WHOLE_SLOT) ? "–" : slot;

interface Slotted {
  readonly slot: number | string | null;
}

/** The slot of each row, or the name that the strategy's own function gave its order. */
const slotColumn = <Row extends Slotted>(rows: readonly Row[]): TableColumn<Row> => {
  const isNamed = rows.some(({ slot }) => typeof slot === "string");
  return { name: isNamed ? "Order" : "Slot", isNumber: !isNamed, of: ({ slot }) => shownSlot(slot) };
};

export const FillsPart = ({ id, digits, symbol }: PartProps & { readonly symbol: string }) => (
  <HistoryPart<Fills["fills"][number]>
    id={id}
    title="Fills"
    what="fills"
    columns={(fills) => {
      const sizes = digitsOf(fills.map((fill) => fill.amount));
      return [
        { name: "Time", isHead: true, of: ({ timestamp }) => <Time at={timestamp} /> },
        { name: "Side", of: ({ side }) => <SideText side={side} /> },
        slotColumn(fills),
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
        route={`GET /strategies/${part(id)}/fills`}
        format="csv"
        file={`fills-${id}`}
      />
    }
  />
);

export const OrdersPart = ({ id, digits }: PartProps) => (
  <HistoryPart<HistoricOrders["orders"][number]>
    id={id}
    title="Orders"
    what="orders"
    columns={(orders) => {
      const sizes = digitsOf(orders.map((order) => order.amount));
      return [
        { name: "Placed", isHead: true, of: ({ timestamp }) => <Time at={timestamp} /> },
        { name: "Side", of: ({ side }) => <SideText side={side} /> },
        slotColumn(orders),
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

const EVENT_ROW_COLUMNS: readonly TableColumn<Events["events"][number]>[] = [
  { name: "Time", isHead: true, of: ({ timestamp }) => <Time at={timestamp} /> },
  { name: "Event", of: ({ kind }) => kind.replace("_", " ") },
  { name: "Message", of: ({ message }) => message },
  { name: "By", of: ({ by }) => by ?? "–" },
];

export const EventsPart = ({ id }: Pick<PartProps, "id">) => (
  <HistoryPart<Events["events"][number]>
    id={id}
    title="Events"
    what="events"
    columns={() => EVENT_ROW_COLUMNS}
    keyOf={({ id }) => id}
    empty="No events yet."
  />
);

/** A backtest over the candles of the grid's own time, compared with its fills. */
export function ReplayPart({ grid: { id, symbol } }: { grid: RunningGrid }) {
  const loaded = useLoad<ReplayedGrid>("POST /backtest", { strategy: id, fills: 0 });
  const { quote } = pairOf(symbol);
  return (
    <Section title="Real against backtest">
      <Shown of={loaded}>
        {({ details: { replay }, ...backtest }) => (
          <>
            {backtest.isWhole ? null : (
              <NoticeBox kind="warning">
                The server stops a replay after two seconds. This one ended before the last candle.
              </NoticeBox>
            )}
            <p>{replay.text}</p>
            <dl class="stats" aria-label="Replay">
              <Stat name="Filled orders that match">{inPercent(replay.matchPercent, 2)}</Stat>
              <Stat name="Filled orders, grid and backtest">{`${replay.executed.record} and ${replay.executed.candles}`}</Stat>
              <Stat name={`Total of the grid, ${quote}`}>{change(Number(replay.record.total))}</Stat>
              <Stat name={`Total of the backtest, ${quote}`}>{change(Number(backtest.total))}</Stat>
            </dl>
            <Table
              label="Causes of differences"
              columns={[
                { name: "Cause", isHead: true, of: (one) => one.text },
                { name: "Count", isNumber: true, of: (one) => one.count },
              ]}
              rows={replay.causes}
              keyOf={(one) => one.text}
              empty="No differences."
            />
            <p class="quiet">
              {pluralize(number(backtest.bars), "candle")} from <Time at={backtest.fromAt} /> to{" "}
              <Time at={backtest.untilAt} />.
            </p>
          </>
        )}
      </Shown>
    </Section>
  );
}
