/** A row of a file with the byte positions of its fields; the same object is reused for each row. */
export interface Row {
  bytes: Uint8Array;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** Number of fields; fields beyond `MAX_ROW_FIELDS` are dropped. */
  count: number;
  /** From 1: a line of a table, or a list of a JSON file. */
  line: number;
}

export type RowShape = "table" | "json";

const MAX_ROW_FIELDS = 32;
/** Maximum length; a row of candles has a few hundred bytes. */
const MAX_ROW_BYTES = 1 << 16;

const [NEWLINE, RETURN, SPACE, TAB, QUOTE, COMMA, SEMICOLON, OPEN, CLOSE, BRACE] = [
  10, 13, 32, 9, 34, 44, 59, 91, 93, 123,
] as const;

interface Rows {
  /** Adds the next part of the file. */
  push(part: Uint8Array): void;
  /**
   * Processes the rest without a line end. Returns the kind of file; undefined if it was empty. Throws for a JSON file
   * that ends inside a list.
   */
  end(): RowShape | undefined;
}

/**
 * Splits a file that arrives in parts into rows: lines of a table with commas, semicolons or tabs, or the innermost
 * lists of a JSON file. Throws for a row of unlimited length.
 */
export function createRows(onRow: (row: Row, shape: RowShape) => void): Rows {
  const row: Row = {
    bytes: new Uint8Array(0),
    starts: new Int32Array(MAX_ROW_FIELDS),
    ends: new Int32Array(MAX_ROW_FIELDS),
    count: 0,
    line: 0,
  };
  let shape: RowShape | undefined;
  let rest: Uint8Array = new Uint8Array(0);
  let joined = new Uint8Array(0);
  /** Number of lists that have begun and not ended, before the rest. */
  let depth = 0;

  function tell(bytes: Uint8Array, from: number, to: number, of: RowShape) {
    row.bytes = bytes;
    row.line++;
    fieldsOf(row, from, to);
    onRow(row, of);
  }

  /** Processes complete lines, and returns the start of the incomplete one. */
  function lines(bytes: Uint8Array): number {
    const last = bytes.lastIndexOf(NEWLINE);
    let from = 0;
    for (let index = 0; index <= last; index++) {
      if (bytes[index] !== NEWLINE) continue;
      tell(bytes, from, index, "table");
      from = index + 1;
    }
    return from;
  }

  function lists(bytes: Uint8Array): number {
    let [open, done] = [-1, 0];
    for (let index = 0; index < bytes.length; index++) {
      const byte = bytes[index];
      if (byte === OPEN) {
        open = index;
        depth++;
      } else if (byte === CLOSE) {
        depth--;
        if (open >= 0 && index > open + 1) tell(bytes, open + 1, index, "json");
        open = -1;
        done = index + 1;
      }
    }
    if (open < 0) return Math.max(done, bytes.length - 1);
    // The rest begins with it.
    depth--;
    return open;
  }

  /** The rest and a part behind it, in memory that each part uses again. */
  function behindRest(part: Uint8Array): Uint8Array {
    const length = rest.length + part.length;
    if (joined.length < length) joined = new Uint8Array(2 * length);
    joined.set(rest);
    joined.set(part, rest.length);
    return joined.subarray(0, length);
  }

  function push(part: Uint8Array) {
    const bytes = rest.length === 0 ? part : behindRest(part);
    shape ??= shapeOf(bytes);
    const from = shape === "json" ? lists(bytes) : shape === "table" ? lines(bytes) : 0;
    // A copy, because the caller can reuse the part's memory.
    rest = bytes.slice(from);
    if (rest.length > MAX_ROW_BYTES)
      throw new RangeError(`${rowPlace(row.line + 1, shape)}: the row is too long`);
  }

  function end(): RowShape | undefined {
    if (shape === "table" && rest.length > 0) tell(rest, 0, rest.length, "table");
    if (shape === "json" && (depth > 0 || rest[0] === OPEN))
      throw new RangeError(`${rowPlace(row.line + 1, shape)}: ${CUT_OFF}`);
    rest = new Uint8Array(0);
    return shape;
  }

  return { push, end };
}

export const CUT_OFF = "the file ends inside a list; download it again";

export const rowPlace = (line: number, shape: RowShape | undefined): string =>
  shape === "json" ? `row ${line}` : `line ${line}`;

/** Detects the kind by the first relevant byte; a byte order mark is ignored. */
function shapeOf(bytes: Uint8Array): RowShape | undefined {
  for (let index = bytes[0] === 0xef && bytes[1] === 0xbb ? 3 : 0; index < bytes.length; index++) {
    const byte = bytes[index] as number;
    if (byte === SPACE || byte === TAB || byte === RETURN || byte === NEWLINE) continue;
    return byte === OPEN || byte === BRACE ? "json" : "table";
  }
  return undefined;
}

const isBlank = (byte: number): boolean =>
  byte === SPACE || byte === RETURN || byte === QUOTE || byte === NEWLINE;

function fieldsOf(row: Row, from: number, to: number): void {
  const { bytes, starts, ends } = row;
  let count = 0;
  let start = from;
  for (let index = from; index <= to; index++) {
    const byte = bytes[index] as number;
    // Separators have smaller codes than digits, except the semicolon, so most bytes need one comparison.
    if (index < to && byte > COMMA && byte !== SEMICOLON) continue;
    if (index < to && byte !== COMMA && byte !== SEMICOLON && byte !== TAB) continue;
    let first = start;
    let last = index;
    while (first < last && isBlank(bytes[first] as number)) first++;
    while (last > first && isBlank(bytes[last - 1] as number)) last--;
    if (count < MAX_ROW_FIELDS) {
      starts[count] = first;
      ends[count] = last;
      count++;
    }
    start = index + 1;
  }
  // An empty line is not a row.
  row.count = count === 1 && starts[0] === ends[0] ? 0 : count;
}
