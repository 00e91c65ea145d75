/** SHA-256 as lower-case hexadecimal text. */
export async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
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
