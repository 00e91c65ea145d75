import { existsSync, statSync } from "node:fs";
import type { Candles } from "../../src/candles/candles.ts";
import { type CandleFileExtras, spanLabel, spanOf } from "../../src/candles/file.ts";
import { merge } from "../../src/candles/merge.ts";
import { type Coverage, coverageOf, gapsOf, type Reading, type ReadOptions } from "../../src/candles/read.ts";
import { isPair, type Pair } from "../../src/kernel/pair.ts";
import { countWithVerb, pluralize } from "../../src/kernel/plain-text.ts";
import { parseTime } from "../../src/kernel/read-time.ts";
import { MINUTE, type Millis, stampOf } from "../../src/kernel/time.ts";
import type { WaitingCaller } from "../../src/operation.ts";
import {
  candleFile,
  candleFolder,
  listStored,
  lockCandles,
  readCandleSource,
  readFlags,
  readStored,
  type StoredCandles,
  writeStored,
} from "../host/candle-sources.ts";
import { readSettings } from "../host/settings.ts";
import { UsageError, type Values } from "../terminal/arguments.ts";
import { print } from "../terminal/output.ts";
import { waitedFor } from "../terminal/waited-for.ts";
import { INTERRUPTED } from "./report-on-interrupt.ts";

/** Returns the empty storage of a source. */
export const noFileExtras = (source: string): Omit<CandleFileExtras, "hash"> => ({
  source,
  duplicates: 0,
  refusedRows: 0,
  refused: [],
  asked: [],
  askedAgain: [],
});

/** Reads all files before it writes: an invalid file or Ctrl-C leaves stored candles unchanged. */
export async function importCandles(values: Values): Promise<number> {
  const files = (values.files as readonly string[] | undefined) ?? [];
  if (files.length === 0) throw new UsageError("name the files: edgemaker candles import <file> …");
  const [pair, source] = [pairFlag(values), sourceOf(values)];
  const spanMillis = values.span === undefined ? undefined : spanIn(values);
  const flags = readFlags(values);
  const folder = folderOf(values);
  const { answer } = await waitedFor(async (waiting) => {
    const readings = await readAll(files, { pair, spanMillis, ...flags }, waiting);
    return readings && (await addAll(folder, source, readings));
  }, INTERRUPTION);
  return answer ? print(values, answer) : INTERRUPTED;
}

const INTERRUPTION = {
  ends: "leaves stored candles unchanged",
  ended: (imported: unknown) => (imported ? "" : "Nothing was imported. Stored candles are unchanged.\n"),
};

