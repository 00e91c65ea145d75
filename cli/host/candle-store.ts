/** Stored candles: one file of columns for each source, pair and span, in a folder next to the database. */

import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Candles, indexAt } from "../../src/candles/candles.ts";
import { type Coverage, coverageOf } from "../../src/candles/coverage.ts";
import {
  decodeCandles,
  encodeCandles,
  type Head,
  isCandleFile,
  type KeptWithCandles,
  readHead,
} from "../../src/candles/file.ts";
import { hashAsIs, hashOf } from "../../src/candles/hash.ts";
import { spanLabel } from "../../src/candles/span.ts";
import { messageOf } from "../../src/kernel/errors.ts";
import type { Pair } from "../../src/kernel/pair.ts";
import type { Millis } from "../../src/kernel/time.ts";
import type { CandleReader } from "../../src/ports/candles.ts";
import { dataDirectory } from "./directories.ts";
import { databaseFile } from "./locations.ts";
import { isAlive } from "./process/is-alive.ts";

const ENDING = ".candles";

export interface Series {
  readonly source: string;
  readonly pair: Pair;
  readonly spanMillis: number;
}

export interface StoredCandles {
  readonly candles: Candles;
  readonly head: Head;
}

/** Returns the folder: `edgemaker.candles` next to `edgemaker.db`; for a remote database, in the data directory. */
export function candleFolder(databaseUrl: string, env: NodeJS.ProcessEnv): string {
  const database = databaseFile(databaseUrl) ?? join(dataDirectory(env), "edgemaker.db");
  return join(dirname(database), `${basename(database).replace(/\.[^.]*$/, "")}.candles`);
}

export const candleFile = (folder: string, { source, pair, spanMillis }: Series): string =>
  join(folder, `${source}-${pair.replace("/", "-")}-${spanLabel(spanMillis)}${ENDING}`);

/** Returns whether a file contains stored candles, by its beginning. */
export function isStored(file: string): boolean {
  const opened = openSync(file, "r");
  try {
    const bytes = new Uint8Array(8);
    return isCandleFile(bytes.subarray(0, readSync(opened, bytes)));
  } finally {
    closeSync(opened);
  }
}

/** Returns SHA-256 without copying the bytes first, as Node's other API does. */
const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** Reads a complete file and checks its hash. Throws with the file's name and what to do. */
export async function readStored(file: string): Promise<StoredCandles> {
  const stored = about(file, () => {
    const { buffer, byteOffset, byteLength } = readFileSync(file);
    const isAligned = byteOffset % 8 === 0;
    const bytes = new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);
    return decodeCandles(isAligned ? bytes : bytes.slice());
  });
  if ((await hashAsIs(stored.candles, sha256)) !== stored.head.hash)
    throw new Error(`${file} is damaged; remove it, then download or import it again`);
  return stored;
}

/** Returns the heads of all files in a folder, ordered by name. */
export const listStored = (folder: string): { file: string; head: Head }[] =>
  !existsSync(folder)
    ? []
    : readdirSync(folder)
        .filter((name) => name.endsWith(ENDING))
        .sort()
        .map((name) => ({ file: join(folder, name), head: headOf(join(folder, name)) }));

const LONGEST_HEAD = 1 << 20;

function headOf(file: string): Head {
  return about(file, () => {
    const opened = openSync(file, "r");
    try {
      const bytes = new Uint8Array(LONGEST_HEAD);
      return readHead(bytes.subarray(0, readSync(opened, bytes, 0, LONGEST_HEAD, 0)));
    } finally {
      closeSync(opened);
    }
  });
}

function about<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new Error(`${file}: ${messageOf(error)}`, { cause: error });
  }
}

/**
 * Returns stored candles that cover the start of the requested range; without a start, the newest ones are needed from
 * the exchange.
 */
export const keptCandles = (databaseUrl: string, env: NodeJS.ProcessEnv): CandleReader => ({
  async candles({ exchange, symbol, span, since }) {
    if (since === undefined) return undefined;
    const series = { source: exchange, pair: symbol, spanMillis: span };
    const file = candleFile(candleFolder(databaseUrl, env), series);
    if (!existsSync(file)) return undefined;
    const { candles, head } = await readStored(file);
    return covers({ candles, head }, since) ? candles : undefined;
  },
});

/** Returns whether stored candles cover a time: a bar contains it, or it was requested and the source has none. */
function covers({ candles, head: { asked: requests } }: StoredCandles, since: Millis): boolean {
  if (requests.some(({ from, until }) => from <= since && since < until)) return true;
  const next = indexAt(candles, since);
  const [before, after] = [candles.times[next - 1], candles.times[next]];
  if (after === since || (before !== undefined && since < before + candles.spanMillis)) return true;
  // Whether the source has more than an imported file is unknown.
  return requests.length === 0 && before !== undefined && after !== undefined;
}

/** Writes under a temporary name first, so readers and interruptions find the old or the new file, complete. */
export async function writeStored(
  file: string,
  candles: Candles,
  kept: Omit<KeptWithCandles, "hash">,
): Promise<Coverage> {
  const hash = await hashOf(candles);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const partial = `${file}.writing-${process.pid}`;
  try {
    const opened = openSync(partial, "w", 0o600);
    for (const part of encodeCandles(candles, { ...kept, hash })) writeAll(opened, part);
    fsyncSync(opened);
    closeSync(opened);
    renameSync(partial, file);
  } finally {
    rmSync(partial, { force: true });
  }
  return coverageOf(candles, { ...kept, hash });
}

function writeAll(opened: number, part: Uint8Array): void {
  for (let at = 0; at < part.length; ) at += writeSync(opened, part, at);
}

/**
 * Locks a file for one process; the lock of a process that has ended is void. In a container, the next process has the
 * same id.
 */
export function lockCandles(file: string): () => void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const lock = `${file}.lock`;
  for (;;) {
    try {
      const opened = openSync(lock, "wx", 0o600);
      writeSync(opened, String(process.pid));
      closeSync(opened);
      return () => rmSync(lock, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const owner = Number(existsSync(lock) ? readFileSync(lock, "utf8") : 0);
    if (owner > 0 && owner !== process.pid && isAlive(owner))
      throw new Error(
        `process ${owner} uses ${file}; wait for it, or stop it. If it is another program, remove ${lock}`,
      );
    rmSync(lock, { force: true });
  }
}
