import { accountKey } from "../../model/records.ts";
import type { Deps, Keys, Venue } from "../../ports/deps.ts";

/**
 * The venue to act on. With keys of the request, what an earlier request has left unclear is looked up first: no tick
 * ever does, because no process has those keys.
 */
export async function venueFor(deps: Deps, exchange: string, keys: Keys | undefined): Promise<Venue> {
  const venue = deps.venue(exchange, keys);
  if (keys && (await deps.store.hasUnclear(accountKey(venue.account)))) await deps.resolve?.(venue);
  return venue;
}
