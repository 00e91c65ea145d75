/** Compares what an operation shows with what it showed before the exchange changed a field. */
type Dict = Readonly<Record<string, unknown>>;

const isDict = (value: unknown): value is Dict =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Names of a row, by which it is found again. */
const NAMES = ["asset", "id", "price", "timestamp", "at"] as const;
const keyOf = (row: unknown): string =>
  isDict(row)
    ? (NAMES.flatMap((name) => (name in row ? [`${name} ${String(row[name])}`] : []))[0] ?? "")
    : String(row);

/** Returns each value that differs; one that is unknown or absent is not wrong. */
export function wrongIn(right: unknown, found: unknown, where = ""): string[] {
  if (found instanceof Error || found === null || found === undefined || found === "unknown") return [];
  if (Array.isArray(right) && Array.isArray(found)) {
    const rows = new Map(right.map((row) => [keyOf(row), row]));
    return found.flatMap((row) => {
      const before = rows.get(keyOf(row));
      const place = `${where}[${keyOf(row)}]`;
      return before === undefined ? [`${place}, which does not exist`] : wrongIn(before, row, place);
    });
  }
  if (isDict(right) && isDict(found))
    return Object.keys(right).flatMap((name) =>
      // A sum over rows of which some are unknown.
      name === "summary" || name === "count"
        ? []
        : wrongIn(right[name], found[name], where === "" ? name : `${where}.${name}`),
    );
  return right === found || isLater(right, found)
    ? []
    : [`${where} ${JSON.stringify(found)} for ${JSON.stringify(right)}`];
}

/** Whether the difference can be the moment between both reads: a time, or the volume since. */
const isLater = (right: unknown, found: unknown): boolean =>
  typeof right === "number" &&
  typeof found === "number" &&
  (Math.abs(right - found) < Math.abs(right) / 50 || (right > 1e12 && Math.abs(right - found) < 10_000));
