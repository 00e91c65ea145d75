import { SettingsError } from "../kernel/errors.ts";

/** Keys with the exchange id that uses them. */
export interface AccountKeys {
  readonly id: string;
  readonly venue: string;
  readonly key: string;
}

/**
 * Refuses two exchange ids with the same keys, because each would treat the other's orders as unknown. Throws
 * SettingsError with their names.
 */
export function refuseSameKeys(accounts: readonly AccountKeys[]): void {
  for (const [index, { id, venue, key }] of accounts.entries()) {
    const other = accounts.slice(0, index).find((before) => before.venue === venue && before.key === key);
    if (other)
      throw new SettingsError(
        `${other.id} and ${id} have the same API key: one account needs one exchange id`,
      );
  }
}
