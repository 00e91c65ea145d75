/** Files of candles: those that other programs have written, packed or not, and stored ones that were named. */
import { createHash } from "node:crypto";
import { createReadStream, existsSync, readFileSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { basename } from "node:path";
import type { Readable } from "node:stream";
import { crc32, createGunzip, createInflateRaw } from "node:zlib";
import type { Candles } from "../../src/candles/candles.ts";
import { coverageOf, type Refused } from "../../src/candles/coverage.ts";
import { hashOf } from "../../src/candles/hash.ts";
import { createReader, type Reading, type ReadOptions } from "../../src/candles/read.ts";
import { dataStart, isZip, ZIP_TAIL, zipEntries } from "../../src/candles/zip.ts";
import { messageOf } from "../../src/kernel/errors.ts";
import type { Pair } from "../../src/kernel/pair.ts";
import type { CandleFile } from "../../src/ports/candles.ts";
import { isStored, readStored } from "./candle-store.ts";

interface NamedFile {
  readonly candles: Candles;
  readonly duplicates: number;
  readonly refusedRows: number;
  readonly refused: readonly Refused[];
  /** That it was stored with. */
  readonly hash?: string;
}

/** Candles of a file that was named: stored columns, a table or a JSON file, packed or not. Throws naming the file. */
export async function readCandleFile(file: string, pair: Pair): Promise<NamedFile> {
  if (!existsSync(file)) throw new Error(`there is no file ${file}`);
  if (!isStored(file)) return readCandleSource(file, { pair });
  const { candles, head } = await readStored(file);
  if (candles.pair !== pair)
    throw new RangeError(`${file}: it holds candles of ${candles.pair}, not of ${pair}`);
  if (candles.times.length === 0) throw new RangeError(`${file}: there is no candle in it`);
  return { ...head, candles };
}

/** The same with what it covers, which takes a hash of all bars. */
export async function readCoveredFile(file: string, pair: Pair): Promise<CandleFile> {
  const { candles, ...read } = await readCandleFile(file, pair);
  return { candles, coverage: coverageOf(candles, { ...read, hash: read.hash ?? (await hashOf(candles)) }) };
}

/** Reads candles of a table or a JSON file, also in gzip or zip, and checks it against a `.CHECKSUM` beside it. */
export async function readCandleSource(file: string, options: ReadOptions): Promise<Reading> {
  if (!existsSync(file)) throw new Error(`there is no file ${file}`);
  try {
    await checkSum(file);
    const reader = createReader(options);
    for await (const part of partsOf(file)) reader.push(part);
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
    throw new RangeError(`its SHA-256 is not that of ${basename(beside)}: download it again`);
}

async function* partsOf(file: string): AsyncGenerator<Uint8Array> {
  const handle = await open(file, "r");
  try {
    const start = await bytesAt(handle, 0, 4);
    if (isZip(start)) yield* unzipped(handle);
    else if (start[0] === 0x1f && start[1] === 0x8b) yield* whole(createReadStream(file), createGunzip());
    else yield* createReadStream(file) as AsyncIterable<Uint8Array>;
  } finally {
    await handle.close();
  }
}

/** What one stream gives through another, and the failure of either. */
async function* whole(
  from: Readable,
  through: NodeJS.ReadWriteStream & AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  from.on("error", (error) => (through as unknown as Readable).destroy(error));
  from.pipe(through);
  yield* through;
}

async function* unzipped(handle: FileHandle): AsyncGenerator<Uint8Array> {
  const { size } = await handle.stat();
  const tail = await bytesAt(handle, Math.max(0, size - ZIP_TAIL), Math.min(size, ZIP_TAIL));
  const entries = zipEntries(tail, size);
  const [entry] = entries;
  if (!entry || entries.length > 1)
    throw new RangeError(`the archive holds ${entries.length} files: unpack it, and import each`);
  const from = dataStart(await bytesAt(handle, entry.at, 30), entry.at);
  const packed = await bytesAt(handle, from, entry.packedSize);
  let check = 0;
  const checked = async function* (parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
    for await (const part of parts) {
      check = crc32(part, check);
      yield part;
    }
  };
  if (entry.isDeflated) {
    const inflate = createInflateRaw();
    inflate.end(packed);
    yield* checked(inflate);
  } else yield* checked([packed]);
  if (check !== entry.crc) throw new RangeError(`${entry.name} in the archive is damaged: download it again`);
}

async function bytesAt(handle: FileHandle, at: number, length: number): Promise<Uint8Array> {
  const { bytesRead, buffer } = await handle.read(new Uint8Array(length), 0, length, at);
  return buffer.subarray(0, bytesRead);
}
