import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type Candles, candlesOf } from "../../../src/candles/candles.ts";
import { gapsOf } from "../../../src/candles/coverage.ts";
import type { KeptWithCandles } from "../../../src/candles/file.ts";
import { merge } from "../../../src/candles/merge.ts";
import { type Range, withRange } from "../../../src/candles/ranges.ts";
import { createReader } from "../../../src/candles/read.ts";
import { spanLabel } from "../../../src/candles/span.ts";
import { CANDLE_PAGE, holesOf, windowsOf } from "../../../src/candles/windows.ts";
import { createDeps } from "../../../src/compose/deps.ts";
import { messageOf, VenueError } from "../../../src/kernel/errors.ts";
import { plainText } from "../../../src/kernel/plain-text.ts";
import { DAY, type Millis, SECOND, stampOf } from "../../../src/kernel/time.ts";
import type { Candle } from "../../../src/model/market.ts";
import type { MarketData } from "../../../src/ports/market.ts";
import { type Journal, type JournalPage, openJournal, rowOf } from "../../host/candle-journal.ts";
import {
  candleFile,
  candleFolder,
  lockCandles,
  readStored,
  type Series,
  writeStored,
} from "../../host/candle-store.ts";
import { createLog, nodeRuntime } from "../../host/node-runtime.ts";
import { numberOf, readSettings } from "../../host/settings.ts";
import type { Values } from "../../terminal/arguments.ts";
import { print } from "../../terminal/output.ts";
import { UsageError } from "../../terminal/usage-error.ts";
import { nothingKept, pairFlag, shownCoverage, spanIn, timeIn } from "./import.ts";

/** Downloads the missing candles of a time span; after any interruption, the next run continues. */
export async function downloadCandles(values: Values): Promise<number> {
  const { config, databaseUrl, sandbox } = readSettings(values, process.env);
  const [pair, spanMillis, since] = [pairFlag(values), spanIn(values), timeIn(values, "since")];
  if (since === undefined)
    throw new UsageError("--since must be a start time, for example --since 2025-01-01");
  const patience = numberOf("--patience", values.patience ?? "300", { whole: true, most: 86_400 }) * SECOND;
  const exchange = String(values.exchange ?? "");
  if (!config.exchanges.some(({ id }) => id === exchange))
    throw new UsageError(`--exchange must be one of ${config.exchanges.map(({ id }) => id).join(", ")}`);
  const deps = await createDeps(config, nodeRuntime(databaseUrl, config, createLog("error")), sandbox);
  const series: Series = { source: exchange, pair, spanMillis };
  const file = candleFile(candleFolder(databaseUrl, process.env), series);
  const unlock = lockCandles(file);
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
  try {
    const now = deps.marketTime(
      { exchange, kind: config.sandbox ? "sandbox" : "live", host: "" },
      await deps.store.now(),
    );
    const until = Math.min(timeIn(values, "until") ?? now, now);
    const requested = { from: upTo(since, spanMillis), until: downTo(until, spanMillis) };
    if (requested.from >= requested.until)
      throw new UsageError("there is no complete candle between --since and --until");
    const download = createDownload(file, series, deps.venue(exchange), {
      patience,
      signal: stopping.signal,
    });
    return print(values, await download.run(requested, now));
  } finally {
    process.off("SIGINT", stop);
    process.off("SIGTERM", stop);
    unlock();
    deps.close();
  }
}

const upTo = (at: Millis, span: Millis): Millis => Math.ceil(at / span) * span;
const downTo = (at: Millis, span: Millis): Millis => Math.floor(at / span) * span;

interface Manner {
  readonly patience: Millis;
  readonly signal: AbortSignal;
}

