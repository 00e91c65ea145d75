/**
 * Journal of a download, one line per response: after any interruption, the complete lines remain, and the next run
 * begins with them.
 */
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
import type { Range } from "../../src/candles/ranges.ts";
import { text } from "../../src/kernel/decimal.ts";
import type { Candle } from "../../src/model/market.ts";

type JournalRow = readonly [
  at: number,
  open: string,
  high: string,
  low: string,
  close: string,
  volume: string,
];

export interface JournalPage extends Range {
  /** Whether it is a second request for missing candles. */
  readonly again: boolean;
  readonly rows: readonly JournalRow[];
}

export interface Journal {
  /** Pages of earlier runs. */
  readonly pages: readonly JournalPage[];
  append(page: JournalPage): void;
  close(): void;
  remove(): void;
}

export const rowOf = ({ at, open, high, low, close, volume }: Candle): JournalRow => [
  at,
  text(open),
  text(high),
  text(low),
  text(close),
  text(volume),
];

export function openJournal(file: string): Journal {
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
