import { bytesOfHex, hexOf } from "../../kernel/digest.ts";
import type { ProofKey } from "../../model/samples/proof.ts";

/** Ed25519 (RFC 8032) by WebCrypto, the same on every runtime. Keys and signatures are lower-case hexadecimal. */
const ED25519 = "Ed25519";

export interface NewProofKey {
  readonly publicKey: string;
  /** PKCS #8. */
  readonly privateKey: string;
}

export async function createProofKey(): Promise<NewProofKey> {
  const pair = (await crypto.subtle.generateKey(ED25519, true, ["sign", "verify"])) as CryptoKeyPair;
  const hexKey = async (format: "raw" | "pkcs8", key: CryptoKey) =>
    hexOf(new Uint8Array((await crypto.subtle.exportKey(format, key)) as ArrayBuffer));
  return {
    publicKey: await hexKey("raw", pair.publicKey),
    privateKey: await hexKey("pkcs8", pair.privateKey),
  };
}

export async function importProofKey({ publicKey, privateKey }: NewProofKey): Promise<ProofKey> {
  const key = await crypto.subtle.importKey("pkcs8", bytesOfHex(privateKey), ED25519, false, ["sign"]);
  return {
    publicKey,
    sign: async (text) => hexOf(new Uint8Array(await crypto.subtle.sign(ED25519, key, encoded(text)))),
  };
}

const encoded = (text: string) => new TextEncoder().encode(text);
