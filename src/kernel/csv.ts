type Cell = string | number | boolean | null;

/** Formats comma-separated values by RFC 4180, with a header line. */
export const csv = (columns: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  csvLines([columns]) + csvLines(rows);

/** Formats the named fields of rows, with a header line. */
export const fieldsCsv = <Name extends string>(
  columns: readonly Name[],
  rows: readonly Readonly<Record<Name, Cell>>[],
): string =>
  csv(
    columns,
    rows.map((row) => columns.map((name) => row[name])),
  );

/** Formats rows without the header line. */
export const csvLines = (rows: readonly (readonly Cell[])[]): string =>
  rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");

function cell(value: Cell): string {
  if (typeof value !== "string") return value === null ? "" : String(value);
  if (/^-?[\d.]+$/.test(value)) return value;
  // Spreadsheet programs treat text with such a beginning as a formula; none of our numbers is text. If their separator
  // is a semicolon or a tab, quotes within a line have no effect, and each part of a text is a cell.
  const plain = value.replace(/(^|[;\t\r\n])(?=\s*[=+\-@\uff1d\uff0b\uff0d\uff20])|^(?=[\t\r])/g, "$1'");
  return /[",;\t\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
