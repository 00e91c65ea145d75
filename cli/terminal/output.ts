import { plainNumber } from "../../src/kernel/decimal.ts";
import { plainText } from "../../src/kernel/plain-text.ts";
import type { Values } from "./arguments.ts";
import { styled, tableWidth, terminalColumns, wrap } from "./style.ts";

/** Prints a command's own result; returns the exit code. */
export function print(values: Values, answer: unknown, shown?: ColumnChoice): number {
  process.stdout.write(`${values.json ? JSON.stringify(answer, null, 2) : render(answer, shown)}\n`);
  return 0;
}

/** Formats a response for people: fields as lines, lists of objects as tables, or as lines if a table is too wide. */
export function render(body: unknown, shown?: ColumnChoice): string {
  const width = terminalColumns();
  if (typeof body !== "object" || body === null) return format(body);
  const entries = Object.entries(body);
  const tables = entries.filter(([, value]) => isTable(value));
  const scalars = entries.filter(
    ([name, value]) => !isTable(value) && !(name === "count" && tables.length > 0),
  );
  const blocks = tables.flatMap(([name, value]) => {
    const rows = value as TableRow[];
    if (rows.length > 0 && Array.isArray(shown?.chosen) && !hasColumns(rows, shown.chosen)) return [];
    return [`${styled("bold", plainText(name))}\n${fitted(rows, width, shown)}`];
  });
  return [...(scalars.length > 0 ? [fields(Object.fromEntries(scalars), width)] : []), ...blocks].join(
    "\n\n",
  );
}

const isTable = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every((row) => typeof row === "object" && row !== null && !Array.isArray(row));

/** Returns the columns of a response's tables. */
export const columnNames = (body: unknown): readonly string[] => {
  const rows = Object.values(body ?? {}).flatMap((value) => (isTable(value) ? (value as TableRow[]) : []));
  return [...new Set(rows.flatMap((row) => Object.keys(row)))];
};

const hasColumns = (rows: readonly TableRow[], names: readonly string[]): boolean =>
  rows.some((row) => names.some((name) => Object.hasOwn(row, name)));

const WORDS_OF_FIELDS: Readonly<Record<string, string>> = {
  lastStepAt: "last pass",
  mayWithdraw: "can withdraw",
  runningTime: "running for",
};

/** Returns a field's name in words; names of tables stay, because `--columns` takes them. */
const labelOf = (name: string): string =>
  WORDS_OF_FIELDS[name] ??
  (/^[a-z]+(?:[A-Z][a-z0-9]+)+$/.test(name)
    ? name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    : plainText(name));

/** Fields to highlight. */
const LOUD = new Set(["stalled", "error"]);

/** Formats `name value`; a long value continues on the next line, an unbreakable one starts below its name. */
function fields(row: TableRow, width: number, indent = ""): string {
  const widest = Math.max(0, ...Object.keys(row).map((name) => labelOf(name).length));
  const left = Math.max(20, width - indent.length - widest - 2);
  const lines = Object.entries(row).flatMap(([name, value]) => {
    const label = labelOf(name);
    const parts = wrap(format(value, name), left);
    const style = (line: string) => (LOUD.has(name) ? styled("red", line) : line);
    if (parts.some((part) => part.length > left)) return [label, ...parts].map(style);
    return parts.map((part, index) => style(`${(index === 0 ? label : "").padEnd(widest)}  ${part}`));
  });
  return lines.map((line) => `${indent}${line}`).join("\n");
}

function fitted(rows: readonly TableRow[], width: number, shown: ColumnChoice | undefined): string {
  if (rows.length === 0) return "  (none)";
  const fits = (text: string) => text.split("\n").every((line) => line.length <= width);
  const whole = shown ? fitTable(rows, shown, tableWidth()) : table(rows);
  if (whole !== undefined && (shown || fits(whole))) return whole;
  return rows.map((row) => fields(row, width, "  ")).join("\n\n");
}

/** A sum of binary floats has this many significant digits; a price or an amount of an exchange has fewer. */
const COMPUTED_DIGITS = 16;
const SHOWN_DIGITS = 9;

/** Formats a number without an exponent, and a computed one with the digits that a person can use; `--json` has all. */
function numberText(value: number): string {
  const digits = value.toExponential().replace(/e.*|\D/g, "").length;
  const isComputed = digits >= COMPUTED_DIGITS && !Number.isInteger(value);
  return plainNumber(isComputed ? Number(value.toPrecision(SHOWN_DIGITS)) : value);
}

/** Fields that are times if their number is large, and otherwise something else. */
const SPAN_ENDS = new Set(["from", "to"]);
const MIN_TIMESTAMP_MS = 1e11;

const isTime = (name: string, value: unknown): value is number =>
  typeof value === "number" &&
  (name === "timestamp" || name.endsWith("At") || (SPAN_ENDS.has(name) && value > MIN_TIMESTAMP_MS));

/** Formats a value for people on one line. */
function format(value: unknown, name = ""): string {
  if (value === undefined || value === null) return "-";
  if (isTime(name, value)) return new Date(value).toISOString();
  if (name === "runningTime" && typeof value === "number") return durationText(value);
  if (typeof value === "number") return numberText(value);
  // An exchange's text must not reach the terminal's control codes.
  if (typeof value !== "object") return plainText(String(value));
  if (Array.isArray(value)) return value.length === 0 ? "-" : value.map((item) => format(item)).join(", ");
  const parts = Object.entries(value).map(([key, part]) => `${plainText(key)} ${format(part, key)}`);
  return parts.length === 0 ? "-" : parts.join(", ");
}

function durationText(millis: number): string {
  const seconds = Math.floor(millis / 1000);
  const parts = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "m"],
    [seconds % 60, "s"],
  ] as const;
  const shown = parts.filter(([count]) => count > 0).slice(0, 2);
  return shown.length === 0 ? "0s" : shown.map(([count, unit]) => `${count}${unit}`).join(" ");
}

type TableRow = Readonly<Record<string, unknown>>;

/** Which columns a table has, and which ones remain in a narrow terminal. */
interface ColumnChoice {
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
const MIN_WRAPPED_WIDTH = 24;
/** Minimum number of columns of a table. */
const MIN_TABLE_COLUMNS = 3;

/** Formats a table of at most `width` columns of text; undefined if too few columns fit. */
function fitTable(
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
  if (kept.length < Math.min(MIN_TABLE_COLUMNS, all.length)) return undefined;
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
    (sum, { name, width }) => sum + GAP + (WRAPPED.has(name) ? Math.min(width, MIN_WRAPPED_WIDTH) : width),
    0,
  );

const pad = (cell: string, width: number, toRight: boolean | undefined): string =>
  toRight ? cell.padStart(width) : cell.padEnd(width);

/** Formats columns as wide as their widest cell; numbers are right-aligned at their decimal points. */
const table = (rows: readonly TableRow[]): string =>
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
  const room = Math.max(MIN_WRAPPED_WIDTH, Math.floor((width - fixed) / wrapped));
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
