/** Decides which columns of a file hold which fields. */

import { type Pair, splitPair } from "../kernel/pair.ts";
import { isDigit, textOf } from "./fields.ts";
import { type Row, type RowShape, rowPlace } from "./rows.ts";

/** Positions of the fields in a row; -1 for a missing field. */
export type Layout =
  | {
      readonly kind: "candles";
      readonly at: number;
      readonly prices: readonly [open: number, high: number, low: number, close: number];
      readonly volume: number;
    }
  | {
      readonly kind: "trades";
      readonly at: number;
      readonly price: number;
      readonly amount: number;
      readonly id: number;
    };

/** Time, open, high, low, close, volume: Binance's files, lists of freqtrade and ccxt, and most tables without a header. */
const DEFAULT_LAYOUT: Layout = { kind: "candles", at: 0, prices: [1, 2, 3, 4], volume: 5 };
/** Gate's archives of candles: time, volume, close, high, low, open. The file does not say in which asset the volume is. */
const GATE_CANDLES: Layout = { kind: "candles", at: 0, prices: [5, 3, 4, 2], volume: -1 };
/** Gate's archives of trades: time, id, price, amount, side (1 sells, 2 buys). */
const GATE_TRADES: Layout = { kind: "trades", at: 0, id: 1, price: 2, amount: 3 };
/** Kraken's files of executions: time, price, amount. */
const TRADES_TABLE: Layout = { kind: "trades", at: 0, price: 1, amount: 2, id: -1 };
/** Kraken's public trades from its API: price, amount, time, side, type, misc, id. */
const TRADES_LIST: Layout = { kind: "trades", at: 2, price: 0, amount: 1, id: 6 };
/** Binance's archives of trades: id, price, amount, quote amount, time, two flags. */
const TRADES_ARCHIVE: Layout = { kind: "trades", at: 4, price: 1, amount: 2, id: 0 };
/** Binance's archives of aggregated trades: id, price, amount, first and last id, time, two flags. */
const TRADES_TOGETHER: Layout = { ...TRADES_ARCHIVE, at: 5 };

const COLUMN_NAMES = {
  /** When a candle begins; `timestamp` next to one of them can be its end. */
  begin: ["opentime", "timeopen", "starttime", "opentimestamp"],
  at: [
    "timestamp",
    "time",
    "date",
    "datetime",
    "unix",
    "ts",
    "t",
    "unixtimestamp",
    "transacttime",
    "createdtime",
    "tradetime",
  ],
  open: ["open", "o"],
  high: ["high", "h"],
  low: ["low", "l"],
  close: ["close", "c"],
  price: ["price"],
  id: ["id", "tradeid", "aggtradeid"],
} as const;

export interface ColumnOptions {
  readonly pair: Pair;
  /** Name of the column with the amount in base; `none` reads no amounts. */
  readonly volumeColumn?: string | undefined;
}

/** A layout that a file can have, and the columns that hold its amounts in quote if it has it. */
interface LayoutCandidate {
  readonly layout: Layout;
  readonly inQuote: readonly number[];
}

interface Found {
  readonly candidates: readonly LayoutCandidate[];
  /** Whether the row is a header and not data. */
  readonly isNames: boolean;
  /** Why the column of the amounts is unknown, if the values do not show it either. */
  readonly doubt?: string;
}

/** Maximum number of lines above a table's header. */
const MAX_PREFACE_LINES = 5;

/**
 * Finds the layout of a file by the names of its columns, and by the values of its first rows. Throws RangeError where
 * the prices, or the amounts in base, can be in several columns.
 */
export function createColumns(options: ColumnOptions) {
  let found: Found | undefined;
  let layout: Layout | undefined;
  let isInDoubt = false;
  let prefaced = 0;
  let width = 0;

  /** Returns whether the row is data. */
  function begin(row: Row, shape: RowShape): boolean {
    found = layoutsByRow(row, shape, options);
    if (found) {
      settle(found.candidates);
      width = row.count;
      return !found.isNames;
    }
    const isPreface = shape === "table" && (row.count === 1 || textOfField(row, 0).startsWith("#"));
    const needed = "timestamp, open, high, low, close, volume; or timestamp, price, amount";
    if (!isPreface && shape === "table")
      throw new RangeError(
        `${rowPlace(row.line, shape)}: its columns are ${namesOf(row).join(", ")}; rename them to those needed (${needed})`,
      );
    if (!isPreface || ++prefaced > MAX_PREFACE_LINES)
      throw new RangeError(`${rowPlace(row.line, shape)}: neither a candle nor column names (${needed})`);
    return false;
  }

  function settle(candidates: readonly LayoutCandidate[]): void {
    layout = candidates[0]?.layout;
    isInDoubt = candidates.length > 1 || (candidates[0]?.inQuote ?? []).length > 0;
    found = found && { ...found, candidates };
  }

  /** Returns the layout of a row of data; undefined for a header, and for a line above it. */
  function layoutOf(row: Row, shape: RowShape): Layout | undefined {
    if (!layout && !begin(row, shape)) return undefined;
    if (isInDoubt && found) settle(fittingCandidates(row, found));
    return layout;
  }

  /** Returns why a row is not one of this table: its values would be in other columns. */
  const misfit = (row: Row, shape: RowShape): string | undefined =>
    row.count > width && shape === "table"
      ? `it has ${row.count} fields, but the ${found?.isNames ? "header" : "first row"} has ${width}`
      : undefined;

  return { layoutOf, misfit, layout: () => layout, isFound: () => layout !== undefined };
}

