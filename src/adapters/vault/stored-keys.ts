import { type Millis, SECOND } from "../../kernel/time.ts";
import type { AccountKey } from "../../model/account.ts";
import type { Local } from "../../ports/local.ts";

/** Stored exchange keys in the form that venues use. */
export interface StoredCredentials<K> {
  get(account: AccountKey): Promise<K | undefined>;
  /** Returns whether there were keys at the last listing. */
  has(account: AccountKey): boolean;
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
  let accounts = await listed();
  return {
    get: (account) => source.get(account),
    has(account) {
      if (!accounts.has(account) && monotonic() - listedAt > LISTED_FOR) {
        listedAt = monotonic();
        listed().then(
          (found) => {
            accounts = found;
          },
          () => undefined,
        );
      }
      return accounts.has(account);
    },
  };

  async function listed(): Promise<ReadonlySet<AccountKey>> {
    return new Set((await source.list()).map(({ account }) => account));
  }
}

/** Used if the operator has set no key that could decrypt them. */
export const NO_STORED_KEYS: StoredCredentials<never> = { get: async () => undefined, has: () => false };
