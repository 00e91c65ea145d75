import { hexOf } from "../../kernel/digest.ts";
import type { Signer } from "../../ports/stores/audit-store.ts";

/** Purpose of the derived key; another purpose would give another key. */
const PURPOSE = "edgemaker audit checkpoints";
const HASH = "SHA-256";

/** HMAC-SHA-256 with a key derived (HKDF) from one of the operator's. */
export async function importSigner(raw: Uint8Array<ArrayBuffer>): Promise<Signer> {
  const from = await crypto.subtle.importKey("raw", raw, "HKDF", false, ["deriveKey"]);
  const derivation = { name: "HKDF", hash: HASH, salt: new Uint8Array(), info: utf8Of(PURPOSE) };
  const form = { name: "HMAC", hash: HASH, length: 256 };
  const key = await crypto.subtle.deriveKey(derivation, from, form, false, ["sign"]);
  const sign = async (text: string) =>
    hexOf(new Uint8Array(await crypto.subtle.sign("HMAC", key, utf8Of(text))));
  return { key: (await sign("which key")).slice(0, 8), sign };
}

const utf8Of = (text: string) => new TextEncoder().encode(text);
