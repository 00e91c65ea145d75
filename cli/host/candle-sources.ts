/** Reads candle files of other programs, compressed or not, and stored ones by path. */
import { createHash } from "node:crypto";
import { createReadStream, existsSync, type ReadStream, readFileSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { basename } from "node:path";
import type { Readable } from "node:stream";
import { crc32, createGunzip, createInflateRaw, type Gunzip, type InflateRaw } from "node:zlib";
import type { Candles } from "../../src/candles/candles.ts";
import { type CountedRows, coverageOf } from "../../src/candles/coverage.ts";
import { hashOf } from "../../src/candles/hash.ts";
import { createReader, type Reading, type ReadOptions } from "../../src/candles/read.ts";
import { createTapeReader, isOfObjects, isTape, type TapeOptions } from "../../src/candles/tape/read.ts";
import { hashTape, type TapeFile } from "../../src/candles/tape/tape.ts";
import { messageOf } from "../../src/kernel/errors.ts";
import type { Pair } from "../../src/kernel/pair.ts";
import type { CandleFile } from "../../src/ports/candles.ts";
import { isStored, readStored } from "./candle-store.ts";
import { bytesAt, isZip, onlyEntry } from "./zip.ts";

interface NamedFile extends CountedRows {
  readonly candles: Candles;
  /** Hash stored with it. */
  readonly hash?: string;
}

/** Reads candles of a file: stored columns, a table or a JSON file, compressed or not. Throws with the file's name. */
export async function readCandleFile(file: string, pair: Pair, skipRefused = false): Promise<NamedFile> {
  if (!existsSync(file)) throw new Error(`there is no file ${file}`);
  if (!isStored(file)) return readCandleSource(file, { pair, skipRefused });
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
export interface WaitingReader {
  readonly hear: (bytes: number) => void;
  readonly isEnough: () => boolean;
}

/** Reads candles from a table or JSON file, also in gzip or zip, and checks a `.CHECKSUM` file next to it. */
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

/** Returns whether a file contains trades, or books and trades, by its beginning. */
export const isTapeFile = (file: string): Promise<boolean> => beginsAs(file, isTape);
/** Returns whether it can only be used trade by trade. */
export const isRecordingFile = (file: string): Promise<boolean> => beginsAs(file, isOfObjects);

/** Reads trades, and books between them, from a table or JSON file, compressed or not. Throws with the file's name. */
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

/** Pipes one stream through another, and throws the failure of either. */
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

/** Maximum compression ratio: minutes at one price, the most compressible data, expand to 15 times their size. */
const MOST_TIMES_PACKED = 50;
/** Small files can expand by any ratio up to this size. */
const LEAST_UNPACKED = 1 << 24;

/** Reads the only file in a zip archive, and checks its CRC-32. */
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
