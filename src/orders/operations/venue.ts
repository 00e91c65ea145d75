import { AppError } from "../../kernel/errors.ts";
import { accountKey, exchangeName } from "../../model/account.ts";
import type { Deps } from "../../ports/deps.ts";
import type { Keys, Venue } from "../../ports/venue.ts";

/** Throws Invalid request for what is no id of this exchange, before anybody is asked. */
export function refuseForeignId({ account, orderIds }: Venue, id: string): void {
  if (orderIds.form.test(id)) return;
  const exchange = exchangeName(accountKey(account));
  const message = `an order id of ${exchange} is ${orderIds.like}`;
  throw new AppError("Invalid request", message, { issues: [{ path: "id", message }] });
}

/**
 * The venue to act on. With keys of the request, what an earlier request has left unclear is looked up first: no tick
 * ever does, because no process has those keys.
 */
export async function venueFor(deps: Deps, exchange: string, keys: Keys | undefined): Promise<Venue> {
  const venue = deps.venue(exchange, keys);
  if (keys && (await deps.store.hasUnclear(accountKey(venue.account)))) await deps.resolve?.(venue);
  return venue;
}
