import {
  closeSync,
  existsSync,
  fdatasyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type Candles, candlesOf } from "../../src/candles/candles.ts";
import { spanLabel } from "../../src/candles/file.ts";
import { merge } from "../../src/candles/merge.ts";
import { createReader, gapsOf } from "../../src/candles/read.ts";
import { CANDLE_PAGE, holesOf, type Range, windowsOf, withRange } from "../../src/candles/windows.ts";
import { text } from "../../src/kernel/decimal.ts";
import { messageOf, VenueError } from "../../src/kernel/errors.ts";
import type { Pair } from "../../src/kernel/pair.ts";
import { plainText } from "../../src/kernel/plain-text.ts";
import { DAY, MINUTE, type Millis, SECOND, stampOf } from "../../src/kernel/time.ts";
import type { Candle, Whole } from "../../src/model/market.ts";
import type { MarketData } from "../../src/ports/venue.ts";
import {
  candleFile,
  candleFolder,
  lockCandles,
  readStored,
  type Series,
  writeStored,
} from "../host/candle-sources.ts";
import { onEndSignal } from "../host/end-signals.ts";
import { readSettings, wholeFlag } from "../host/settings.ts";
import { UsageError, type Values } from "../terminal/arguments.ts";
import { print } from "../terminal/output.ts";
import { openDeps } from "./open-database.ts";
import { INTERRUPTED } from "./report-on-interrupt.ts";
import { noFileExtras, pairFlag, shownCoverage, spanIn, timeIn } from "./stored-candles.ts";

/** Downloads the missing candles of a time span; after any interruption, the next run continues. */
export async function downloadCandles(values: Values): Promise<number> {
  const settings = readSettings(values, process.env);
  const { config, databaseUrl } = settings;
  const [pair, spanMillis, since] = [pairFlag(values), spanIn(values), timeIn(values, "since")];
  if (since === undefined)
    throw new UsageError("--since must be a start time, for example --since 2025-01-01");
  const patience = wholeFlag(values, "patience", { default: 300, max: 86_400 }) * SECOND;
  const exchange = String(values.exchange ?? "");
  if (!config.exchanges.some(({ id }) => id === exchange))
    throw new UsageError(`--exchange must be one of ${config.exchanges.map(({ id }) => id).join(", ")}`);
  const deps = await openDeps(settings);
  const series: Series = { source: exchange, pair, spanMillis };
  const file = candleFile(candleFolder(databaseUrl, process.env), series);
  const unlock = lockCandles(file);
  const stopping = new AbortController();
  const forget = onEndSignal(() => stopping.abort());
  try {
    const now = deps.marketTime(
      { exchange, kind: config.sandbox ? "sandbox" : "live", host: "" },
      await deps.store.now(),
    );
    const until = Math.min(timeIn(values, "until") ?? now, now - SETTLED_AFTER);
    const requested = { from: Math.ceil(since / spanMillis) * spanMillis, until: downTo(until, spanMillis) };
    if (requested.from >= requested.until)
      throw new UsageError(
        "there is no complete candle between --since and --until that ended at least a minute ago",
      );
    const { signal } = stopping;
    const ask = patientRead(deps.venue(exchange), pair, { patience, signal });
    const download = { file, series, venue: deps.venue(exchange), signal, ask, found: createFound(series) };
    return exitCodeOf(values, await runDownload(download, requested, now), signal);
  } finally {
    forget();
    unlock();
    deps.close();
  }
}

/** Prints what is stored, and whether the download was stopped. */
function exitCodeOf(values: Values, stored: object | undefined, { aborted }: AbortSignal): number {
  if (stored) print(values, stored);
  if (!aborted) return 0;
  tell("stopped; run the same command again to continue");
  return INTERRUPTED;
}

/** Age at which a candle is final: the exchange's clock can be behind this machine's, and its newest trades late. */
const SETTLED_AFTER = MINUTE;

const downTo = (at: Millis, span: Millis): Millis => Math.floor(at / span) * span;

type AskCandles = (span: Millis, since: Millis, limit: number) => Promise<readonly Candle[]>;

interface Download {
  readonly file: string;
  readonly series: Series;
  readonly venue: MarketData;
  readonly signal: AbortSignal;
  readonly ask: AskCandles;
  readonly found: ReturnType<typeof createFound>;
}

