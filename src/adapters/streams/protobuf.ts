/** Fields of a protobuf message by number: text and messages as bytes; numbers are skipped. Throws if it is broken. */
export function protobufFields(bytes: Uint8Array): Map<number, Uint8Array> {
  const fields = new Map<number, Uint8Array>();
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error("the message is cut off");
      value += (byte % 128) * factor;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const type = tag % 8;
    if (type === 0) varint();
    else if (type === 1) at += 8;
    else if (type === 5) at += 4;
    else if (type === 2) {
      const length = varint();
      if (at + length > bytes.length) throw new Error("the message is cut off");
      fields.set(Math.floor(tag / 8), bytes.subarray(at, at + length));
      at += length;
    } else throw new Error(`unknown wire type ${type}`);
  }
  return fields;
}

/** Returns a field's text; empty if it is absent. */
export const protobufText = (fields: ReadonlyMap<number, Uint8Array>, number: number): string =>
  new TextDecoder().decode(fields.get(number));
