import { plainText } from "../../src/kernel/plain-text.ts";
import type { Values } from "./arguments.ts";
import { format } from "./format.ts";
import { styled, tableWidth, terminalColumns, wrap } from "./style.ts";
import { type ColumnChoice, fitTable, type TableRow, table } from "./table.ts";

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
    return [`${heading(name)}\n${fitted(rows, width, shown)}`];
  });
  return [...(scalars.length > 0 ? [fields(Object.fromEntries(scalars), width)] : []), ...blocks].join(
    "\n\n",
  );
}

/** Returns the columns of a response's tables. */
export const columnNames = (body: unknown): readonly string[] => {
  const rows = Object.values(body ?? {}).flatMap((value) => (isTable(value) ? (value as TableRow[]) : []));
  return [...new Set(rows.flatMap((row) => Object.keys(row)))];
};

const hasColumns = (rows: readonly TableRow[], names: readonly string[]): boolean =>
  rows.some((row) => names.some((name) => Object.hasOwn(row, name)));

const heading = (name: string): string => styled("bold", plainText(name));

const isTable = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every((row) => typeof row === "object" && row !== null && !Array.isArray(row));

/** Fields to highlight. */
const LOUD = new Set(["stalled", "error"]);

/** Formats `name value`; a long value continues on the next line, an unbreakable one starts below its name. */
function fields(row: TableRow, width: number, indent = ""): string {
  const names = Object.keys(row).map((name) => plainText(name));
  const widest = Math.max(0, ...names.map((name) => name.length));
  const left = Math.max(20, width - indent.length - widest - 2);
  const lines = Object.entries(row).flatMap(([name, value]) => {
    const label = plainText(name);
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
