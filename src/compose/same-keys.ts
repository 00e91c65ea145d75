import { SettingsError } from "../kernel/errors.ts";

/** Keys that an exchange id is used with. */
export interface HeldKeys {
  readonly id: string;
  readonly venue: string;
  readonly key: string;
}

/** Two exchange ids of the same keys would each take the other's orders for strangers. Throws SettingsError, by name. */
export function refuseSameKeys(held: readonly HeldKeys[]): void {
  for (const [place, { id, venue, key }] of held.entries()) {
    const other = held.slice(0, place).find((before) => before.venue === venue && before.key === key);
    if (other)
      throw new SettingsError(
        `${other.id} and ${id} have the same API key: one account needs one exchange id`,
      );
  }
}
