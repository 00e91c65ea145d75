/** Files of candles: those that other programs have written, packed or not, and stored ones that were named. */
import { createHash } from "node:crypto";
import { createReadStream, existsSync, type ReadStream, readFileSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { basename } from "node:path";
import type { Readable } from "node:stream";
import { crc32, createGunzip, createInflateRaw, type Gunzip, type InflateRaw } from "node:zlib";
import type { Candles } from "../../src/candles/candles.ts";
import { coverageOf, type Refused } from "../../src/candles/coverage.ts";
import { hashOf } from "../../src/candles/hash.ts";
import { createReader, type Reading, type ReadOptions } from "../../src/candles/read.ts";
import { createTapeReader, isOfObjects, isTape, type TapeOptions } from "../../src/candles/tape/read.ts";
import { hashTape, type TapeFile } from "../../src/candles/tape/tape.ts";
import { messageOf } from "../../src/kernel/errors.ts";
import type { Pair } from "../../src/kernel/pair.ts";
import type { CandleFile } from "../../src/ports/candles.ts";
import { isStored, readStored } from "./candle-store.ts";
import { bytesAt, isZip, onlyEntry } from "./zip.ts";

interface NamedFile {
  readonly candles: Candles;
  readonly duplicates: number;
  readonly refusedRows: number;
  readonly refused: readonly Refused[];
  /** That it was stored with. */
  readonly hash?: string;
}

/** Candles of a file that was named: stored columns, a table or a JSON file, packed or not. Throws naming the file. */
export async function readCandleFile(file: string, pair: Pair, skipRefused = false): Promise<NamedFile> {
  if (!existsSync(file)) throw new Error(`there is no file ${file}`);
  if (!isStored(file)) return readCandleSource(file, { pair, skipRefused });
  const { candles, head } = await readStored(file);
  if (candles.pair !== pair)
    throw new RangeError(`${file}: it has candles of ${candles.pair}, not of ${pair}`);
  if (candles.times.length === 0) throw new RangeError(`${file}: it has no candles`);
  return { ...head, candles };
}

/** The same with what it covers, which takes a hash of all bars. */
export async function readCoveredFile(file: string, pair: Pair): Promise<CandleFile> {
  const { candles, ...read } = await readCandleFile(file, pair);
  return { candles, coverage: coverageOf(candles, { ...read, hash: read.hash ?? (await hashOf(candles)) }) };
}

/** Part of what a file holds, and how many of the file's own bytes are behind it. */
interface FilePart {
  readonly bytes: Uint8Array;
  readonly behind: number;
}

/** Whoever waits for a file: hears how many of its bytes are read, and may say that it is enough. */
export interface WaitingReader {
  readonly hear: (bytes: number) => void;
  readonly isEnough: () => boolean;
}

/** Reads candles of a table or a JSON file, also in gzip or zip, and checks it against a `.CHECKSUM` beside it. */
export async function readCandleSource(
  file: string,
  options: ReadOptions,
  waiting?: WaitingReader,
): Promise<Reading> {
  return readThrough(file, createReader(options), waiting);
}

async function beginsAs(file: string, is: (beginning: Uint8Array) => boolean): Promise<boolean> {
  if (!existsSync(file) || isStored(file)) return false;
  for await (const { bytes } of filePartsOf(file)) return is(bytes);
  return false;
}

/** Whether a file is one of trades, or of books and trades: by how it begins. */
export const isTapeFile = (file: string): Promise<boolean> => beginsAs(file, isTape);
/** Whether it is one of those that only a walk of prints and books can read. */
export const isRecordingFile = (file: string): Promise<boolean> => beginsAs(file, isOfObjects);

/** Reads prints, and books between them, of a table or a JSON file, packed or not. Throws naming the file. */
export async function readTapeFile(file: string, options: TapeOptions): Promise<TapeFile> {
  const reading = await readThrough(file, createTapeReader(options));
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
    for await (const { bytes, behind } of filePartsOf(file)) {
      if (waiting?.isEnough()) throw new Error("it could not be read completely");
      reader.push(bytes);
      waiting?.hear(behind);
    }
    return reader.end();
  } catch (error) {
    throw new Error(`${file}: ${messageOf(error)}`, { cause: error });
  }
}

/** Binance publishes `<sha256>  <name>` beside each archive. */
async function checkSum(file: string): Promise<void> {
  const beside = `${file}.CHECKSUM`;
  if (!existsSync(beside)) return;
  const [wanted = "", name] = readFileSync(beside, "utf8").trim().split(/\s+/);
  if (name !== undefined && basename(name.replace(/^\*/, "")) !== basename(file))
    throw new RangeError(`${basename(beside)} is of ${name}`);
  const hash = createHash("sha256");
  for await (const part of createReadStream(file)) hash.update(part);
  if (hash.digest("hex") !== wanted.toLowerCase())
    throw new RangeError(`its SHA-256 does not match ${basename(beside)}; download it again`);
}

async function* filePartsOf(file: string): AsyncGenerator<FilePart> {
  const handle = await open(file, "r");
  try {
    const start = await bytesAt(handle, 0, 4);
    if (isZip(start)) yield* unzipped(file, handle);
    else if (start[0] === 0x1f && start[1] === 0x8b) yield* whole(createReadStream(file), createGunzip());
    else yield* plain(createReadStream(file));
  } finally {
    await handle.close();
  }
}

async function* plain(from: ReadStream): AsyncGenerator<FilePart> {
  for await (const bytes of from) yield { bytes, behind: from.bytesRead };
}

/** What one stream gives through another, and the failure of either. */
async function* whole(from: Readable, through: Gunzip | InflateRaw): AsyncGenerator<FilePart> {
  from.on("error", (error) => through.destroy(error));
  from.pipe(through);
  let unpacked = 0;
  for await (const bytes of through) {
    unpacked += bytes.length;
    const behind = through.bytesWritten;
    if (unpacked > LEAST_UNPACKED && unpacked > MOST_TIMES_PACKED * behind)
      throw new RangeError(
        `it unpacks to more than ${MOST_TIMES_PACKED} times its size: it holds no candles`,
      );
    yield { bytes, behind };
  }
}

/** Minutes at one price, which pack best of all, unpack to 15 times their size. */
const MOST_TIMES_PACKED = 50;
/** What is small may unpack to any multiple. */
const LEAST_UNPACKED = 1 << 24;

/** The one file in a zip archive, checked against its CRC-32. */
async function* unzipped(file: string, handle: FileHandle): AsyncGenerator<FilePart> {
  const { name, isDeflated, crc, packedSize, start } = await onlyEntry(handle);
  if (packedSize === 0) return;
  const packed = createReadStream(file, { start, end: start + packedSize - 1 });
  let check = 0;
  for await (const part of isDeflated ? whole(packed, createInflateRaw()) : plain(packed)) {
    check = crc32(part.bytes, check);
    yield part;
  }
  if (check !== crc) throw new RangeError(`${name} in the archive is damaged: download it again`);
}
