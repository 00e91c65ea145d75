import { sha256 as sha256Here } from "@noble/hashes/sha2.js";

/** In bytes; above this size the platform's own hash is faster. */
const SHORT_TEXT = 2048;

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Formats bytes as lower-case hexadecimal text. */
export function hexOf(bytes: Uint8Array): string {
  let hex = "";
  for (const byte of bytes) hex += HEX[byte];
  return hex;
}

/** Parses hexadecimal text into bytes. */
export const bytesOfHex = (hex: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));

/**
 * Returns SHA-256 as lower-case hexadecimal text. Short texts are hashed here, because a job for another thread takes
 * thirty times as long.
 */
export async function digest(text: string): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  return bytes.length > SHORT_TEXT ? digestBytes(bytes) : hexOf(sha256Here(bytes));
}

/** SHA-256 of bytes, as lower-case hexadecimal text. */
export type DigestBytes = (bytes: Uint8Array<ArrayBuffer>) => Promise<string> | string;

async function digestBytes(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return hexOf(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

/** Hashes several parts in order, each with a separate digest, so no part is copied. */
export async function digestParts(
  parts: readonly Uint8Array<ArrayBuffer>[],
  sha256: DigestBytes = digestBytes,
): Promise<string> {
  const each: string[] = [];
  for (const part of parts) each.push(await sha256(part));
  return sha256(new TextEncoder().encode(each.join(" ")));
}

/** Identifies an exchange key without revealing it. */
export const keyHash = async (key: string): Promise<string> => (await digest(key)).slice(0, 16);

/** Compares two texts in constant time. */
export function sameText(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let index = 0; index < a.length; index++)
    difference |= a.charCodeAt(index) ^ (b.charCodeAt(index) || 0);
  return difference === 0;
}
