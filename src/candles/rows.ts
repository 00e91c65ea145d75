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
 * Splits a file that arrives in parts into rows: lines of a table (RFC 4180) with commas, semicolons or tabs, or the
 * innermost lists of a JSON file. `onRow` returns whether the columns are known: from then on the separator stays the
 * same. Throws for a row of unlimited length.
 */
export function createRows(onRow: (row: Row, shape: RowShape) => boolean): Rows {
  const row: Row = {
    bytes: new Uint8Array(0),
    starts: new Int32Array(MAX_ROW_FIELDS),
    ends: new Int32Array(MAX_ROW_FIELDS),
    count: 0,
    line: 0,
  };
  let shape: RowShape | undefined;
  let rest: Uint8Array = new Uint8Array(0);
  const join = createJoin();
  let separator: number = COMMA;
  let isSettled = false;
  /** Number of lists that have begun and not ended, before the rest. */
  let depth = 0;

  /** Processes complete lines, and returns the start of the incomplete one. */
  function lines(bytes: Uint8Array, isEnd: boolean): number {
    row.bytes = bytes;
    let from = 0;
    while (from < bytes.length) {
      if (!isSettled) separator = separatorOf(bytes, from);
      const next = lineAt(row, from, separator, isEnd);
      if (next < 0) break;
      row.line++;
      isSettled = onRow(row, "table") || isSettled;
      from = next;
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
        if (open >= 0 && index > open + 1) {
          readList(row, bytes, open + 1, index);
          onRow(row, "json");
        }
        open = -1;
        done = index + 1;
      }
    }
    if (open < 0) return Math.max(done, bytes.length - 1);
    // The rest begins with it.
    depth--;
    return open;
  }

  function push(part: Uint8Array) {
    let bytes = rest.length === 0 ? part : join(rest, part);
    if (shape === undefined) {
      shape = shapeOf(bytes);
      if (shape && isMarked(bytes)) bytes = bytes.subarray(BYTE_ORDER_MARK.length);
    }
    const from = shape === "json" ? lists(bytes) : shape === "table" ? lines(bytes, false) : 0;
    // A copy, because the caller can reuse the part's memory.
    rest = bytes.slice(from);
    if (rest.length > MAX_ROW_BYTES)
      throw new RangeError(`${rowPlace(row.line + 1, shape)}: the row is too long`);
  }

  function end(): RowShape | undefined {
    if (shape === "table" && lines(rest, true) < rest.length)
      throw new RangeError(`${rowPlace(row.line + 1, shape)}: a quote is not closed`);
    if (shape === "json" && (depth > 0 || rest[0] === OPEN))
      throw new RangeError(`${rowPlace(row.line + 1, shape)}: ${CUT_OFF}`);
    rest = new Uint8Array(0);
    return shape;
  }

  return { push, end };
}

/** Joins the rest of a file and a part behind it, in memory that each part uses again. */
function createJoin() {
  let joined = new Uint8Array(0);
  return (rest: Uint8Array, part: Uint8Array): Uint8Array => {
    const length = rest.length + part.length;
    if (joined.length < length) joined = new Uint8Array(2 * length);
    joined.set(rest);
    joined.set(part, rest.length);
    return joined.subarray(0, length);
  };
}

export const CUT_OFF = "the file ends inside a list; download it again";

export const rowPlace = (line: number, shape: RowShape | undefined): string =>
  shape === "json" ? `row ${line}` : `line ${line}`;

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf] as const;

const isMarked = (bytes: Uint8Array): boolean =>
  BYTE_ORDER_MARK.every((byte, index) => bytes[index] === byte);

/** Detects the kind by the first relevant byte; a byte order mark is ignored. */
function shapeOf(bytes: Uint8Array): RowShape | undefined {
  if (bytes[0] === BYTE_ORDER_MARK[0] && bytes.length < BYTE_ORDER_MARK.length) return undefined;
  for (let index = isMarked(bytes) ? BYTE_ORDER_MARK.length : 0; index < bytes.length; index++) {
    const byte = bytes[index] as number;
    if (byte === SPACE || byte === TAB || byte === RETURN || byte === NEWLINE) continue;
    return byte === OPEN || byte === BRACE ? "json" : "table";
  }
  return undefined;
}

