/** A file within a zip archive; its bytes begin behind the local header at `at`. */
export interface ZipEntry {
  readonly name: string;
  readonly isDeflated: boolean;
  readonly crc: number;
  readonly size: number;
  readonly packedSize: number;
  readonly at: number;
}

/** Of PKWARE's APPNOTE.TXT 6.3: 4.3.16, 4.3.12 and 4.3.7. */
const [END, ENTRY, LOCAL] = [0x06054b50, 0x02014b50, 0x04034b50] as const;
const [END_SIZE, ENTRY_SIZE, LOCAL_SIZE] = [22, 46, 30] as const;
const LARGE = 0xffffffff;
const [STORED, DEFLATED] = [0, 8] as const;

/** How much of an archive's end is enough to find its directory: a comment is at most 64 KiB. */
export const ZIP_TAIL = 1 << 20;

export const isZip = (bytes: Uint8Array): boolean =>
  bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4;

/** The files of an archive, from its end; `length` is that of the whole. Throws RangeError on what it cannot open. */
export function zipEntries(tail: Uint8Array, length: number): ZipEntry[] {
  const view = new DataView(tail.buffer, tail.byteOffset, tail.byteLength);
  let end = tail.length - END_SIZE;
  while (end >= 0 && view.getUint32(end, true) !== END) end--;
  if (end < 0) throw new RangeError("the archive has no directory: it is not whole");
  const count = view.getUint16(end + 10, true);
  const start = view.getUint32(end + 16, true) - (length - tail.length);
  if (start < 0) throw new RangeError("the archive's directory is too large");
  const entries: ZipEntry[] = [];
  for (let place = 0, at = start; place < count; place++) {
    if (at + ENTRY_SIZE > tail.length || view.getUint32(at, true) !== ENTRY)
      throw new RangeError("the archive's directory is damaged");
    const nameLength = view.getUint16(at + 28, true);
    entries.push(entryAt(view, at, nameLength));
    at += ENTRY_SIZE + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return entries.filter(({ name }) => !name.endsWith("/"));
}

function entryAt(view: DataView, at: number, nameLength: number): ZipEntry {
  const method = view.getUint16(at + 10, true);
  const [packedSize, size, offset] = [20, 24, 42].map((field) => view.getUint32(at + field, true)) as [
    number,
    number,
    number,
  ];
  const name = new TextDecoder().decode(
    new Uint8Array(view.buffer, view.byteOffset + at + ENTRY_SIZE, nameLength),
  );
  if ((view.getUint16(at + 8, true) & 1) === 1) throw new RangeError(`${name} is encrypted`);
  if (method !== STORED && method !== DEFLATED) throw new RangeError(`${name} is packed in an unknown way`);
  if ([packedSize, size, offset].includes(LARGE)) throw new RangeError(`${name} is larger than 4 GiB`);
  return {
    name,
    isDeflated: method === DEFLATED,
    crc: view.getUint32(at + 16, true),
    size,
    packedSize,
    at: offset,
  };
}

/** Where the bytes of an entry begin, from its local header. */
export function dataStart(header: Uint8Array, at: number): number {
  const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
  if (header.length < LOCAL_SIZE || view.getUint32(0, true) !== LOCAL)
    throw new RangeError("the archive is damaged");
  return at + LOCAL_SIZE + view.getUint16(26, true) + view.getUint16(28, true);
}
