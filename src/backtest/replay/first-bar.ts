import type { Candles, Column } from "../../candles/candles.ts";
import { type Decimal, divideWhole, ONE } from "../../kernel/decimal.ts";

/**
 * Returns candles that begin at the grid's start price: in the first bar, extremes could precede the start, so the
 * price goes straight to its close.
 */
export function beginningAt(candles: Candles, price: Decimal): Candles {
  const open = Number(divideWhole(price * 10n ** BigInt(candles.scale), ONE, "half"));
  const close = candles.close[0] as number;
  return {
    ...candles,
    open: replacingFirst(candles.open, open),
    high: replacingFirst(candles.high, Math.max(open, close)),
    low: replacingFirst(candles.low, Math.min(open, close)),
  };
}

function replacingFirst(column: Column, value: number): Column {
  const copy = column.slice();
  copy[0] = value;
  return copy;
}
