import type { Child } from "hono/jsx";
import { useState } from "hono/jsx/dom";
import { isPhone } from "./ui.tsx";

export interface TableColumn<Row> {
  readonly name: string;
  readonly of: (row: Row) => Child;
  /** Sort key, if the column can be sorted. */
  readonly by?: (row: Row) => number | string;
  readonly isNumber?: boolean;
  /** On a narrow screen, the column is in the row's first line without its name. */
  readonly isHead?: boolean;
}

/** A column of numbers that can be sorted. */
export const numberColumn = <Row,>(
  name: string,
  of: (row: Row) => number,
  text: (value: number) => Child = (value) => value,
): TableColumn<Row> => ({ name, isNumber: true, of: (row) => text(of(row)), by: of });

interface TableProps<Row> {
  readonly label: string;
  readonly columns: readonly TableColumn<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  readonly empty: Child;
}

/** Number of rows that a table draws at first; the others are drawn on request. */
const MAX_ROWS = 100;
/** On a phone, each row is a card: a longer table starts with its first cards. */
const MAX_CARDS = 15;
const FIRST_CARDS = 10;

/** A table with sortable columns that becomes cards on narrow screens. */
export function Table<Row>({ label, columns, rows, keyOf, empty }: TableProps<Row>) {
  const [order, setOrder] = useState<{ column: string; isUp: boolean } | undefined>(undefined);
  const [isWhole, setWhole] = useState(false);
  if (rows.length === 0) return <p class="empty">{empty}</p>;
  const sorter = columns.find(({ name }) => name === order?.column)?.by;
  const all = sorter && order ? sorted(rows, sorter, order.isUp) : rows;
  const [most, least] = isPhone() ? [MAX_CARDS, FIRST_CARDS] : [MAX_ROWS, MAX_ROWS];
  const shown = isWhole || all.length <= most ? all : all.slice(0, least);
  const turn = (column: string) =>
    setOrder((before) => ({ column, isUp: before?.column === column ? !before.isUp : false }));
  return (
    <div class="scroll" role="group" aria-label={label} tabIndex={0}>
      <table class="data">
        <caption class="unseen">{label}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <ColumnHead key={column.name} column={column} order={order} turn={turn} />
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ name, of, isNumber, isHead }) => (
                <td
                  key={name}
                  data-name={name}
                  class={`${isNumber ? "number" : ""} ${isHead ? "head" : ""}`.trim()}
                >
                  {of(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length < all.length ? (
        <button type="button" onClick={() => setWhole(true)}>
          Show all {all.length}
        </button>
      ) : null}
    </div>
  );
}

function ColumnHead<Row>({
  column: { name, by, isNumber },
  order,
  turn,
}: {
  column: TableColumn<Row>;
  order: { column: string; isUp: boolean } | undefined;
  turn: (column: string) => void;
}) {
  const isOrder = order?.column === name;
  const direction = isOrder ? (order?.isUp ? "ascending" : "descending") : "none";
  return (
    <th scope="col" class={isNumber ? "number" : ""} {...(by ? { "aria-sort": direction } : {})}>
      {by ? (
        <button type="button" class="plain" onClick={() => turn(name)}>
          {name}
          <span aria-hidden="true">{isOrder ? (order?.isUp ? " ▴" : " ▾") : ""}</span>
        </button>
      ) : (
        name
      )}
    </th>
  );
}

function sorted<Row>(rows: readonly Row[], by: (row: Row) => number | string, isUp: boolean): Row[] {
  const compare = (a: Row, b: Row) => {
    const [left, right] = [by(a), by(b)];
    if (left === right) return 0;
    return (left < right ? -1 : 1) * (isUp ? 1 : -1);
  };
  return rows.toSorted(compare);
}

interface Pages<Cursor> {
  /** Undefined on the newest page. */
  readonly before: Cursor | undefined;
  /** Null on the oldest page. */
  readonly next: Cursor | null;
  readonly go: (before: Cursor | undefined) => void;
}

/** Buttons for newer and older pages. */
export const Pager = <Cursor,>({ before, next, go }: Pages<Cursor>) => (
  <footer class="pager">
    {before === undefined ? null : (
      <button type="button" onClick={() => go(undefined)}>
        Newest
      </button>
    )}
    {next === null ? null : (
      <button type="button" onClick={() => go(next)}>
        Older
      </button>
    )}
  </footer>
);

/** Returns the position in a history, and the pager below it. */
export function usePages<Cursor>() {
  const [before, go] = useState<Cursor | undefined>(undefined);
  const pager = (next: Cursor | null) => <Pager before={before} next={next} go={go} />;
  return { before, pager };
}
