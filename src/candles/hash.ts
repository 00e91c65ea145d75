import { type DigestBytes, digestParts } from "../kernel/digest.ts";
import { type Candles, type Column, MAX_INT32, PRICES } from "./candles.ts";

/**
 * Returns SHA-256 of pair, span and every bar. The same bars have the same hash, whatever their source: prices use as
 * few decimals as possible, in 32 bits if all of them fit.
 */
export const hashOf = (candles: Candles): Promise<string> => hashAsIs(narrowed(candles));

/** Does the same for bars that already use the narrowest form, as those of an unmodified file do. */
export const hashAsIs = (
  { pair, spanMillis, scale, times, volume, ...prices }: Candles,
  sha256?: DigestBytes,
): Promise<string> => {
  const head = new TextEncoder().encode(`${pair} ${spanMillis} ${scale} ${times.length}`);
  return digestParts([head, ...[times, volume, ...PRICES.map((name) => prices[name])].map(bytesOf)], sha256);
};

/** Returns the column's own memory. */
export const bytesOf = ({ buffer, byteOffset, byteLength }: Column): Uint8Array<ArrayBuffer> =>
  new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);

/** Returns the same bars with as few decimals and bytes as possible. */
export function narrowed(candles: Candles): Candles {
  const spare = spareDecimals(candles);
  const divisor = 10 ** spare;
  const largest = largestOf(candles.high) / divisor;
  const isNarrow = largest <= MAX_INT32;
  const fits = (column: Column) => spare === 0 && column instanceof Int32Array === isNarrow;
  const narrow = (column: Column): Column => {
    if (fits(column)) return column;
    const made = isNarrow ? new Int32Array(column.length) : new Float64Array(column.length);
    for (let row = 0; row < column.length; row++) made[row] = (column[row] as number) / divisor;
    return made;
  };
  return {
    ...candles,
    scale: candles.scale - spare,
    open: narrow(candles.open),
    high: narrow(candles.high),
    low: narrow(candles.low),
    close: narrow(candles.close),
  };
}

function largestOf(column: Column): number {
  let largest = 0;
  for (let row = 0; row < column.length; row++) largest = Math.max(largest, column[row] as number);
  return largest;
}

/** Counts trailing decimals that no price uses. */
function spareDecimals(candles: Candles): number {
  let spare = candles.scale;
  for (const name of PRICES) {
    const column = candles[name];
    for (let row = 0; row < column.length && spare > 0; row++)
      while (spare > 0 && (column[row] as number) % 10 ** spare !== 0) spare--;
  }
  return candles.times.length === 0 ? 0 : spare;
}
