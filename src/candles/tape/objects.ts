import { CUT_OFF } from "../rows.ts";

/** Bytes that begin and end an object in a JSON file. */
const [BACKSLASH, QUOTE_MARK, OPENS, CLOSES] = [92, 34, 123, 125] as const;
const [LIST_OPENS, LIST_CLOSES] = [91, 93] as const;
/** Bytes between two objects: whitespace, commas, and the brackets of a list. */
const BETWEEN: ReadonlySet<number> = new Set([32, 9, 10, 13, 44, LIST_OPENS, LIST_CLOSES, 0xef, 0xbb, 0xbf]);
const LONGEST_OBJECT = 1 << 22;

/**
 * Splits a JSON file that arrives in parts into its outermost objects: a list, or JSON Lines. Throws RangeError for
 * anything between them, and for an object of unlimited length.
 */
export function createObjects(onObject: (text: string, row: number) => void) {
  const decoder = new TextDecoder();
  let rest: Uint8Array = new Uint8Array(0);
  /** Progress in the buffered rest, and where the object begins. */
  let [at, begin, depth, row] = [0, 0, 0, 0];
  let [isText, isEscaped] = [false, false];
  /** Number of lists around the objects that have begun and not ended. */
  let lists = 0;

  const where = () => `row ${row + 1}`;

  function look(byte: number): void {
    if (isEscaped) isEscaped = false;
    else if (isText) {
      if (byte === BACKSLASH) isEscaped = true;
      else if (byte === QUOTE_MARK) isText = false;
    } else if (byte === OPENS) {
      if (depth++ === 0) begin = at;
    } else if (depth === 0) {
      if (!BETWEEN.has(byte)) throw new RangeError(`${where()}: neither a trade nor a book`);
      if (byte === LIST_OPENS) lists++;
      if (byte === LIST_CLOSES) lists--;
    } else if (byte === QUOTE_MARK) isText = true;
    else if (byte === CLOSES && --depth === 0) onObject(decoder.decode(rest.subarray(begin, at + 1)), ++row);
  }

  function push(part: Uint8Array): void {
    const bytes = new Uint8Array(rest.length + part.length);
    bytes.set(rest);
    bytes.set(part, rest.length);
    rest = bytes;
    for (; at < rest.length; at++) look(rest[at] as number);
    const kept = depth > 0 ? begin : at;
    rest = rest.subarray(kept);
    at -= kept;
    begin = 0;
    if (rest.length > LONGEST_OBJECT) throw new RangeError(`${where()}: the object is too long`);
  }

  function end(): void {
    if (depth > 0) throw new RangeError(`${where()}: the file ends inside this object`);
    if (lists > 0) throw new RangeError(`${where()}: ${CUT_OFF}`);
  }

  return { push, end };
}
