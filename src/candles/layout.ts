/** Decides which columns of a file hold which fields. */

import { isDigit, textOf } from "./fields.ts";
import type { Row, RowShape } from "./rows.ts";

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
/** Kraken's files of executions: time, price, amount. */
const TRADES_TABLE: Layout = { kind: "trades", at: 0, price: 1, amount: 2, id: -1 };
/** Kraken's public trades from its API: price, amount, time, side, type, misc, id. */
const TRADES_LIST: Layout = { kind: "trades", at: 2, price: 0, amount: 1, id: 6 };
/** Binance's archives of trades: id, price, amount, quote amount, time, two flags. */
const TRADES_ARCHIVE: Layout = { kind: "trades", at: 4, price: 1, amount: 2, id: 0 };
/** Binance's archives of aggregated trades: id, price, amount, first and last id, time, two flags. */
const TRADES_TOGETHER: Layout = { ...TRADES_ARCHIVE, at: 5 };

const COLUMN_NAMES = {
  at: [
    "timestamp",
    "time",
    "date",
    "datetime",
    "opentime",
    "unix",
    "ts",
    "t",
    "unixtimestamp",
    "transacttime",
  ],
  open: ["open", "o"],
  high: ["high", "h"],
  low: ["low", "l"],
  close: ["close", "c"],
  volume: ["volume", "vol", "v", "amount", "qty", "quantity", "size"],
  price: ["price"],
  id: ["id", "tradeid", "aggtradeid"],
} as const;

/** Derives the layout from the first row. `isNames`: it is a header and not data. Undefined if it is neither. */
export function layoutOf(row: Row, shape: RowShape): { layout: Layout; isNames: boolean } | undefined {
  const { bytes, starts, count } = row;
  const beginsWithDigit = isDigit(bytes[starts[0] as number]);
  if (shape === "json" && beginsWithDigit) {
    const side = textOf(bytes, starts[3] as number, row.ends[3] as number);
    return { layout: count >= 5 && /^[bs]$/.test(side) ? TRADES_LIST : DEFAULT_LAYOUT, isNames: false };
  }
  if (beginsWithDigit) return { layout: unnamed(row), isNames: false };
  const named = byNames(namesOf(row));
  return named && { layout: named, isNames: true };
}

/** Derives the layout of a table without a header. */
function unnamed({ bytes, starts, ends, count }: Row): Layout {
  if (count === 3) return TRADES_TABLE;
  const [from, to] = [starts[count - 1] as number, ends[count - 1] as number];
  const endsInWord = count >= 7 && /^(true|false)$/i.test(textOf(bytes, from, to));
  if (!endsInWord) return DEFAULT_LAYOUT;
  return count === 7 ? TRADES_ARCHIVE : TRADES_TOGETHER;
}

const namesOf = ({ bytes, starts, ends, count }: Row): string[] =>
  Array.from({ length: count }, (_, index) =>
    textOf(bytes, starts[index] as number, ends[index] as number)
      .toLowerCase()
      .replace(/^\uFEFF/, ""),
  );

function byNames(names: readonly string[]): Layout | undefined {
  const plain = names.map((name) => name.replace(/[\s_-]/g, ""));
  const placeOf = (headings: readonly string[]): number => plain.findIndex((name) => headings.includes(name));
  const at = placeOf(COLUMN_NAMES.at);
  const [open, high, low, close] = [
    COLUMN_NAMES.open,
    COLUMN_NAMES.high,
    COLUMN_NAMES.low,
    COLUMN_NAMES.close,
  ].map(placeOf) as [number, number, number, number];
  // "Volume BTC" next to "Volume USD": the base's comes first.
  const volume = plain.findIndex(
    (name) => name.startsWith("volume") || COLUMN_NAMES.volume.some((one) => one === name),
  );
  if (at < 0) return undefined;
  if (Math.min(open, high, low, close) >= 0)
    return { kind: "candles", at, prices: [open, high, low, close], volume };
  const price = placeOf(COLUMN_NAMES.price);
  return price >= 0 ? { kind: "trades", at, price, amount: volume, id: placeOf(COLUMN_NAMES.id) } : undefined;
}