/** Retries until the exchange responds, for a limited time. */
function patientRead(
  venue: MarketData,
  pair: Pair,
  { patience, signal }: { readonly patience: Millis; readonly signal: AbortSignal },
): AskCandles {
  return async (span, since, limit) => {
    const failingSince = performance.now();
    for (let wait = SECOND / 2; ; wait = Math.min(2 * wait, 30 * SECOND)) {
      try {
        return await venue.candles(pair, { span, since, limit });
      } catch (error) {
        const isPassing = error instanceof VenueError && PASSING.includes(error.failure);
        if (!isPassing || performance.now() - failingSince + wait > patience) throw error;
        const pause = Math.max(wait, (error.retryAfterSeconds ?? 0) * SECOND);
        tell(`${plainText(messageOf(error))}; retrying in ${Math.ceil(pause / SECOND)} s`);
        await sleep(pause, undefined, { signal });
      }
    }
  };
}

/** Returns the day of the exchange's first candle from a time on; undefined if it has none. */
async function listedFrom(ask: AskCandles, { from, until }: Range): Promise<Millis | undefined> {
  for (let at = downTo(from, DAY); at < until; at += CANDLE_PAGE * DAY) {
    const [first] = await ask(DAY, at, CANDLE_PAGE);
    if (first) return Math.max(from, first.at);
  }
  return undefined;
}

/** Returns the range that can be downloaded: within the exchange's history, and after the pair was listed. */
async function reachable(
  { series, venue, ask, found }: Download,
  requested: Range,
  now: Millis,
): Promise<Range> {
  const { pair, spanMillis, source } = series;
  const reach = venue.candleReach;
  const oldest = reach === undefined ? 0 : downTo(now, spanMillis) - (reach - 1) * spanMillis;
  if (oldest > requested.from)
    tell(
      `${source} has only its latest ${reach} candles, so this starts at ${stampOf(oldest)}; import files for older ones`,
    );
  const result = { from: Math.max(requested.from, oldest), until: requested.until };
  const [first] = windowsOf(found.kept.asked, result, spanMillis);
  if (!first || spanMillis >= DAY || result.until - first.from <= CANDLE_PAGE * spanMillis) return result;
  const listed = await listedFrom(ask, { from: first.from, until: result.until });
  if (listed === undefined || listed <= first.from) return result;
  tell(`${source} has no candle of ${pair} before ${stampOf(listed)}`);
  found.addRequested({ from: first.from, until: listed }, false);
  return result;
}

async function downloadAll(
  { series: { spanMillis }, signal, ask, found }: Download,
  windows: readonly Range[],
  { again, journal }: { readonly again: boolean; readonly journal: Journal },
): Promise<void> {
  const progress = createProgress(again ? "requesting missing candles again" : "candles", windows);
  const pages: JournalPage[] = [];
  for (const window of windows) {
    if (signal.aborted) break;
    const { from, until } = window;
    const candles = await ask(spanMillis, from, Math.round((until - from) / spanMillis));
    // A candle without its volume counts as missing.
    const rows = candles.flatMap(({ volume, ...candle }) =>
      candle.at >= from && candle.at < until && volume !== null ? [rowOf({ ...candle, volume })] : [],
    );
    const page = { from, until, again, rows };
    journal.append(page);
    pages.push(page);
    progress.got(window, rows.length);
  }
  found.take(pages);
}

/** Downloads, and stores the result; undefined if it was stopped while the exchange failed. */
async function runDownload(download: Download, requested: Range, now: Millis) {
  const { file, series, signal, found } = download;
  const { source, pair: symbol, spanMillis } = series;
  if (existsSync(file)) {
    const { candles, head } = await readStored(file);
    Object.assign(found, { candles, kept: head });
  }
  const journal = openJournal(`${file}.part`);
  try {
    found.take(journal.pages);
    const range = await reachable(download, requested, now);
    await downloadAll(download, windowsOf(found.kept.asked, range, spanMillis), { again: false, journal });
    if (!signal.aborted && found.candles) {
      const holes = holesOf(gapsOf(found.candles), found.kept.askedAgain, range, spanMillis);
      await downloadAll(download, holes, { again: true, journal });
    }
    const coverage = await writeStored(file, found.candles ?? candlesOf(series, []), found.kept);
    journal.remove();
    const { conflicts } = found;
    const shown = { ...shownCoverage(coverage), ...(conflicts > 0 ? { conflicts } : {}) };
    return { file, source, symbol, span: spanLabel(spanMillis), ...shown };
  } catch (error) {
    // Stopped while it waited for the exchange.
    if (signal.aborted && error instanceof Error && error.name === "AbortError") return undefined;
    const failed = `${messageOf(error)}; downloaded candles are stored, run the same command again to continue`;
    throw new Error(failed, { cause: error });
  } finally {
    journal.close();
  }
}

