import { crc32, deflateRawSync } from "node:zlib";

/** An archive of one file, as zip programs write it. */
export function zip(name: string, content: string): Buffer {
  const [bytes, packed] = [Buffer.from(content), deflateRawSync(content)];
  const common = (signature: number, size: number) => {
    const header = Buffer.alloc(size);
    header.writeUInt32LE(signature);
    const at = size === 30 ? 4 : 6;
    header.writeUInt16LE(20, at);
    header.writeUInt16LE(8, at + 4);
    header.writeUInt32LE(crc32(bytes), at + 10);
    header.writeUInt32LE(packed.length, at + 14);
    header.writeUInt32LE(bytes.length, at + 18);
    header.writeUInt16LE(name.length, at + 22);
    return header;
  };
  const local = Buffer.concat([common(0x04034b50, 30), Buffer.from(name), packed]);
  const entry = Buffer.concat([common(0x02014b50, 46), Buffer.from(name)]);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50);
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(entry.length, 12);
  end.writeUInt32LE(local.length, 16);
  return Buffer.concat([local, entry, end]);
}
