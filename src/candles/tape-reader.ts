import type { Pair } from "../kernel/pair.ts";
import { readTime, timeProblem } from "../kernel/read-time.ts";
import type { Millis } from "../kernel/time.ts";
import type { Candles, Column } from "./candles.ts";
import { type Figure, readNearest, readNumber, textOf, whyUnread } from "./fields.ts";
import { type ColumnOptions, createColumns, kindOf, type Layout } from "./layout.ts";
import type { Refused } from "./read.ts";
import { CUT_OFF, createRows, type Row, rowPlace } from "./rows.ts";
import type { TapeBooks, TapeReading } from "./tape.ts";

export interface TapeOptions extends ColumnOptions {
  /** Whether to skip and count invalid rows; otherwise the first one is an error. */
  readonly skipRefused?: boolean | undefined;
  /** Time of reading: data from more than a day after it are invalid. Default: not checked. */
  readonly now?: Millis | undefined;
}

const LINE_END = new TextEncoder().encode("\n");
const [MAX_TAPE_ROWS_SHOWN, MAX_TAPE_CHARACTERS_SHOWN] = [5, 80] as const;
const MIN_SNIFFED_BYTES = 1 << 14;

/** A ccxt trade or order book, or an object with the same fields. */
const IS_OBJECTS = /^\uFEFF?\s*\[?\s*\{[\s\S]*"(price|bids|asks)"\s*:/;

/** Returns whether a file with this beginning contains trades or books; otherwise it contains candles. */
export function isTape(beginning: Uint8Array): boolean {
  if (isOfObjects(beginning)) return true;
  let kind: Layout["kind"] | undefined;
  const rows = createRows((row, shape) => {
    if (!kind && row.count > 0) kind = kindOf(row, shape);
    return kind !== undefined;
  });
  rows.push(beginning);
  // Ends the last line. The rest of the file is missing, so this is not its end.
  rows.push(LINE_END);
  return kind === "trades";
}

/** Returns whether it contains trades or books as JSON objects, from which no bars can be built directly. */
export const isOfObjects = (bytes: Uint8Array): boolean => IS_OBJECTS.test(new TextDecoder().decode(bytes));

/**
 * Reads trades, and books between them, from the bytes of a table or JSON file as they arrive; see docs/backtest.md
 * for the formats. Throws RangeError with the invalid row.
 */
export function createTapeReader(options: TapeOptions) {
  const { pair, skipRefused = false, now } = options;
  const columns = createColumns(options);
  const tape = createTape(pair, now);
  const refused: Refused[] = [];
  let refusedRows = 0;
  let reader: { push(part: Uint8Array): void; end(): unknown } | undefined;

  function refuse(row: string, reason: string, shown: string): void {
    if (!skipRefused) throw new RangeError(`${row}: ${reason}: ${shown.slice(0, MAX_TAPE_CHARACTERS_SHOWN)}`);
    refusedRows++;
    if (refused.length < MAX_TAPE_ROWS_SHOWN) refused.push({ row, reason });
  }

  const rows = () =>
    createRows((row, shape) => {
      const layout = row.count === 0 ? undefined : columns.layoutOf(row, shape);
      if (!layout) return columns.isFound();
      const reason =
        columns.misfit(row, shape) ??
        (layout.kind === "trades" ? tape.tableRow(row, layout) : "it is not a trade");
      if (reason) refuse(rowPlace(row.line, shape), reason, textOfRow(row));
      return true;
    });

  function objectRow(text: string, row: number): void {
    const reason = tape.objectOf(text);
    if (reason) refuse(rowPlace(row, "json"), reason, text);
  }

  let beginning: Uint8Array = NO_BYTES;

  /** Buffers the beginning until the kind of file is known. */
  function begin(part: Uint8Array): void {
    const all = new Uint8Array(beginning.length + part.length);
    all.set(beginning);
    all.set(part, beginning.length);
    beginning = all;
  }

  function open() {
    const opened = isOfObjects(beginning) ? createObjects(objectRow) : rows();
    opened.push(beginning);
    return opened;
  }

  return {
    push(part: Uint8Array): void {
      if (reader) reader.push(part);
      else begin(part);
      if (!reader && beginning.length >= MIN_SNIFFED_BYTES) reader = open();
    },
    end(): TapeReading {
      reader ??= open();
      reader.end();
      if (tape.prints.count() === 0) {
        const [first] = refused;
        throw new RangeError(`there is no trade in it${first ? `; ${first.row}: ${first.reason}` : ""}`);
      }
      const { prints, books } = tape;
      return {
        tape: { prints: prints.columns(), books: books.columns() },
        duplicates: prints.duplicates(),
        refusedRows,
        refused,
      };
    },
  };
}

/** Reads rows of trades and of books into columns; returns why a row is invalid. */
function createTape(pair: Pair, now: Millis = Number.POSITIVE_INFINITY) {
  const [prints, books] = [createPrints(pair), createBooks()];
  const print: PrintRow = { at: 0, digits: 0, decimals: 0, amount: Number.NaN, id: "" };
  const figure: Figure = { digits: 0, decimals: 0 };

  function tableRow(row: Row, of: Extract<Layout, { kind: "trades" }>): string | undefined {
    const field = (index: number) => (index < 0 || index >= row.count ? undefined : fieldAt(row, index));
    return printOf({
      at: field(of.at),
      price: field(of.price),
      amount: of.amount < 0 ? undefined : (field(of.amount) ?? NO_BYTES),
      id: of.id < 0 ? undefined : field(of.id),
    });
  }

  function printOf({ at, price, amount, id }: PrintFields): string | undefined {
    const time = at && readTime(at, 0, at.length);
    const problem = timeProblem(time, now);
    if (time === undefined || problem) return problem;
    const size = amount ? readNearest(amount, 0, amount.length, figure) : Number.NaN;
    if (size === undefined || size <= 0) return "its amount is not a number above zero";
    if (!price || !readNumber(price, 0, price.length, figure) || figure.digits === 0)
      return `its price ${price ? whyUnread(price, 0, price.length, "above zero") : "is missing"}`;
    print.at = time;
    print.digits = figure.digits;
    print.decimals = figure.decimals;
    print.amount = size;
    print.id = id ? textOf(id, 0, id.length) : "";
    return prints.add(print);
  }

  function objectOf(text: string): string | undefined {
    const result = parsedObject(text);
    if (!result) return "it is not JSON";
    if (result.symbol !== undefined && result.symbol !== null && result.symbol !== pair)
      return `its pair is ${String(result.symbol).slice(0, 40)}, not ${pair}`;
    const at = bytesOfField(result.timestamp ?? result.time ?? result.datetime);
    if (result.bids === undefined && result.asks === undefined)
      return printOf({
        at,
        price: bytesOfField(result.price),
        amount: bytesOfField(result.amount),
        id: bytesOfField(result.id),
      });
    const time = at && readTime(at, 0, at.length);
    const problem = timeProblem(time, now);
    if (time === undefined || problem) return problem;
    const [bids, asks] = [levelsIn(result.bids), levelsIn(result.asks)];
    if (!bids || !asks) return "its levels are not prices and amounts above zero";
    return books.add(time, bids, asks);
  }

  return { prints, books, tableRow, objectOf };
}

interface PrintFields {
  readonly at: Uint8Array | undefined;
  readonly price: Uint8Array | undefined;
  /** Undefined if unknown. */
  readonly amount: Uint8Array | undefined;
  readonly id: Uint8Array | undefined;
}

const NO_BYTES = new Uint8Array(0);

const fieldAt = ({ bytes, starts, ends }: Row, index: number): Uint8Array =>
  bytes.subarray(starts[index] as number, ends[index] as number);

const textOfRow = ({ bytes, starts, ends, count }: Row): string =>
  textOf(bytes, starts[0] as number, Math.min(ends[count - 1] as number, (starts[0] as number) + 80));

type TapeObject = Partial<
  Record<"symbol" | "timestamp" | "time" | "datetime" | "price" | "amount" | "id" | "bids" | "asks", unknown>
>;

function parsedObject(text: string): TapeObject | undefined {
  try {
    return JSON.parse(text) as TapeObject;
  } catch {
    return undefined;
  }
}

const encoder = new TextEncoder();

const bytesOfField = (value: unknown): Uint8Array | undefined =>
  typeof value === "number" || typeof value === "string" ? encoder.encode(String(value)) : undefined;

/** Parses the levels of one side; levels without an amount are skipped. Undefined if one is invalid. */
function levelsIn(side: unknown): readonly BookRow[] | undefined {
  if (!Array.isArray(side)) return undefined;
  const levels = side.map((level: unknown): BookRow => {
    const [price, amount] = Array.isArray(level) ? level.map(Number) : [];
    return [price ?? Number.NaN, amount ?? Number.NaN];
  });
  const isLevel = ([price, amount]: BookRow) => price > 0 && amount >= 0 && Number.isFinite(price + amount);
  return levels.every(isLevel) ? levels.filter(([, amount]) => amount > 0) : undefined;
}

/** Buffer for one trade that is added to the columns: its price as digits and decimals. */
interface PrintRow {
  at: Millis;
  digits: number;
  decimals: number;
  /** NaN if unknown. */
  amount: number;
  /** Empty without an id. */
  id: string;
}

/** One level of a book: price and amount. */
type BookRow = readonly [price: number, amount: number];

const MAX_COLUMN_INT = 2 ** 31 - 1;

/** Collects trades in ascending order; each id once. */
function createPrints(pair: Pair) {
  const [times, digits, decimals, amounts]: [number[], number[], number[], number[]] = [[], [], [], []];
  /** Trades of the newest time, by id. */
  let newest = new Map<string, number>();
  let duplicates = 0;

  const isSamePrint = (index: number, print: PrintRow): boolean =>
    digits[index] === print.digits &&
    decimals[index] === print.decimals &&
    Object.is(amounts[index], print.amount);

  /** Adds a trade; returns why it is invalid. */
  function add(print: PrintRow): string | undefined {
    const last = times.at(-1) ?? -Infinity;
    if (print.at < last) return "it is earlier than the previous trade; trades must be in order of time";
    if (print.at > last && newest.size > 0) newest = new Map();
    const known = print.id === "" ? undefined : newest.get(print.id);
    if (known !== undefined) {
      if (!isSamePrint(known, print)) return `there is another trade with the id ${print.id.slice(0, 40)}`;
      duplicates++;
      return undefined;
    }
    if (print.id !== "") newest.set(print.id, times.length);
    times.push(print.at);
    digits.push(print.digits);
    decimals.push(print.decimals);
    amounts.push(print.amount);
    return undefined;
  }

  function columns(): Candles {
    const scale = decimals.reduce((most, one) => (one > most ? one : most), 0);
    const price = new Float64Array(times.length);
    let highest = 0;
    for (let i = 0; i < price.length; i++) {
      const whole = (digits[i] as number) * 10 ** (scale - (decimals[i] as number));
      price[i] = whole;
      if (whole > highest) highest = whole;
    }
    if (!Number.isSafeInteger(highest))
      throw new RangeError("its prices have more digits than can be stored exactly");
    const close: Column = highest <= MAX_COLUMN_INT ? Int32Array.from(price) : price;
    return {
      pair,
      spanMillis: 1,
      from: times[0] ?? 0,
      scale,
      times: Float64Array.from(times),
      open: close,
      high: close,
      low: close,
      close,
      volume: Float64Array.from(amounts),
    };
  }

  return { add, columns, count: () => times.length, duplicates: () => duplicates };
}

/** Collects snapshots in ascending order. */
function createBooks() {
  const [times, starts, asks]: [number[], number[], number[]] = [[], [], []];
  const [prices, amounts]: [number[], number[]] = [[], []];

  const addLevels = (levels: readonly BookRow[]): void => {
    for (const [price, amount] of levels) {
      prices.push(price);
      amounts.push(amount);
    }
  };

  /** Adds a snapshot; returns why it is invalid. */
  function add(at: Millis, bid: readonly BookRow[], ask: readonly BookRow[]): string | undefined {
    if (at < (times.at(-1) ?? -Infinity))
      return "it is earlier than the previous book; books must be in order of time";
    const [bestBid, bestAsk] = [bid[0]?.[0], ask[0]?.[0]];
    if (bestBid !== undefined && bestAsk !== undefined && bestBid >= bestAsk)
      return "its best bid is not below its best ask";
    if (!isBestFirst(bid, -1) || !isBestFirst(ask, 1)) return "its levels are not best first";
    times.push(at);
    starts.push(prices.length);
    addLevels(bid);
    asks.push(prices.length);
    addLevels(ask);
    return undefined;
  }

  function columns(): TapeBooks | null {
    if (times.length === 0) return null;
    starts.push(prices.length);
    return {
      times: Float64Array.from(times),
      starts: Uint32Array.from(starts),
      asks: Uint32Array.from(asks),
      prices: Float64Array.from(prices),
      amounts: Float64Array.from(amounts),
    };
  }

  return { add, columns };
}

const isBestFirst = (levels: readonly BookRow[], way: 1 | -1): boolean =>
  levels.every(([price], i) => i === 0 || (price - (levels[i - 1] as BookRow)[0]) * way > 0);

/** Bytes that begin and end an object in a JSON file. */
const [BACKSLASH, QUOTE_MARK, OPENS, CLOSES] = [92, 34, 123, 125] as const;
const [LIST_OPENS, LIST_CLOSES] = [91, 93] as const;
/** Bytes between two objects: whitespace, commas, and the brackets of a list. */
const BETWEEN: ReadonlySet<number> = new Set([32, 9, 10, 13, 44, LIST_OPENS, LIST_CLOSES, 0xef, 0xbb, 0xbf]);
const MAX_OBJECT_BYTES = 1 << 22;

/**
 * Splits a JSON file that arrives in parts into its outermost objects: a list, or JSON Lines. Throws RangeError for
 * anything between them, and for an object of unlimited length.
 */
function createObjects(onObject: (text: string, row: number) => void) {
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
    if (rest.length > MAX_OBJECT_BYTES) throw new RangeError(`${where()}: the object is too long`);
  }

  function end(): void {
    if (depth > 0) throw new RangeError(`${where()}: the file ends inside this object`);
    if (lists > 0) throw new RangeError(`${where()}: ${CUT_OFF}`);
  }

  return { push, end };
}