/** Returns whether a file that begins with this row has candles or trades; undefined if the row does not show it. */
export const kindOf = (row: Row, shape: RowShape): Layout["kind"] | undefined =>
  layoutsByRow(row, shape)?.candidates[0]?.layout.kind;

function layoutsByRow(row: Row, shape: RowShape, options?: ColumnOptions): Found | undefined {
  if (!isDigit(row.bytes[row.starts[0] as number])) return byNames(namesOf(row), options);
  const layouts = shape === "json" ? listedLayouts(row) : unnamedLayouts(row);
  const isWithout = options?.volumeColumn !== undefined;
  if (isWithout && options.volumeColumn !== NO_AMOUNT)
    throw new RangeError("its columns have no names; add a header, or use --volume-column none");
  const candidates = layouts.map((layout) => ({
    layout: isWithout ? withAmount(layout, -1) : layout,
    inQuote: [],
  }));
  return { candidates, isNames: false };
}

function listedLayouts(row: Row): readonly Layout[] {
  return row.count >= 5 && /^[bs]$/.test(textOfField(row, 3)) ? [TRADES_LIST] : [DEFAULT_LAYOUT];
}

/** Returns the possible layouts of a table without a header. */
function unnamedLayouts(row: Row): readonly Layout[] {
  const { count } = row;
  if (count === 3) return [TRADES_TABLE];
  if (count === 5 && /^[12]$/.test(textOfField(row, 4))) return [GATE_TRADES];
  if (count === 6) return [DEFAULT_LAYOUT, GATE_CANDLES];
  const endsInWord = count >= 7 && /^(true|false)$/i.test(textOfField(row, count - 1));
  if (!endsInWord) return [DEFAULT_LAYOUT];
  return [count === 7 ? TRADES_ARCHIVE : TRADES_TOGETHER];
}

const textOfField = ({ bytes, starts, ends }: Row, index: number): string =>
  textOf(bytes, starts[index] as number, ends[index] as number);

const namesOf = (row: Row): string[] =>
  Array.from({ length: row.count }, (_, index) => textOfField(row, index));

/** Returns a name without spaces, dashes and brackets: `Volume (Base)` is `volumebase`. */
const plainName = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

function byNames(names: readonly string[], options?: ColumnOptions): Found | undefined {
  const plain = names.map(plainName);
  const placeOf = (headings: readonly string[]): number => plain.findIndex((name) => headings.includes(name));
  const begin = placeOf(COLUMN_NAMES.begin);
  const at = begin < 0 ? placeOf(COLUMN_NAMES.at) : begin;
  const prices = [COLUMN_NAMES.open, COLUMN_NAMES.high, COLUMN_NAMES.low, COLUMN_NAMES.close].map(
    placeOf,
  ) as [number, number, number, number];
  const price = placeOf(COLUMN_NAMES.price);
  const isOfCandles = Math.min(...prices) >= 0;
  if (at < 0 || (!isOfCandles && price < 0)) return undefined;
  const layout: Layout = isOfCandles
    ? { kind: "candles", at, prices, volume: -1 }
    : { kind: "trades", at, price, amount: -1, id: placeOf(COLUMN_NAMES.id) };
  return options
    ? withAmounts(layout, names, options)
    : { candidates: [{ layout, inQuote: [] }], isNames: true };
}

const NO_AMOUNT = "none";

const columnOfAmount = (layout: Layout): number =>
  layout.kind === "candles" ? layout.volume : layout.amount;

const withAmount = (layout: Layout, index: number): Layout =>
  layout.kind === "candles" ? { ...layout, volume: index } : { ...layout, amount: index };

