import type { CredentialStore, OpenedKeys, StoredKeys } from "../adapters/libsql/stores/credential-store.ts";
import type { AccountKey } from "../model/account.ts";
import type { Config } from "./config.ts";
import { type AccountKeys, refuseSameKeys } from "./same-keys.ts";

/** Check of stored keys that cannot be decrypted. */
export interface CredentialCheck {
  /** Returns the problem of each configured exchange whose stored keys cannot be decrypted. */
  troubles(): Promise<ReadonlyMap<string, string>>;
  /**
   * Throws SettingsError if two exchange ids would use the same keys, from settings or stored; `given` are an
   * exchange's new keys.
   */
  refuseSame(given?: { readonly exchange: string; readonly keys: StoredKeys }): Promise<void>;
}

interface CredentialParts {
  readonly exchanges: Config["exchanges"];
  readonly accountOf: (exchange: string) => AccountKey;
  readonly credentials: Pick<CredentialStore, "opened">;
}

export function credentialCheck({ exchanges, accountOf, credentials }: CredentialParts): CredentialCheck {
  const stored = async (): Promise<ReadonlyMap<AccountKey, OpenedKeys>> =>
    new Map((await credentials.opened()).map((openedKeys) => [openedKeys.account, openedKeys]));

  return {
    async troubles() {
      const all = await stored();
      const found = new Map<string, string>();
      for (const { id, keys } of exchanges) {
        const trouble = keys ? undefined : all.get(accountOf(id))?.trouble;
        if (trouble !== undefined) found.set(id, unopenedText(id, trouble));
      }
      return found;
    },

    async refuseSame(given) {
      const all = await stored();
      const accounts = exchanges.flatMap(({ id, venue, keys }): AccountKeys[] => {
        const own = id === given?.exchange ? given.keys : (keys ?? all.get(accountOf(id))?.keys);
        return own ? [{ id, venue, key: own.key }] : [];
      });
      refuseSameKeys(accounts);
    },
  };
}

export const unopenedText = (exchange: string, why: string): string =>
  `the stored keys of ${exchange} cannot be decrypted: ${why}`;
