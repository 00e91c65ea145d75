import type * as z from "zod";
import { csv } from "../kernel/csv.ts";
import { decimal, fromNumber, mul, text, ZERO } from "../kernel/decimal.ts";
import { type Pair, splitPair } from "../kernel/pair.ts";
import type { FillsShape } from "./schema.ts";

const FILL_TABLE_COLUMNS = [
  "timestamp",
  "time",
  "id",
  "clientOrderId",
  "slot",
  "side",
  "price",
  "amount",
  "notional",
  "fee",
  "feeAsset",
  "superseded",
  "exchange",
  "symbol",
  "feeValue",
];

/** Formats fills as a table; several fee assets of a fill are in one cell each, in the same order. */
export const fillTable = (
  { fills, exchange, symbol }: z.input<ReturnType<typeof FillsShape>>,
  iso: (at: number) => string,
): string =>
  csv(
    FILL_TABLE_COLUMNS,
    fills.map((fill) => [
      fill.timestamp,
      iso(fill.timestamp),
      fill.id,
      fill.clientOrderId,
      fill.slot,
      fill.side,
      fill.price,
      fill.amount,
      fill.notional,
      fill.fees.map(({ amount }) => amount).join(" "),
      fill.fees.map(({ asset }) => asset).join(" "),
      fill.superseded,
      exchange,
      symbol,
      feeValue(fill, symbol),
    ]),
  );

/** Returns a fill's fees in quote; empty if the value of an asset is unknown. */
function feeValue(
  { fees, price }: z.input<ReturnType<typeof FillsShape>>["fills"][number],
  symbol: string,
): string | null {
  const { base, quote } = splitPair(symbol as Pair);
  const worth = fees.map(({ asset, amount, value }) => {
    if (asset === quote) return decimal(amount);
    const rate = asset === base ? fromNumber(price) : undefined;
    if (rate !== undefined) return mul(decimal(amount), rate, "up");
    return value === undefined ? undefined : fromNumber(value);
  });
  const known = worth.filter((one) => one !== undefined);
  return known.length === worth.length ? text(known.reduce((sum, one) => sum + one, ZERO)) : null;
}
