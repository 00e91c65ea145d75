import type { Values } from "./arguments.ts";

/** Prints a command's own answer; returns the exit code. */
export function print(values: Values, answer: unknown): number {
  process.stdout.write(`${values.json ? JSON.stringify(answer, null, 2) : render(answer)}\n`);
  return 0;
}

/** Answers as text for a person: fields as lines, lists of objects as tables, or as lines where a table is too wide. */
export function render(body: unknown, width = process.stdout.columns ?? 120): string {
  if (typeof body !== "object" || body === null) return format(body);
  const entries = Object.entries(body);
  const tables = entries.filter(([, value]) => isTable(value));
  const scalars = entries.filter(
    ([name, value]) => !isTable(value) && !(name === "count" && tables.length > 0),
  );
  const blocks = tables.map(([name, value]) => `${name}\n${fitted(value as Row[], width)}`);
  return [...(scalars.length > 0 ? [fields(Object.fromEntries(scalars))] : []), ...blocks].join("\n\n");
}

type Row = Readonly<Record<string, unknown>>;

const isTable = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every((row) => typeof row === "object" && row !== null && !Array.isArray(row));

function fields(row: Row, indent = ""): string {
  const names = Object.keys(row);
  const widest = Math.max(0, ...names.map((name) => name.length));
  return names.map((name) => `${indent}${name.padEnd(widest)}  ${format(row[name], name)}`).join("\n");
}

function fitted(rows: readonly Row[], width: number): string {
  const whole = table(rows);
  if (whole.split("\n").every((line) => line.length <= width)) return whole;
  return rows.map((row) => fields(row, "  ")).join("\n\n");
}

/** Columns as wide as their widest cell; numbers to the right. */
export function table(rows: readonly Row[]): string {
  if (rows.length === 0) return "  (none)";
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = [names, ...rows.map((row) => names.map((name) => format(row[name], name)))];
  const widths = names.map((_, place) => Math.max(...cells.map((line) => (line[place] ?? "").length)));
  const toRight = names.map((name) => rows.every((row) => typeof row[name] === "number" && !isTime(name)));
  return cells
    .map((line) =>
      `  ${line.map((cell, place) => pad(cell, widths[place] ?? 0, toRight[place])).join("  ")}`.trimEnd(),
    )
    .join("\n");
}

const pad = (cell: string, width: number, toRight: boolean | undefined): string =>
  toRight ? cell.padStart(width) : cell.padEnd(width);

const isTime = (name: string): boolean => name === "timestamp" || name.endsWith("At");

function format(value: unknown, name = ""): string {
  if (value === undefined || value === null) return "-";
  if (typeof value === "number" && isTime(name)) return new Date(value).toISOString();
  if (name === "runningTime" && typeof value === "number") return duration(value);
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value)) return value.length === 0 ? "-" : value.map((item) => format(item)).join(", ");
  const parts = Object.entries(value).map(([key, part]) => `${key} ${format(part, key)}`);
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