/** Undefined if the read stopped early. */
async function readAll(
  files: readonly string[],
  options: ReadOptions,
  { hear, isEnough }: WaitingCaller,
): Promise<Reading[] | undefined> {
  const sizes = files.map((file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0);
  const all = sizes.reduce((total, size) => total + size, 0);
  const readings: Reading[] = [];
  let behind = 0;
  for (const [index, file] of files.entries()) {
    const waiting = { isEnough, hear: (bytes: number) => hear(Math.min(1, (behind + bytes) / all)) };
    try {
      readings.push(await readCandleSource(file, options, waiting));
    } catch (error) {
      if (!isEnough()) throw error;
    }
    if (isEnough()) return undefined;
    behind += sizes[index] as number;
  }
  return readings;
}

async function addAll(folder: string, source: string, readings: readonly Reading[]) {
  const { pair, spanMillis } = (readings[0] as Reading).candles;
  const file = candleFile(folder, { source, pair, spanMillis });
  const unlock = lockCandles(file);
  try {
    const coverage = await addToStore(file, source, readings);
    return { file, source, symbol: pair, span: spanLabel(spanMillis), ...shownCoverage(coverage) };
  } finally {
    unlock();
  }
}

async function addToStore(file: string, source: string, readings: readonly Reading[]): Promise<Coverage> {
  const stored = existsSync(file) ? await readStored(file) : undefined;
  let candles: Candles | undefined = stored?.candles;
  let kept = stored?.head ?? noFileExtras(source);
  for (const reading of readings) {
    const merged = candles ? merge(candles, reading.candles) : { candles: reading.candles, conflicts: 0 };
    if (merged.conflicts > 0)
      throw new Error(
        `${countWithVerb(merged.conflicts, "candle", "differs", "differ")} from the stored ones, so nothing was imported; use another --from, or remove ${file}`,
      );
    candles = merged.candles;
    kept = {
      ...kept,
      duplicates: kept.duplicates + reading.duplicates,
      refusedRows: kept.refusedRows + reading.refusedRows,
      refused: [...kept.refused, ...reading.refused].slice(0, MAX_REFUSED_LINES_SHOWN),
    };
  }
  return writeStored(file, candles as Candles, kept);
}

const MAX_REFUSED_LINES_SHOWN = 5;

export async function listCandles(values: Values): Promise<number> {
  const folder = folderOf(values);
  const series = listStored(folder).map(({ head }) => ({
    from: head.source,
    symbol: head.pair,
    span: spanLabel(head.spanMillis),
    bars: head.bars,
    hash: head.hash.slice(0, 16),
  }));
  return print(values, { folder, series, count: series.length });
}

const MAX_GAPS_PRINTED = 20;

export async function showCandles(values: Values): Promise<number> {
  const series = { source: sourceOf(values), pair: pairFlag(values), spanMillis: spanIn(values) };
  const file = candleFile(folderOf(values), series);
  if (!existsSync(file))
    throw new Error(
      `these candles are not stored; run \`edgemaker candles list\`, or download or import them`,
    );
  const { candles, head }: StoredCandles = await readStored(file);
  const gaps = gapsOf(candles).map(({ from, until, bars }) => ({
    from: stampOf(from),
    until: stampOf(until),
    bars,
  }));
  return print(values, {
    file,
    source: head.source,
    symbol: head.pair,
    span: spanLabel(head.spanMillis),
    ...shownCoverage(coverageOf(candles, head)),
    ...(gaps.length > 0 ? { gapList: gaps.slice(0, MAX_GAPS_PRINTED) } : {}),
  });
}

/** Returns coverage with readable times. */
export const shownCoverage = ({ from, until, longestGap, refused, ...rest }: Coverage) => ({
  firstBar: rest.bars === 0 ? null : stampOf(from),
  lastBarEnds: rest.bars === 0 ? null : stampOf(until),
  ...rest,
  longestGap:
    longestGap &&
    `${pluralize(longestGap.bars, "bar")} from ${stampOf(longestGap.from)} until ${stampOf(longestGap.until)}`,
  refused: refused.map(({ row, reason }) => `${row}: ${reason}`),
});

function folderOf(values: Values): string {
  const { databaseUrl } = readSettings(values, process.env);
  return candleFolder(databaseUrl, process.env);
}

export function pairFlag({ symbol }: Values): Pair {
  const pair = String(symbol ?? "");
  if (!isPair(pair)) throw new UsageError("--symbol must be a pair, for example BTC/USDT");
  return pair;
}

function sourceOf({ from }: Values): string {
  const source = String(from ?? "");
  if (!/^[a-z0-9][a-z0-9-]{0,31}$/.test(source))
    throw new UsageError("--from must name the source of the candles, for example binance");
  return source;
}

export function spanIn({ span }: Values): Millis {
  const millis = span === undefined ? MINUTE : spanOf(String(span));
  if (millis === undefined)
    throw new UsageError("--span must be a number and a unit, for example 1m, 15m, 4h or 1d");
  return millis;
}

/** Parses the time of a flag to milliseconds. */
export function timeIn(values: Values, flag: string): Millis | undefined {
  const value = values[flag];
  if (value === undefined) return undefined;
  const at = parseTime(String(value));
  if (at === undefined)
    throw new UsageError(
      `--${flag} must be a date or time, for example 2026-01-01 or 2026-01-01T00:00:00Z, or milliseconds`,
    );
  return at;
}