function createDownload(file: string, series: Series, venue: MarketData, { patience, signal }: Manner) {
  const { pair, spanMillis, source } = series;
  let candles: Candles | undefined;
  let kept: Omit<KeptWithCandles, "hash"> = nothingKept(source);
  let conflicts = 0;

  /** Adds pages to the columns. */
  function take(pages: readonly JournalPage[]): void {
    for (const { from, until, again } of pages)
      kept = {
        ...kept,
        asked: withRange(kept.asked, { from, until }),
        askedAgain: again ? withRange(kept.askedAgain, { from, until }) : kept.askedAgain,
      };
    const rows = pages.flatMap((page) => page.rows);
    if (rows.length === 0) return;
    const reader = createReader({ pair, spanMillis, skipRefused: true });
    reader.push(new TextEncoder().encode(JSON.stringify(rows)));
    const read = reader.end();
    const merged = candles ? merge(candles, read.candles) : { candles: read.candles, conflicts: 0 };
    candles = merged.candles;
    conflicts += merged.conflicts;
    kept = {
      ...kept,
      refusedRows: kept.refusedRows + read.refusedRows,
      refused: [...kept.refused, ...read.refused].slice(0, 5),
    };
  }

  /** Retries until the exchange responds, for a limited time. */
  async function ask(span: Millis, since: Millis, limit: number): Promise<readonly Candle[]> {
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
  }

  async function page({ from, until }: Range, again: boolean): Promise<JournalPage> {
    const found = await ask(spanMillis, from, Math.round((until - from) / spanMillis));
    return { from, until, again, rows: found.filter(({ at }) => at >= from && at < until).map(rowOf) };
  }

  /** Returns the day of the exchange's first candle from a time on; undefined if it has none. */
  async function listedFrom({ from, until }: Range): Promise<Millis | undefined> {
    for (let at = downTo(from, DAY); at < until; at += CANDLE_PAGE * DAY) {
      const [first] = await ask(DAY, at, CANDLE_PAGE);
      if (first) return Math.max(from, first.at);
    }
    return undefined;
  }

  /** Returns the range that can be downloaded: within the exchange's history, and after the pair was listed. */
  async function begin(requested: Range, now: Millis): Promise<Range> {
    const reach = venue.candleReach;
    const oldest = reach === undefined ? 0 : downTo(now, spanMillis) - (reach - 1) * spanMillis;
    if (oldest > requested.from)
      tell(
        `${source} has only its latest ${reach} candles, so this starts at ${stampOf(oldest)}; import files for older ones`,
      );
    const result = { from: Math.max(requested.from, oldest), until: requested.until };
    const [first] = windowsOf(kept.asked, result, spanMillis);
    if (!first || spanMillis >= DAY || result.until - first.from <= CANDLE_PAGE * spanMillis) return result;
    const listed = await listedFrom({ from: first.from, until: result.until });
    if (listed === undefined || listed <= first.from) return result;
    tell(`${source} has no candle of ${pair} before ${stampOf(listed)}`);
    kept = { ...kept, asked: withRange(kept.asked, { from: first.from, until: listed }) };
    return result;
  }

  async function askAll(windows: readonly Range[], again: boolean, journal: Journal): Promise<void> {
    const progress = createProgress(again ? "requesting missing candles again" : "candles", windows);
    const pages: JournalPage[] = [];
    for (const window of windows) {
      if (signal.aborted) break;
      const got = await page(window, again);
      journal.append(got);
      pages.push(got);
      progress.got(window, got.rows.length);
    }
    take(pages);
  }

  async function save(journal: Journal) {
    candles ??= candlesOf({ pair, spanMillis }, []);
    const coverage = await writeStored(file, candles, kept);
    journal.remove();
    return coverage;
  }

  async function run(requested: Range, now: Millis) {
    if (existsSync(file)) {
      const stored = await readStored(file);
      candles = stored.candles;
      kept = stored.head;
    }
    const journal = openJournal(`${file}.part`);
    try {
      take(journal.pages);
      const range = await begin(requested, now);
      await askAll(windowsOf(kept.asked, range, spanMillis), false, journal);
      if (!signal.aborted && candles)
        await askAll(holesOf(gapsOf(candles), kept.askedAgain, range, spanMillis), true, journal);
      const coverage = await save(journal);
      if (signal.aborted) tell("stopped; run the same command again to continue");
      const { pair: symbol } = series;
      return {
        file,
        source,
        symbol,
        span: spanLabel(spanMillis),
        ...shownCoverage(coverage),
        ...(conflicts > 0 ? { conflicts } : {}),
      };
    } catch (error) {
      if (signal.aborted)
        throw new Error("stopped; run the same command again to continue", { cause: error });
      throw new Error(
        `${messageOf(error)}; downloaded candles are stored, run the same command again to continue`,
        {
          cause: error,
        },
      );
    } finally {
      journal.close();
    }
  }

  return { run };
}

const PASSING: readonly string[] = ["unavailable", "rate_limited", "too_many"];

const tell = (text: string): void => void process.stderr.write(`${text}\n`);

const BETWEEN_LINES: Millis = 2 * SECOND;

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
      if (now - describedAt < BETWEEN_LINES) return;
      describedAt = now;
      const seconds = (now - began) / SECOND;
      const left = Math.ceil((seconds * (whole - done)) / done);
      tell(
        `${what}: ${rows} until ${stampOf(window.until)}, ${Math.round((100 * done) / whole)} %, ${Math.round(rows / seconds)} rows/s, ${Math.floor(left / 60)} min ${left % 60} s left`,
      );
    },
  };
}
