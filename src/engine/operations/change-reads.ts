import { AppError, VenueError } from "../../kernel/errors.ts";
import { type AccountKey, parseAccountKey } from "../../model/account.ts";
import type { Deps } from "../../ports/deps.ts";
import type { Venue } from "../../ports/venue.ts";

/** Returns the venue of a strategy to change. Throws AppError if this process cannot reach it. */
export function venueForChange({ venueOf }: Pick<Deps, "venueOf">, account: AccountKey): Venue {
  const of = parseAccountKey(account);
  const venue = venueOf(of);
  if (venue) return venue;
  throw new AppError(
    "Exchange error",
    `nothing is changed: this process is not configured for ${of.exchange}; use a process that is`,
  );
}

const UNREACHED: readonly VenueError["failure"][] = ["unavailable", "rate_limited", "refused"];

/** Reads what a change must know from the exchange. Throws AppError if the exchange does not return it. */
export async function readForChange<T>({ account }: Venue, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof VenueError) || !UNREACHED.includes(error.failure)) throw error;
    const message = `nothing is changed: ${account.exchange} could not be read (${error.message}); the strategy continues unchanged`;
    throw new AppError("Exchange error", message, { cause: error });
  }
}
