/** Writes MEXC's messages: fields of text and of messages (mexcdevelop/websocket-proto; ccxt src/protobuf/mexc). */

type Fields = readonly (readonly [number: number, value: string | Uint8Array | number])[];

function varint(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...bytes, rest];
    bytes.push((rest % 128) + 128);
  }
}

export function protobuf(fields: Fields): Uint8Array {
  const bytes = fields.flatMap(([number, value]) => {
    if (typeof value === "number") return [...varint(number * 8), ...varint(value)];
    const content = typeof value === "string" ? new TextEncoder().encode(value) : value;
    return [...varint(number * 8 + 2), ...varint(content.length), ...content];
  });
  return Uint8Array.from(bytes);
}
