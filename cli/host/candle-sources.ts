/** Reads candle files of other programs, compressed or not, and stored ones by path. */
import { createHash } from "node:crypto";
import {
  closeSync,
  createReadStream,
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
import { type FileHandle, open } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { crc32, createGunzip, createInflateRaw, type Gunzip, type InflateRaw } from "node:zlib";
import { type Candles, indexAt } from "../../src/candles/candles.ts";
import {
  type CandleFileExtras,
  decodeCandles,
  encodeCandles,
  type Head,
  isCandleFile,
  readHead,
  spanLabel,
} from "../../src/candles/file.ts";
import { hashAsIs, hashOf } from "../../src/candles/hash.ts";
import {
  type CountedRows,
  type Coverage,
  coverageOf,
  createReader,
  type Reading,
  type ReadOptions,
} from "../../src/candles/read.ts";
import { hashTape, type TapeFile } from "../../src/candles/tape.ts";
import { createTapeReader, isOfObjects, isTape, type TapeOptions } from "../../src/candles/tape-reader.ts";
import { messageOf } from "../../src/kernel/errors.ts";
import type { Pair } from "../../src/kernel/pair.ts";
import type { Millis } from "../../src/kernel/time.ts";
import type { CandleFile, CandleReader } from "../../src/ports/venue.ts";
import type { Values } from "../terminal/arguments.ts";
import { databaseFile, dataDirectory } from "./directories.ts";
import { isAlive } from "./process/node-local.ts";

/** How the flags of a command read a file. */
export type ReadFlags = Pick<ReadOptions, "skipRefused" | "volumeColumn">;

export const readFlags = ({ "skip-refused": skip, "volume-column": column }: Values): ReadFlags => ({
  skipRefused: skip === true,
  volumeColumn: column === undefined ? undefined : String(column),
});

interface NamedFile extends CountedRows {
  readonly candles: Candles;
  /** Hash stored with it. */
  readonly hash?: string;
}

/** Reads candles of a file: stored columns, a table or a JSON file, compressed or not. Throws with the file's name. */
export async function readCandleFile(file: string, pair: Pair, flags: ReadFlags = {}): Promise<NamedFile> {
  if (!existsSync(file)) throw new Error(`there is no file ${file}`);
  if (!isStored(file)) return readCandleSource(file, { pair, ...flags });
  const { candles, head } = await readStored(file);
  if (candles.pair !== pair)
    throw new RangeError(`${file}: it has candles of ${candles.pair}, not of ${pair}`);
  if (candles.times.length === 0) throw new RangeError(`${file}: it has no candles`);
  return { ...head, candles };
}

/** Does the same and returns the coverage, which needs a hash of all bars. */
export async function readCoveredFile(file: string, pair: Pair): Promise<CandleFile> {
  const { candles, ...read } = await readCandleFile(file, pair);
  return { candles, coverage: coverageOf(candles, { ...read, hash: read.hash ?? (await hashOf(candles)) }) };
}

/** Part of a file's content, and the number of the file's bytes read so far. */
interface FilePart {
  readonly bytes: Uint8Array;
  readonly behind: number;
}

/** A caller that waits for a file: it gets the number of read bytes, and can end the read. */
interface WaitingReader {
  readonly hear: (bytes: number) => void;
  readonly isEnough: () => boolean;
}

/** Reads candles from a table or JSON file, also in gzip or zip, and checks a `.CHECKSUM` file next to it. */
export async function readCandleSource(
  file: string,
  options: ReadOptions,
  waiting?: WaitingReader,
): Promise<Reading> {
  return readThrough(file, createReader({ now: Date.now(), ...options }), waiting);
}

async function beginsAs(file: string, is: (beginning: Uint8Array) => boolean): Promise<boolean> {
  if (!existsSync(file) || isStored(file)) return false;
  for await (const { bytes } of filePartsOf(file)) return is(bytes);
  return false;
}

/** Maximum compression ratio: minutes at one price, the most compressible data, expand to 15 times their size. */
const MAX_COMPRESSION_RATIO = 50;
/** Small files can expand by any ratio up to this size. */
const MIN_CHECKED_UNPACKED_BYTES = 1 << 24;

// Signatures and offsets are those of PKWARE's APPNOTE.TXT 6.3: 4.3.7, 4.3.12 and 4.3.16.
const [LOCAL, ENTRY, END] = ["PK\x03\x04", "PK\x01\x02", "PK\x05\x06"] as const;
const [LOCAL_SIZE, ENTRY_SIZE, END_SIZE] = [30, 46, 22] as const;
const [STORED, DEFLATED] = [0, 8] as const;
const LARGE = 0xffffffff;
/** A comment after the directory has at most 64 KiB. */
const MAX_ZIP_TAIL_BYTES = 1 << 20;

const begins = (bytes: Buffer, at: number, signature: string): boolean =>
  bytes.toString("latin1", at, at + signature.length) === signature;

/** Returns whether a file contains trades, or books and trades, by its beginning. */
export const isTapeFile = (file: string): Promise<boolean> => beginsAs(file, isTape);
/** Returns whether it can only be used trade by trade. */
export const isRecordingFile = (file: string): Promise<boolean> => beginsAs(file, isOfObjects);

/** Reads trades, and books between them, from a table or JSON file, compressed or not. Throws with the file's name. */
export async function readTapeFile(file: string, options: TapeOptions): Promise<TapeFile> {
  const reading = await readThrough(file, createTapeReader({ now: Date.now(), ...options }));
  return { ...reading, hash: await hashTape(reading.tape) };
}

interface PartReader<T> {
  readonly push: (part: Uint8Array) => void;
  readonly end: () => T;
}

async function readThrough<T>(file: string, reader: PartReader<T>, waiting?: WaitingReader): Promise<T> {
  if (!existsSync(file)) throw new Error(`there is no file ${file}`);
  try {
    await checkSum(file);
    let isFirst = true;
    for await (const { bytes, behind } of filePartsOf(file)) {
      if (isFirst) requireTable(bytes);
      isFirst = false;
      if (waiting?.isEnough()) throw new Error("it could not be read completely");
      reader.push(bytes);
      waiting?.hear(behind);
    }
    return reader.end();
  } catch (error) {
    throw new Error(`${file}: ${messageOf(error)}`, { cause: error });
  }
}

/** First bytes of files that are no tables, and what to do with them. */
const OTHER_FORMATS: readonly (readonly [signature: string, name: string, remedy: string])[] = [
  ["ARROW1", "an Arrow (Feather) file", "convert it to CSV"],
  ["FEA1", "a Feather file", "convert it to CSV"],
  ["PAR1", "a Parquet file", "convert it to CSV"],
  ["\x89HDF", "an HDF5 file", "convert it to CSV"],
  ["EMCANDLE", "a file of stored candles", "use it with --data"],
  ["BZh", "a bzip2 archive", "unpack it first"],
  ["\xFD7zXZ", "an xz archive", "unpack it first"],
  ["(\xB5/\xFD", "a Zstandard archive", "unpack it first"],
  ["7z\xBC\xAF", "a 7z archive", "unpack it first"],
  [LOCAL, "a zip archive within an archive", "unpack it first"],
  ["\x1F\x8B", "a gzip archive within an archive", "unpack it first"],
  ["\xFF\xFE", "UTF-16 text", "save it as UTF-8"],
  ["\xFE\xFF", "UTF-16 text", "save it as UTF-8"],
];

/** Throws RangeError for a file that is no text, or a web page, by its first bytes. */
function requireTable(bytes: Uint8Array): void {
  const beginning = Buffer.from(bytes.subarray(0, MAX_SIGNATURE_BYTES)).toString("latin1");
  const [, name, remedy] = OTHER_FORMATS.find(([signature]) => beginning.startsWith(signature)) ?? [];
  if (name) throw new RangeError(`it is ${name}; ${remedy}`);
  if (/^(\xEF\xBB\xBF)?\s*</.test(beginning))
    throw new RangeError("it is a web page (HTML or XML), not a table; download the file that it links to");
}

const MAX_SIGNATURE_BYTES = 64;

/** Checks the `<sha256> <name>` file that Binance publishes with each archive. */
async function checkSum(file: string): Promise<void> {
  const beside = `${file}.CHECKSUM`;
  if (!existsSync(beside)) return;
  const [expected = "", name] = readFileSync(beside, "utf8").trim().split(/\s+/);
  if (name !== undefined && basename(name.replace(/^\*/, "")) !== basename(file))
    throw new RangeError(`${basename(beside)} is of ${name}`);
  const hash = createHash("sha256");
  for await (const part of createReadStream(file)) hash.update(part);
  if (hash.digest("hex") !== expected.toLowerCase())
    throw new RangeError(`its SHA-256 does not match ${basename(beside)}; download it again`);
}

async function* filePartsOf(file: string): AsyncGenerator<FilePart> {
  const handle = await open(file, "r");
  try {
    const start = await bytesAt(handle, 0, 4);
    if (begins(start, 0, LOCAL)) yield* unzipped(file, handle);
    else if (start[0] === 0x1f && start[1] === 0x8b) yield* whole(createReadStream(file), createGunzip());
    else yield* plain(handle);
  } finally {
    await handle.close();
  }
}

/** Reads `size` bytes from `start` on, all into the same memory: garbage of a large file would double what it needs. */
async function* plain(
  handle: FileHandle,
  start = 0,
  size = Number.POSITIVE_INFINITY,
): AsyncGenerator<FilePart> {
  const memory = new Uint8Array(1 << 16);
  for (let behind = 0; behind < size; ) {
    const room = Math.min(memory.length, size - behind);
    const { bytesRead } = await handle.read(memory, 0, room, start + behind);
    if (bytesRead === 0) return;
    behind += bytesRead;
    yield { bytes: memory.subarray(0, bytesRead), behind };
  }
}

/** Pipes one stream through another, and throws the failure of either. */
async function* whole(from: Readable, through: Gunzip | InflateRaw): AsyncGenerator<FilePart> {
  from.on("error", (error) => through.destroy(error));
  from.pipe(through);
  let unpacked = 0;
  for await (const bytes of through) {
    unpacked += bytes.length;
    const behind = through.bytesWritten;
    if (unpacked > MIN_CHECKED_UNPACKED_BYTES && unpacked > MAX_COMPRESSION_RATIO * behind)
      throw new RangeError(
        `it unpacks to more than ${MAX_COMPRESSION_RATIO} times its size: it holds no candles`,
      );
    yield { bytes, behind };
  }
}

/** Reads the only file in a zip archive, and checks its CRC-32. */
async function* unzipped(file: string, handle: FileHandle): AsyncGenerator<FilePart> {
  const { name, isDeflated, crc, packedSize, start } = await onlyEntry(handle);
  if (packedSize === 0) return;
  const parts = isDeflated
    ? whole(createReadStream(file, { start, end: start + packedSize - 1 }), createInflateRaw())
    : plain(handle, start, packedSize);
  let check = 0;
  for await (const part of parts) {
    check = crc32(part.bytes, check);
    yield part;
  }
  if (check !== crc) throw new RangeError(`${name} in the archive is damaged: download it again`);
}

/** Stored candles: one file of columns for each source, pair and span, in a folder next to the database. */
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
function isStored(file: string): boolean {
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

const MAX_FILE_HEAD_BYTES = 1 << 20;

/** Returns the heads of all files in a folder, ordered by name. */
export const listStored = (folder: string): { file: string; head: Head }[] =>
  !existsSync(folder)
    ? []
    : readdirSync(folder)
        .filter((name) => name.endsWith(ENDING))
        .sort()
        .map((name) => ({ file: join(folder, name), head: headOf(join(folder, name)) }));

function headOf(file: string): Head {
  return about(file, () => {
    const opened = openSync(file, "r");
    try {
      const bytes = new Uint8Array(MAX_FILE_HEAD_BYTES);
      return readHead(bytes.subarray(0, readSync(opened, bytes, 0, MAX_FILE_HEAD_BYTES, 0)));
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
  kept: Omit<CandleFileExtras, "hash">,
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

/** The only file in a zip archive. `crc` is the CRC-32 of its content, `start` the offset of its compressed bytes. */
interface ZipEntry {
  readonly name: string;
  readonly isDeflated: boolean;
  readonly crc: number;
  readonly packedSize: number;
  readonly start: number;
}

/** Finds the only file of an archive. Throws RangeError if there are several, or if it cannot be decompressed. */
async function onlyEntry(handle: FileHandle): Promise<ZipEntry> {
  const { size } = await handle.stat();
  const length = Math.min(size, MAX_ZIP_TAIL_BYTES);
  const entries = entriesIn(await bytesAt(handle, size - length, length));
  const [entry] = entries;
  if (!entry || entries.length > 1)
    throw new RangeError(`the archive has ${entries.length} files; unpack it and import each file`);
  const { name, flags, method, offset, ...sizes } = entry;
  if ((flags & 1) === 1) throw new RangeError(`${name} is encrypted`);
  if (method !== STORED && method !== DEFLATED)
    throw new RangeError(`${name} uses an unsupported compression`);
  if (offset === LARGE || sizes.packedSize === LARGE) throw new RangeError(`${name} is larger than 4 GiB`);
  const local = await bytesAt(handle, offset, LOCAL_SIZE);
  if (!begins(local, 0, LOCAL)) throw new RangeError("the archive is damaged");
  const start = offset + LOCAL_SIZE + local.readUInt16LE(26) + local.readUInt16LE(28);
  return { name, isDeflated: method === DEFLATED, start, ...sizes };
}

/** Returns the files in the directory at the end of an archive. */
function entriesIn(tail: Buffer) {
  const end = tail.lastIndexOf(END, tail.length - END_SIZE, "latin1");
  if (end < 0) throw new RangeError("the archive is incomplete: it has no directory");
  const entries = [];
  for (let at = end - tail.readUInt32LE(end + 12); at < end; ) {
    if (at < 0 || !begins(tail, at, ENTRY)) throw new RangeError("the archive's directory is damaged");
    const nameEnd = at + ENTRY_SIZE + tail.readUInt16LE(at + 28);
    entries.push({
      name: tail.toString("utf8", at + ENTRY_SIZE, nameEnd),
      flags: tail.readUInt16LE(at + 8),
      method: tail.readUInt16LE(at + 10),
      crc: tail.readUInt32LE(at + 16),
      packedSize: tail.readUInt32LE(at + 20),
      offset: tail.readUInt32LE(at + 42),
    });
    at = nameEnd + tail.readUInt16LE(at + 30) + tail.readUInt16LE(at + 32);
  }
  return entries.filter(({ name }) => !name.endsWith("/"));
}

async function bytesAt(handle: FileHandle, at: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, at);
  return buffer.subarray(0, bytesRead);
}
