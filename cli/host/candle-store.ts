/** Stored candles: one file of columns for each source, pair and span, in a folder beside the database. */

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
import type { Candles } from "../../src/candles/candles.ts";
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

/** `edgemaker.candles` beside `edgemaker.db`; of a server's database in the data directory. */
export function candleFolder(databaseUrl: string, env: NodeJS.ProcessEnv): string {
  const database = databaseFile(databaseUrl) ?? join(dataDirectory(env), "edgemaker.db");
  return join(dirname(database), `${basename(database).replace(/\.[^.]*$/, "")}.candles`);
}

export const candleFile = (folder: string, { source, pair, spanMillis }: Series): string =>
  join(folder, `${source}-${pair.replace("/", "-")}-${spanLabel(spanMillis)}${ENDING}`);

/** Whether a file is one of stored candles, by how it begins. */
export function isStored(file: string): boolean {
  const opened = openSync(file, "r");
  try {
    const bytes = new Uint8Array(8);
    return isCandleFile(bytes.subarray(0, readSync(opened, bytes)));
  } finally {
    closeSync(opened);
  }
}

/** At once and where the bytes are: the other way of Node copies them first. */
const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** Whole, with the hash that it was written with. Throws naming the file and what to do. */
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

/** The heads of all of a folder, in the order of their names. */
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

/** Those that hold what is asked for from its beginning on; whoever names no beginning wants the exchange's newest. */
export const keptCandles = (databaseUrl: string, env: NodeJS.ProcessEnv): CandleReader => ({
  async candles({ exchange, symbol, span, since }) {
    if (since === undefined) return undefined;
    const series = { source: exchange, pair: symbol, spanMillis: span };
    const file = candleFile(candleFolder(databaseUrl, env), series);
    if (!existsSync(file)) return undefined;
    const { candles, head } = await readStored(file);
    const begins = Math.min(candles.times[0] ?? Number.POSITIVE_INFINITY, head.asked[0]?.from ?? Infinity);
    return begins <= since ? candles : undefined;
  },
});

/** Writes under another name first: whoever reads, and whatever ends this, finds the old file or the new one, whole. */
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

/** One process at a time works on a file. The lock of a process that is gone is nobody's. */
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
    if (owner > 0 && isAlive(owner))
      throw new Error(`process ${owner} uses ${file}; wait for it, or stop it`);
    rmSync(lock, { force: true });
  }
}
