// Stands for what ccxt takes of `@noble/hashes` and `@noble/curves`: every platform of ours has these hashes built in.
import { createHash, createHmac } from "node:crypto";

const bytesOf = (buffer) => new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length);
const hashed = (name) =>
  Object.assign((data) => bytesOf(createHash(name).update(data).digest()), { algorithm: name });

export const sha256 = hashed("sha256");
export const sha512 = hashed("sha512");
export const hmac = ({ algorithm }, key, data) => bytesOf(createHmac(algorithm, key).update(data).digest());

export const utf8ToBytes = (text) => new TextEncoder().encode(text);

export function concatBytes(...parts) {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const unreached = () => {
  throw new Error("this part of a library is left out of the bundle");
};
export const hexToBytes = unreached;
export const numberToBytesLE = unreached;
export const numberToBytesBE = unreached;