/** Adds the column of the amounts in base by its name; several candidates if only the values can show it. */
function withAmounts(layout: Layout, names: readonly string[], { pair, volumeColumn }: ColumnOptions): Found {
  // CoinMarketCap's volume is in the currency of its prices.
  const plainUnit = names.some((name) => plainName(name) === "marketcap") ? "quote" : "plain";
  const units = names.map((name) => unitOf(plainName(name), pair, plainUnit));
  const columnsIn = (unit: AmountUnit) => units.flatMap((one, index) => (one === unit ? [index] : []));
  const [plain, foreign, quote] = [columnsIn("plain"), columnsIn("foreign"), columnsIn("quote")];
  const base =
    volumeColumn === undefined ? (columnsIn("base")[0] ?? onlyOf(plain)) : chosenColumn(names, volumeColumn);
  if (base !== undefined || plain.length + foreign.length + quote.length === 0)
    return { candidates: [{ layout: withAmount(layout, base ?? -1), inQuote: [] }], isNames: true };
  const possible = plain.length > 0 ? plain : foreign;
  const inDoubt = [...possible, ...quote];
  const columns = inDoubt.map((index) => names[index]).join(", ");
  const doubt = `it is unknown which column has the amounts in ${splitPair(pair).base} (${columns}); name it with --volume-column, or use --volume-column none`;
  if (possible.length === 0 || inDoubt.length === 1) throw new RangeError(doubt);
  const candidates = possible.map((index) => ({
    layout: withAmount(layout, index),
    inQuote: inDoubt.filter((one) => one !== index),
  }));
  return { candidates, isNames: true, doubt };
}

const onlyOf = (columns: readonly number[]): number | undefined =>
  columns.length === 1 ? columns[0] : undefined;

function chosenColumn(names: readonly string[], volumeColumn: string): number {
  if (volumeColumn === NO_AMOUNT) return -1;
  const index = names.findIndex((name) => name.toLowerCase() === volumeColumn.toLowerCase());
  if (index < 0)
    throw new RangeError(`there is no column ${volumeColumn}; its columns are ${names.join(", ")}`);
  return index;
}

/** Asset in which a column counts amounts, by its name; `foreign` is another one than those of the pair. */
type AmountUnit = "base" | "quote" | "plain" | "foreign";

/** Names of columns that count only a part of the amounts, or something else. */
const NO_AMOUNTS = /taker|buy|sell|bid|ask|weighted|price/;

function unitOf(name: string, pair: Pair, plainUnit: AmountUnit): AmountUnit | undefined {
  const [, before, after] = /^(.*?)(?:volume|vol|amount|quantity|qty|size)(.*)$/.exec(name) ?? [];
  if (name === "v" || (before === "" && after === "")) return plainUnit;
  if (before === undefined || NO_AMOUNTS.test(name)) return undefined;
  const { base, quote } = splitPair(pair);
  const unit = `${before}${after}`;
  if ([base.toLowerCase(), "base", "baseasset", "basecurrency", "from"].includes(unit)) return "base";
  if ([quote.toLowerCase(), "quote", "quoteasset", "quotecurrency", "to"].includes(unit)) return "quote";
  return "foreign";
}

/**
 * Returns the candidates that fit a row: the prices are in order, and price × amount is an amount in quote. Returns all
 * of them if the row reads the same in each. Throws RangeError if the amounts of a row do not show their columns.
 */
function fittingCandidates(row: Row, { candidates, doubt }: Found): readonly LayoutCandidate[] {
  if (doubt === undefined) {
    const fit = candidates.filter(({ layout }) => isInOrder(row, layout));
    // The first error of an invalid row is reported by its reader.
    return fit.length > 0 ? fit : candidates;
  }
  const isEmpty = candidates.every(({ layout, inQuote }) =>
    [columnOfAmount(layout), ...inQuote].every((index) => fieldNumber(row, index) === 0),
  );
  if (isEmpty) return candidates;
  const fit = candidates.filter((one) => isProduct(row, one));
  if (fit.length !== 1) throw new RangeError(`${rowPlace(row.line, "table")}: ${doubt}`);
  return fit.map(({ layout }) => ({ layout, inQuote: [] }));
}

const fieldNumber = (row: Row, index: number): number =>
  index < row.count ? Number(textOfField(row, index)) : Number.NaN;

/** Returns the low and the high price of a row, the same one for a trade. */
function extremesOf(row: Row, layout: Layout): readonly [low: number, high: number] {
  if (layout.kind === "candles")
    return [fieldNumber(row, layout.prices[2]), fieldNumber(row, layout.prices[1])];
  const price = fieldNumber(row, layout.price);
  return [price, price];
}

function isInOrder(row: Row, layout: Layout): boolean {
  if (layout.kind === "trades") return true;
  const [low, high] = extremesOf(row, layout);
  return [layout.prices[0], layout.prices[3]].every((index) => {
    const price = fieldNumber(row, index);
    return low <= price && price <= high;
  });
}

/** Relative difference within which price × amount and an amount in quote count as equal. */
const MAX_DIFFERENCE = 0.005;

function isProduct(row: Row, { layout, inQuote }: LayoutCandidate): boolean {
  const [low, high] = extremesOf(row, layout);
  const amount = fieldNumber(row, columnOfAmount(layout));
  return inQuote.some((index) => {
    const quote = fieldNumber(row, index);
    return quote >= low * amount * (1 - MAX_DIFFERENCE) && quote <= high * amount * (1 + MAX_DIFFERENCE);
  });
}
