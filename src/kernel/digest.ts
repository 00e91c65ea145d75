/** SHA-256 as lower-case hexadecimal text. */
export const digest = (text: string): Promise<string> => digestBytes(new TextEncoder().encode(text));

/** SHA-256 of bytes, as lower-case hexadecimal text. */
export type DigestBytes = (bytes: Uint8Array<ArrayBuffer>) => Promise<string> | string;

async function digestBytes(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", bytes);
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Of several parts in their order, each by a digest of its own: none has to be copied beside another. */
export async function digestParts(
  parts: readonly Uint8Array<ArrayBuffer>[],
  sha256: DigestBytes = digestBytes,
): Promise<string> {
  const each: string[] = [];
  for (const part of parts) each.push(await sha256(part));
  return sha256(new TextEncoder().encode(each.join(" ")));
}

/** Tells one exchange key from another, without telling the key. */
export const keyHash = async (key: string): Promise<string> => (await digest(key)).slice(0, 16);

/** Compares without telling by its time where two texts differ. */
export function sameText(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let place = 0; place < a.length; place++)
    difference |= a.charCodeAt(place) ^ (b.charCodeAt(place) || 0);
  return difference === 0;
}
