/** Reports that an exchange rejects the API key; no orders of the account work until it accepts one. */
import type { VenueFailure } from "../../kernel/errors.ts";
import { parseAccountKey } from "../../model/account.ts";
import type { Event } from "../../model/events.ts";
import type { Snapshot } from "../../ports/stores/step-store.ts";

/** Returns one event when it starts; later passes that fail for the same reason return none. */
export function refusedKeyEvents(
  { lease: { account, now }, memory }: Pick<Snapshot, "lease" | "memory">,
  failure: VenueFailure | undefined,
  why: string,
): Event[] {
  const isKey = failure === "invalid_credentials" || failure === "missing_credentials";
  if (!isKey || memory.failed === failure) return [];
  const { exchange } = parseAccountKey(account);
  const message = `${why}; no order of ${exchange} is placed or canceled until its API key works. Run \`edgemaker exchange test ${exchange}\``;
  return [{ account, strategy: null, at: now, kind: "error", message }];
}
