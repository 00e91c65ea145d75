import { hexOf } from "../kernel/digest.ts";
import { type Millis, SECOND } from "../kernel/time.ts";
import type { AccountKey } from "../model/account.ts";
import type { Signer } from "../ports/stores/store.ts";
import type { Local } from "../ports/within-time.ts";

/** Stored exchange keys in the form that venues use. */
export interface StoredCredentials<K> {
  get(account: AccountKey): Promise<K | undefined>;
  /** Returns whether there were keys at the last listing. */
  has(account: AccountKey): boolean;
  /** Lists the accounts again, after this process has stored or removed keys. */
  refresh(): Promise<void>;
}

interface CredentialSource<K> {
  get(account: AccountKey): Promise<K | undefined>;
  list(): Promise<readonly { readonly account: AccountKey }[]>;
}

/** How long a missing account counts as missing. */
const LISTED_FOR: Millis = 10 * SECOND;

/**
 * Lists the accounts once, and again in the background when one is missing, because another process could have added
 * it.
 */
export async function storedKeys<K>(
  source: CredentialSource<K>,
  { monotonic }: Pick<Local, "monotonic">,
): Promise<StoredCredentials<K>> {
  let listedAt = monotonic();
  let accounts: ReadonlySet<AccountKey> = new Set();
  await refresh();
  return {
    get: (account) => source.get(account),
    has(account) {
      if (!accounts.has(account) && monotonic() - listedAt > LISTED_FOR) refresh().catch(() => undefined);
      return accounts.has(account);
    },
    refresh,
  };

  async function refresh(): Promise<void> {
    listedAt = monotonic();
    accounts = new Set((await source.list()).map(({ account }) => account));
  }
}

/** Used if the operator has set no key that could decrypt them. */
export const NO_STORED_KEYS: StoredCredentials<never> = {
  get: async () => undefined,
  has: () => false,
  refresh: async () => undefined,
};

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
