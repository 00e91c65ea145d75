import { fromNumber, text } from "../../src/kernel/decimal.ts";
import { plainText } from "../../src/kernel/plain-text.ts";
import type { Values } from "./arguments.ts";
import { columns, styled, wrap } from "./style.ts";

/** Prints a command's own answer; returns the exit code. */
export function print(values: Values, answer: unknown): number {
  process.stdout.write(`${values.json ? JSON.stringify(answer, null, 2) : render(answer)}\n`);
  return 0;
}

/** Answers as text for a person: fields as lines, lists of objects as tables, or as lines where a table is too wide. */
export function render(body: unknown, width = columns()): string {
  if (typeof body !== "object" || body === null) return format(body);
  const entries = Object.entries(body);
  const tables = entries.filter(([, value]) => isTable(value));
  const scalars = entries.filter(
    ([name, value]) => !isTable(value) && !(name === "count" && tables.length > 0),
  );
  const blocks = tables.map(([name, value]) => `${heading(name)}\n${fitted(value as Row[], width)}`);
  return [...(scalars.length > 0 ? [fields(Object.fromEntries(scalars), width)] : []), ...blocks].join(
    "\n\n",
  );
}

type Row = Readonly<Record<string, unknown>>;

const heading = (name: string): string => styled("bold", plainText(name));

const isTable = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every((row) => typeof row === "object" && row !== null && !Array.isArray(row));

/** Fields that nobody may overlook. */
const LOUD = new Set(["stalled", "error"]);

/** `name  value`, a long value going on below itself, and one that cannot be broken below its name. */
function fields(row: Row, width: number, indent = ""): string {
  const names = Object.keys(row).map((name) => plainText(name));
  const widest = Math.max(0, ...names.map((name) => name.length));
  const left = Math.max(20, width - indent.length - widest - 2);
  const lines = Object.entries(row).flatMap(([name, value]) => {
    const label = plainText(name);
    const parts = wrap(format(value, name), left);
    const style = (line: string) => (LOUD.has(name) ? styled("red", line) : line);
    if (parts.some((part) => part.length > left)) return [label, ...parts].map(style);
    return parts.map((part, place) => style(`${(place === 0 ? label : "").padEnd(widest)}  ${part}`));
  });
  return lines.map((line) => `${indent}${line}`).join("\n");
}

function fitted(rows: readonly Row[], width: number): string {
  const whole = table(rows);
  if (whole.split("\n").every((line) => line.length <= width)) return whole;
  return rows.map((row) => fields(row, width, "  ")).join("\n\n");
}

/** Columns as wide as their widest cell; numbers to the right, their points below each other. */
export function table(rows: readonly Row[]): string {
  if (rows.length === 0) return "  (none)";
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const isNumeric = names.map((name) =>
    rows.every((row) => typeof row[name] === "number" && !isTime(name, row[name])),
  );
  const cellsOf = names.map((name, place) =>
    isNumeric[place]
      ? aligned(rows.map((row) => row[name] as number))
      : rows.map((row) => format(row[name], name)),
  );
  const cells = [
    names.map((name) => plainText(name)),
    ...rows.map((_row, line) => cellsOf.map((column) => column[line] ?? "")),
  ];
  const widths = names.map((_, place) => Math.max(...cells.map((line) => (line[place] ?? "").length)));
  return cells
    .map((line) =>
      `  ${line.map((cell, place) => pad(cell, widths[place] ?? 0, isNumeric[place])).join("  ")}`.trimEnd(),
    )
    .join("\n");
}

/** Numbers with as many decimals each as the longest of them. */
function aligned(values: readonly number[]): string[] {
  const texts = values.map((value) => number(value));
  const places = Math.max(...texts.map((one) => one.split(".")[1]?.length ?? 0));
  return texts.map((one) => {
    const [whole = "", fraction = ""] = one.split(".");
    return places === 0 ? one : `${whole}.${fraction.padEnd(places, "0")}`;
  });
}

const pad = (cell: string, width: number, toRight: boolean | undefined): string =>
  toRight ? cell.padStart(width) : cell.padEnd(width);

/** Without an exponent. */
function number(value: number): string {
  const exact = fromNumber(value);
  return exact === undefined ? String(value) : text(exact);
}

const isTime = (name: string, value: unknown): value is number =>
  (name === "timestamp" || name.endsWith("At")) && typeof value === "number";

function format(value: unknown, name = ""): string {
  if (value === undefined || value === null) return "-";
  if (isTime(name, value)) return new Date(value).toISOString();
  if (name === "runningTime" && typeof value === "number") return duration(value);
  if (typeof value === "number") return number(value);
  // What an exchange says must not reach the terminal's own controls.
  if (typeof value !== "object") return plainText(String(value));
  if (Array.isArray(value)) return value.length === 0 ? "-" : value.map((item) => format(item)).join(", ");
  const parts = Object.entries(value).map(([key, part]) => `${plainText(key)} ${format(part, key)}`);
  return parts.length === 0 ? "-" : parts.join(", ");
}

function duration(millis: number): string {
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
