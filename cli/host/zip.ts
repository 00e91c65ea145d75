import type { FileHandle } from "node:fs/promises";

/** The only file in a zip archive. `crc` is the CRC-32 of its content, `start` the offset of its compressed bytes. */
interface ZipEntry {
  readonly name: string;
  readonly isDeflated: boolean;
  readonly crc: number;
  readonly packedSize: number;
  readonly start: number;
}

// Signatures and offsets are those of PKWARE's APPNOTE.TXT 6.3: 4.3.7, 4.3.12 and 4.3.16.
const [LOCAL, ENTRY, END] = ["PK\x03\x04", "PK\x01\x02", "PK\x05\x06"] as const;
const [LOCAL_SIZE, ENTRY_SIZE, END_SIZE] = [30, 46, 22] as const;
const [STORED, DEFLATED] = [0, 8] as const;
const LARGE = 0xffffffff;
/** A comment after the directory has at most 64 KiB. */
const MOST_TAIL = 1 << 20;

const begins = (bytes: Buffer, at: number, signature: string): boolean =>
  bytes.toString("latin1", at, at + signature.length) === signature;

export const isZip = (bytes: Buffer): boolean => begins(bytes, 0, LOCAL);

/** Finds the only file of an archive. Throws RangeError if there are several, or if it cannot be decompressed. */
export async function onlyEntry(handle: FileHandle): Promise<ZipEntry> {
  const { size } = await handle.stat();
  const length = Math.min(size, MOST_TAIL);
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

export async function bytesAt(handle: FileHandle, at: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, at);
  return buffer.subarray(0, bytesRead);
}