/** Returns the separator of a line: tabs before semicolons, and those before commas, which can be in numbers. */
function separatorOf(bytes: Uint8Array, from: number): number {
  let found: number = COMMA;
  let isQuoted = false;
  for (let index = from; index < bytes.length; index++) {
    const byte = bytes[index] as number;
    if (byte === QUOTE) isQuoted = !isQuoted;
    if (isQuoted) continue;
    if (byte === TAB) return TAB;
    if (byte === SEMICOLON) found = SEMICOLON;
    if (byte === NEWLINE || byte === RETURN) break;
  }
  return found;
}

const isBlank = (byte: number): boolean =>
  byte === SPACE || byte === RETURN || byte === NEWLINE || byte === TAB;

/** Adds a field without blanks and quotes around it. */
function addField(row: Row, from: number, to: number): void {
  const { bytes, starts, ends, count } = row;
  let [first, last] = [from, to];
  while (first < last && isBlank(bytes[first] as number)) first++;
  while (last > first && isBlank(bytes[last - 1] as number)) last--;
  if (last > first + 1 && bytes[first] === QUOTE && bytes[last - 1] === QUOTE) {
    first++;
    last--;
    while (first < last && isBlank(bytes[first] as number)) first++;
    while (last > first && isBlank(bytes[last - 1] as number)) last--;
  }
  if (count >= MAX_ROW_FIELDS) return;
  starts[count] = first;
  ends[count] = last;
  row.count = count + 1;
}

/** Reads the fields of a line, and returns the start of the next line; -1 if the line is not complete yet. */
function lineAt(row: Row, from: number, separator: number, isEnd: boolean): number {
  const { bytes } = row;
  const { length } = bytes;
  row.count = 0;
  let start = from;
  for (let index = from; index < length; index++) {
    const byte = bytes[index] as number;
    // Separators and line ends have smaller codes than digits, except the semicolon, so most bytes need one comparison.
    if (byte > COMMA && byte !== SEMICOLON) continue;
    if (byte === separator) {
      addField(row, start, index);
      start = index + 1;
    } else if (byte === QUOTE && isStart(bytes, start, index)) {
      index = closingQuote(bytes, index, length);
      if (index < 0) return -1;
    } else if (byte === NEWLINE || byte === RETURN) {
      if (byte === RETURN && index + 1 === length && !isEnd) return -1;
      endLine(row, start, index);
      return byte === RETURN && bytes[index + 1] === NEWLINE ? index + 2 : index + 1;
    }
  }
  if (!isEnd) return -1;
  endLine(row, start, length);
  return length;
}

function endLine(row: Row, start: number, end: number): void {
  addField(row, start, end);
  // An empty line is not a row.
  if (row.count === 1 && row.starts[0] === row.ends[0]) row.count = 0;
}

/** Returns whether only blanks are between two positions. */
function isStart(bytes: Uint8Array, from: number, to: number): boolean {
  for (let index = from; index < to; index++) if (!isBlank(bytes[index] as number)) return false;
  return true;
}

/** Returns the position of the quote that closes one; two quotes are a quote within the text. -1 if there is none. */
function closingQuote(bytes: Uint8Array, from: number, to: number): number {
  for (let index = from + 1; index < to; index++) {
    if (bytes[index] !== QUOTE) continue;
    if (bytes[index + 1] !== QUOTE) return index;
    index++;
  }
  return -1;
}

/** Reads the items of a JSON list. */
function readList(row: Row, bytes: Uint8Array, from: number, to: number): void {
  row.bytes = bytes;
  row.line++;
  row.count = 0;
  for (let start = from; start <= to; ) {
    const end = endOfItem(bytes, start, to);
    addField(row, start, end);
    start = end + 1;
  }
}

/** Returns the end of an item in a JSON list, which is `to` for the last one. */
function endOfItem(bytes: Uint8Array, from: number, to: number): number {
  let isQuoted = false;
  for (let index = from; index < to; index++) {
    if (bytes[index] === QUOTE) isQuoted = !isQuoted;
    else if (bytes[index] === COMMA && !isQuoted) return index;
  }
  return to;
}
