import type { Candles } from "../../../src/candles/candles.ts";
import { merge } from "../../../src/candles/merge.ts";
import { type Range, withRange } from "../../../src/candles/ranges.ts";
import { createReader } from "../../../src/candles/read.ts";
import type { JournalPage } from "../../host/candle-journal.ts";
import type { Series } from "../../host/candle-store.ts";
import { nothingKept } from "./import.ts";

/** Collects a file's candles, and the ranges that were requested. */
export function createFound({ source, pair, spanMillis }: Series) {
  const found = {
    candles: undefined as Candles | undefined,
    kept: nothingKept(source),
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
