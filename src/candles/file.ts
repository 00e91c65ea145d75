import * as z from "zod";
import { lazy } from "../kernel/lazy.ts";
import type { Pair } from "../kernel/pair.ts";
import { DAY, HOUR, MINUTE, type Millis, SECOND } from "../kernel/time.ts";
import { type Candles, type Column, PRICES } from "./candles.ts";
import { bytesOf, narrowed } from "./hash.ts";

/**
 * A file of candles, columns one after the other as they are in memory:
 *
 *   8 bytes   `EMCANDLE`
 *   4 bytes   version, then 4 bytes the length of the head, both little-endian
 *   head      JSON (see Head), then spaces up to a multiple of 8
 *   columns   times and volume in doubles; open, high, low, close in 32 bits, or doubles where `wide`
 */
const MAGIC = "EMCANDLE";
const VERSION = 1;
const FIXED = 16;

const RangeFormat = lazy(() => z.object({ from: z.number(), until: z.number() }));

const HeadShape = lazy(() =>
  z.object({
    pair: z.string(),
    /** An exchange or another source. */
    source: z.string(),
    spanMillis: z.number().positive(),
    scale: z.number().int().min(0).max(18),
    bars: z.number().int().min(0),
    wide: z.boolean(),
    hash: z.string(),
    duplicates: z.number(),
    refusedRows: z.number(),
    refused: z.array(z.object({ row: z.string(), reason: z.string() })),
    /** Ranges requested from the source; bars missing there did not exist. */
    asked: z.array(RangeFormat()),
    /** Gaps that were requested again. */
    askedAgain: z.array(RangeFormat()),
  }),
);

export type Head = z.output<ReturnType<typeof HeadShape>>;
/** Data that a file contains besides the candles. */
export type CandleFileExtras = Omit<Head, "pair" | "spanMillis" | "scale" | "bars" | "wide">;

/** Encodes a file as parts to write in order. */
export function encodeCandles(candles: Candles, kept: CandleFileExtras): Uint8Array<ArrayBuffer>[] {
  requireLittleEndian();
  const { pair, spanMillis, scale, times, volume, ...prices } = narrowed(candles);
  const wide = prices.open instanceof Float64Array;
  const head: Head = { ...kept, pair, spanMillis, scale, bars: times.length, wide };
  const text = new TextEncoder().encode(JSON.stringify(head));
  const padded = Math.ceil(text.length / 8) * 8;
  const start = new Uint8Array(FIXED + padded).fill(32);
  start.set(new TextEncoder().encode(MAGIC));
  const view = new DataView(start.buffer);
  view.setUint32(8, VERSION, true);
  view.setUint32(12, padded, true);
  start.set(text, FIXED);
  return [start, ...[times, volume, ...PRICES.map((name) => prices[name])].map(bytesOf)];
}

export const isCandleFile = (bytes: Uint8Array): boolean =>
  new TextDecoder().decode(bytes.subarray(0, MAGIC.length)) === MAGIC;

/** Returns candles in the file's own memory, and the data with them. Throws RangeError for any other file. */
export function decodeCandles(bytes: Uint8Array<ArrayBuffer>): { candles: Candles; head: Head } {
  requireLittleEndian();
  const head = readHead(bytes);
  const { bars, wide, pair, spanMillis, scale } = head;
  const from = columnsAt(bytes);
  const size = wide ? 8 : 4;
  if (bytes.length !== from + bars * (16 + 4 * size)) throw damaged();
  const { buffer, byteOffset } = bytes;
  const double = (at: number) => new Float64Array(buffer, byteOffset + at, bars);
  const price = (which: number): Column => {
    const at = from + bars * (16 + which * size);
    return wide ? double(at) : new Int32Array(buffer, byteOffset + at, bars);
  };
  const times = double(from);
  const prices = { open: price(0), high: price(1), low: price(2), close: price(3) };
  const volume = double(from + bars * 8);
  return {
    head,
    candles: { pair: pair as Pair, spanMillis, scale, from: times[0] ?? 0, times, volume, ...prices },
  };
}

/** Reads the head of a file; the columns may be missing. */
export function readHead(bytes: Uint8Array<ArrayBuffer>): Head {
  if (bytes.length < FIXED || !isCandleFile(bytes)) throw new RangeError("it is not a file of candles");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const version = view.getUint32(8, true);
  if (version !== VERSION)
    throw new RangeError(
      `it has version ${version}, and this edgemaker reads version ${VERSION}; create it again`,
    );
  if (bytes.length < columnsAt(bytes)) throw damaged();
  try {
    return HeadShape().parse(JSON.parse(new TextDecoder().decode(bytes.subarray(FIXED, columnsAt(bytes)))));
  } catch (error) {
    throw new RangeError(damaged().message, { cause: error });
  }
}

const columnsAt = (bytes: Uint8Array<ArrayBuffer>): number =>
  FIXED + new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(12, true);

const damaged = (): RangeError =>
  new RangeError("it is damaged; remove it, then download or import it again");

function requireLittleEndian(): void {
  if (new Uint8Array(new Uint16Array([1]).buffer)[0] !== 1)
    throw new Error("files of candles are read on little-endian machines only");
}

const SPAN_UNITS: Readonly<Record<string, Millis>> = { s: SECOND, m: MINUTE, h: HOUR, d: DAY, w: 7 * DAY };

/** Parses `1m`, `15m`, `4h`, `1d`; undefined for anything else. */
export function spanOf(label: string): Millis | undefined {
  const [, count = "0", unit = ""] = /^([1-9]\d{0,3})([smhdw])$/.exec(label) ?? [];
  const span = Number(count) * (SPAN_UNITS[unit] ?? 0);
  return span > 0 ? span : undefined;
}

/** Formats a span in the largest unit that divides it: 60000 is `1m`. */
export function spanLabel(span: Millis): string {
  const [unit, length] = Object.entries(SPAN_UNITS).findLast(([, one]) => span % one === 0) ?? ["ms", 1];
  return `${span / length}${unit}`;
}
