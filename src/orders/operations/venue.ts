import { AppError } from "../../kernel/errors.ts";
import { accountKey, exchangeName } from "../../model/account.ts";
import type { Deps } from "../../ports/deps.ts";
import type { Keys, Venue } from "../../ports/venue.ts";

/** Throws `Invalid request` for text that is not an order id of this exchange, before any request. */
export function refuseForeignId({ account, orderIds }: Venue, id: string): void {
  if (orderIds.form.test(id)) return;
  const exchange = exchangeName(accountKey(account));
  const message = `an order id of ${exchange} is ${orderIds.like}`;
  throw new AppError("Invalid request", message, { issues: [{ path: "id", message }] });
}

/**
 * Returns the venue. With keys of a request, it first looks up unconfirmed orders of earlier requests, because no
 * tick has those keys.
 */
export async function venueFor(deps: Deps, exchange: string, keys: Keys | undefined): Promise<Venue> {
  const venue = deps.venue(exchange, keys);
  if (keys && (await deps.store.hasUnclear(accountKey(venue.account)))) await deps.resolve?.(venue);
  return venue;
}
