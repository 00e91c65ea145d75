import { type Millis, SECOND } from "../../kernel/time.ts";
import type { AccountKey } from "../../model/account.ts";
import type { Local } from "../../ports/local.ts";

/** Stored exchange keys as venues use them. */
export interface StoredCredentials<K> {
  get(account: AccountKey): Promise<K | undefined>;
  /** Whether there were some when they were last listed. */
  has(account: AccountKey): boolean;
}

interface CredentialSource<K> {
  get(account: AccountKey): Promise<K | undefined>;
  list(): Promise<readonly { readonly account: AccountKey }[]>;
}

/** How long a missing account is taken to be missing still. */
const LISTED_FOR: Millis = 10 * SECOND;

/** Lists the accounts once, and again in the background when one is missed: another process may have added it. */
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

/** Where the operator has set no key that could decrypt them. */
export const NO_STORED_KEYS: StoredCredentials<never> = { get: async () => undefined, has: () => false };
