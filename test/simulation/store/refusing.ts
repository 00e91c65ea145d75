import { StoreError } from "../../../src/kernel/errors.ts";
import type { Changes, PassStore } from "../../../src/ports/stores/pass-store.ts";

/**
 * A store that refuses some records of more than one change as a whole, as it does where one row breaks a constraint:
 * each change alone it takes. Which ones is drawn anew for each, and `told`.
 */
export const refusing = <T extends Pick<PassStore, "record">>(
  store: T,
  isRefused: () => boolean,
  report: (changes: readonly Changes[]) => void,
): T => ({
  ...store,
  record: async (lease, changes) => {
    if (changes.length > 1 && isRefused()) {
      report(changes);
      throw new StoreError("constraint", "a row of this batch is refused");
    }
    return store.record(lease, changes);
  },
});
