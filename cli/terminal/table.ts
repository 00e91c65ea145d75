import { plainText } from "../../src/kernel/plain-text.ts";
import { format, isTime, numberText } from "./format.ts";
import { wrap } from "./style.ts";

export type TableRow = Readonly<Record<string, unknown>>;

/** Which columns a table has, and which ones remain in a narrow terminal. */
export interface ColumnChoice {
  /** Most important first; columns that are not listed are dropped first. */
  readonly priority: readonly string[];
  /** Requested columns in this order; `all` keeps every column. */
  readonly chosen?: readonly string[] | "all" | undefined;
}

interface DrawnColumn {
  readonly name: string;
  readonly cells: readonly string[];
  readonly toRight: boolean;
  readonly width: number;
}

/** Columns that wrap, so a sentence does not displace the columns next to it. */
const WRAPPED = new Set(["message", "detail", "reason"]);
const LEAST_WRAPPED = 24;
/** Minimum number of columns of a table. */
const LEAST_COLUMNS = 3;

/** Formats a table of at most `width` columns of text; undefined if too few columns fit. */
export function fitTable(
  rows: readonly TableRow[],
  { priority, chosen }: ColumnChoice,
  width: number,
): string | undefined {
  const all = columnsOf(rows);
  if (chosen === "all") return drawTable(all, Number.POSITIVE_INFINITY);
  if (chosen)
    return drawTable(
      chosen.flatMap((name) => all.filter((column) => column.name === name)),
      width,
    );
  const kept = dropUntil(all, priority, width);
  if (kept.length < Math.min(LEAST_COLUMNS, all.length)) return undefined;
  const left = all.filter((column) => !kept.includes(column)).map(({ name }) => name);
  const hint = `left out: ${left.join(", ")} (--columns all shows them)`;
  const notes = left.length === 0 ? [] : wrap(hint, width - 2).map((line) => `  ${line}`);
  return [drawTable(kept, width), ...notes].join("\n");
}

/** Drops empty columns first, then the least important ones. */
function dropUntil(
  all: readonly DrawnColumn[],
  priority: readonly string[],
  width: number,
): readonly DrawnColumn[] {
  const rank = ({ name, cells }: DrawnColumn): number => {
    if (cells.every((cell) => cell === "-" || cell === "")) return Number.POSITIVE_INFINITY;
    const at = priority.indexOf(name);
    return at < 0 ? priority.length + all.findIndex((drawnColumn) => drawnColumn.name === name) : at;
  };
  let kept = all;
  while (kept.length > 0 && leastWidth(kept) > width) {
    const worst = kept.reduce((drawnColumn, other) =>
      rank(other) >= rank(drawnColumn) ? other : drawnColumn,
    );
    kept = kept.filter((column) => column !== worst);
  }
  return kept;
}

const GAP = 2;
const leastWidth = (columns: readonly DrawnColumn[]): number =>
  columns.reduce(
    (sum, { name, width }) => sum + GAP + (WRAPPED.has(name) ? Math.min(width, LEAST_WRAPPED) : width),
    0,
  );

/** Formats columns as wide as their widest cell; numbers are right-aligned at their decimal points. */
export const table = (rows: readonly TableRow[]): string =>
  rows.length === 0 ? "  (none)" : drawTable(columnsOf(rows), Number.POSITIVE_INFINITY);

function columnsOf(rows: readonly TableRow[]): DrawnColumn[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return names.map((name) => {
    const toRight = rows.every((row) => typeof row[name] === "number" && !isTime(name, row[name]));
    const cells = toRight
      ? aligned(rows.map((row) => row[name] as number))
      : rows.map((row) => format(row[name], name));
    const shown = plainText(name);
    return {
      name: shown,
      cells,
      toRight,
      width: Math.max(shown.length, ...cells.map((cell) => cell.length)),
    };
  });
}

function drawTable(columns: readonly DrawnColumn[], width: number): string {
  const fixed = columns.reduce((sum, column) => sum + GAP + (WRAPPED.has(column.name) ? 0 : column.width), 0);
  const wrapped = columns.filter(({ name }) => WRAPPED.has(name)).length;
  const room = Math.max(LEAST_WRAPPED, Math.floor((width - fixed) / wrapped));
  const fitted = columns.map((column) =>
    WRAPPED.has(column.name) ? { ...column, width: Math.min(column.width, room) } : column,
  );
  const count = columns[0]?.cells.length ?? 0;
  const lines = Array.from({ length: count }, (_, index) => index);
  return [
    drawRow(fitted, ({ name }) => name),
    ...lines.flatMap((index) => drawRow(fitted, ({ cells }) => cells[index] ?? "")),
  ].join("\n");
}

/** Formats one row over as many lines as its longest cell needs. */
function drawRow(columns: readonly DrawnColumn[], cellOf: (column: DrawnColumn) => string): string {
  const cells = columns.map((column) =>
    WRAPPED.has(column.name) ? wrap(cellOf(column), column.width) : [cellOf(column)],
  );
  const height = Math.max(1, ...cells.map((parts) => parts.length));
  const outputLines = Array.from({ length: height }, (_, at) =>
    columns.map(({ width, toRight }, index) => pad(cells[index]?.[at] ?? "", width, toRight)).join("  "),
  );
  return outputLines.map((text) => `  ${text}`.trimEnd()).join("\n");
}

/** Formats numbers with the same number of decimals. */
function aligned(values: readonly number[]): string[] {
  const texts = values.map((value) => numberText(value));
  const places = Math.max(...texts.map((one) => one.split(".")[1]?.length ?? 0));
  return texts.map((one) => {
    const [whole = "", fraction = ""] = one.split(".");
    return places === 0 ? one : `${whole}.${fraction.padEnd(places, "0")}`;
  });
}

const pad = (cell: string, width: number, toRight: boolean | undefined): string =>
  toRight ? cell.padStart(width) : cell.padEnd(width);