const PASSING: readonly string[] = ["unavailable", "rate_limited", "too_many"];

const tell = (text: string): void => void process.stderr.write(`${text}\n`);

const LINE_INTERVAL_MS: Millis = 2 * SECOND;

/** Prints progress, speed and remaining time to stderr. */
function createProgress(what: string, windows: readonly Range[]) {
  const lengthOf = ({ from, until }: Range) => until - from;
  const whole = windows.reduce((total, window) => total + lengthOf(window), 0);
  const began = performance.now();
  let [done, rows, describedAt] = [0, 0, began];
  return {
    got(window: Range, count: number): void {
      done += lengthOf(window);
      rows += count;
      const now = performance.now();
      if (now - describedAt < LINE_INTERVAL_MS) return;
      describedAt = now;
      const seconds = (now - began) / SECOND;
      const left = Math.ceil((seconds * (whole - done)) / done);
      tell(
        `${what}: ${rows} until ${stampOf(window.until)}, ${Math.round((100 * done) / whole)} %, ${Math.round(rows / seconds)} rows/s, ${Math.floor(left / 60)} min ${left % 60} s left`,
      );
    },
  };
}

/**
 * Journal of a download, one line per response: after any interruption, the complete lines remain, and the next run
 * begins with them.
 */
type JournalRow = readonly [
  at: number,
  open: string,
  high: string,
  low: string,
  close: string,
  volume: string,
];

interface JournalPage extends Range {
  /** Whether it is a second request for missing candles. */
  readonly again: boolean;
  readonly rows: readonly JournalRow[];
}

interface Journal {
  /** Pages of earlier runs. */
  readonly pages: readonly JournalPage[];
  append(page: JournalPage): void;
  close(): void;
  remove(): void;
}

const rowOf = ({ at, open, high, low, close, volume }: Whole<Candle>): JournalRow => [
  at,
  text(open),
  text(high),
  text(low),
  text(close),
  text(volume),
];

function openJournal(file: string): Journal {
  const found = existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
  // The rest after the last line end was being written when its process ended.
  const end = found.lastIndexOf("\n") + 1;
  const lines = found.subarray(0, end).toString("utf8").split("\n").filter(Boolean);
  const opened = openSync(file, existsSync(file) ? "r+" : "w+", 0o600);
  ftruncateSync(opened, end);
  let at = end;
  return {
    pages: lines.map((line) => JSON.parse(line) as JournalPage),
    append(page) {
      const bytes = new TextEncoder().encode(`${JSON.stringify(page)}\n`);
      for (let done = 0; done < bytes.length; )
        done += writeSync(opened, bytes, done, bytes.length - done, at + done);
      fdatasyncSync(opened);
      at += bytes.length;
    },
    close: () => closeSync(opened),
    remove: () => rmSync(file, { force: true }),
  };
}

/** Collects a file's candles, and the ranges that were requested. */
function createFound({ source, pair, spanMillis }: Series) {
  const found = {
    candles: undefined as Candles | undefined,
    kept: noFileExtras(source),
    conflicts: 0,

    addRequested(range: Range, again: boolean): void {
      const { kept } = found;
      found.kept = {
        ...kept,
        asked: withRange(kept.asked, range),
        askedAgain: again ? withRange(kept.askedAgain, range) : kept.askedAgain,
      };
    },

    /** Adds pages to the columns. */
    take(pages: readonly JournalPage[]): void {
      for (const { from, until, again } of pages) found.addRequested({ from, until }, again);
      const rows = pages.flatMap((page) => page.rows);
      if (rows.length === 0) return;
      const reader = createReader({ pair, spanMillis, skipRefused: true, mayBeEmpty: true });
      reader.push(new TextEncoder().encode(JSON.stringify(rows)));
      const read = reader.end();
      const { candles, kept } = found;
      const merged = candles ? merge(candles, read.candles) : { candles: read.candles, conflicts: 0 };
      found.candles = merged.candles;
      found.conflicts += merged.conflicts;
      found.kept = {
        ...kept,
        refusedRows: kept.refusedRows + read.refusedRows,
        refused: [...kept.refused, ...read.refused].slice(0, 5),
      };
    },
  };
  return found;
}
