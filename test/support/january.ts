import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import type { Candles } from "../../src/candles/candles.ts";
import { createReader } from "../../src/candles/read.ts";
import type { Pair } from "../../src/kernel/pair.ts";

const here = (name: string): string =>
  fileURLToPath(new URL(`../../../shared/data/${name}`, import.meta.url));

/** Candles of a file of ../shared/data; undefined, and said, where it is not there. */
export function sharedCandles(name: string, pair: Pair): Candles | undefined {
  if (!existsSync(here(name))) {
    console.warn(`skipped: ${name} is not here (../shared/data)`);
    return undefined;
  }
  const reader = createReader({ pair });
  reader.push(gunzipSync(readFileSync(here(name))));
  return reader.end().candles;
}

/** 45,031 real minutes of January 2022. */
export const january = (): Candles | undefined => sharedCandles("btc-usd-2022-01-1m.csv.gz", "BTC/USDT");
