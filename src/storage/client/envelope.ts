/**
 * Envelope encryption with WebCrypto, the same on every runtime: a random data key for each credential encrypts its
 * fields, and the operator's key encrypts the data key. The owner and field of each text are authenticated, so
 * swapped rows or columns do not decrypt. AES-256-GCM with a new nonce for each text.
 */
import { hexOf } from "../../kernel/digest.ts";
import { SettingsError } from "../../kernel/errors.ts";

const NONCE = 12;
const ALGORITHM = "AES-GCM";

/** A key-encryption key of the operator. */
export interface Kek {
  /** Identifies the key that encrypted a row: the first characters of its SHA-256. */
  readonly id: string;
  readonly key: CryptoKey;
}

export interface EncryptedText {
  readonly kek: string;
  readonly wrapped: string;
  /** Encrypted texts by field. */
  readonly fields: Readonly<Record<string, string>>;
}

export async function importKek(raw: Uint8Array<ArrayBuffer>): Promise<Kek> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", raw));
  const key = await crypto.subtle.importKey("raw", raw, ALGORITHM, false, ["encrypt", "decrypt"]);
  return { id: hexOf(digest.slice(0, 4)), key };
}

/** Encrypts the fields of `owner`. */
export async function seal(
  { id, key }: Kek,
  owner: string,
  texts: Readonly<Record<string, string>>,
): Promise<EncryptedText> {
  const raw = crypto.getRandomValues(new Uint8Array(32));
  const dataKey = await crypto.subtle.importKey("raw", raw, ALGORITHM, false, ["encrypt"]);
  const fields: Record<string, string> = {};
  for (const [name, text] of Object.entries(texts))
    fields[name] = await encrypt(dataKey, new TextEncoder().encode(text), `${owner} ${name}`);
  const wrapped = await encrypt(key, raw, `${owner} data key`);
  raw.fill(0);
  return { kek: id, wrapped, fields };
}

/** Decrypts sealed texts. Throws SettingsError with the reason if a key is missing or anything was changed. */
export async function openSealed(
  keks: readonly Kek[],
  owner: string,
  sealed: EncryptedText,
): Promise<Record<string, string>> {
  const raw = await unwrap(keks, owner, sealed);
  const dataKey = await crypto.subtle.importKey("raw", raw, ALGORITHM, false, ["decrypt"]);
  raw.fill(0);
  const texts: Record<string, string> = {};
  for (const [name, text] of Object.entries(sealed.fields))
    texts[name] = new TextDecoder().decode(await decrypt(dataKey, text, `${owner} ${name}`));
  return texts;
}

/** Encrypts the same fields with another of the operator's keys; only the data key is encrypted again. */
export async function rewrap(
  keks: readonly Kek[],
  owner: string,
  sealed: EncryptedText,
): Promise<EncryptedText> {
  const [first] = keks;
  if (!first) throw new SettingsError("EDGEMAKER_KEK is not set");
  const raw = await unwrap(keks, owner, sealed);
  const wrapped = await encrypt(first.key, raw, `${owner} data key`);
  raw.fill(0);
  return { ...sealed, kek: first.id, wrapped };
}

async function unwrap(keks: readonly Kek[], owner: string, { kek, wrapped }: EncryptedText) {
  if (keks.length === 0) throw new SettingsError("EDGEMAKER_KEK is not set");
  const found = keks.find(({ id }) => id === kek);
  if (!found) throw new SettingsError("they were encrypted with a different EDGEMAKER_KEK");
  return decrypt(found.key, wrapped, `${owner} data key`);
}

async function encrypt(key: CryptoKey, plain: Uint8Array<ArrayBuffer>, belongs: string): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(NONCE));
  const additionalData = new TextEncoder().encode(belongs);
  const cipher = new Uint8Array(
    await crypto.subtle.encrypt({ name: ALGORITHM, iv, additionalData }, key, plain),
  );
  return base64(new Uint8Array([...iv, ...cipher]));
}

async function decrypt(key: CryptoKey, text: string, belongs: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const bytes = fromBase64(text);
    const additionalData = new TextEncoder().encode(belongs);
    const request = { name: ALGORITHM, iv: bytes.slice(0, NONCE), additionalData };
    return new Uint8Array(await crypto.subtle.decrypt(request, key, bytes.slice(NONCE)));
  } catch {
    throw new SettingsError("their row in the database was changed or belongs to other keys");
  }
}

const base64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));

const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
