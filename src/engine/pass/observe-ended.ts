import { ZERO } from "../../kernel/decimal.ts";
import { parseClientOrderId, strategyTag } from "../../kernel/ids.ts";
import type { Pair } from "../../kernel/pair.ts";
import type { Snapshot } from "../../ports/stores/step-store.ts";
import type { Venue, VenueOrder } from "../../ports/venue.ts";
import type { MarketSnapshot } from "../reconcile/observation.ts";
import { isSearching } from "../reconcile/recovery.ts";
import type { Budget } from "./budget.ts";
import { askWithin } from "./within-budget.ts";

/*
 * A restored database can lack an order that has filled completely. Its trades show it, but an exchange can show a trade
 * late. The exchange's list of ended orders shows it as well, so strategies place nothing before that list was read.
 */

/** Maximum number of pages per pass and pair; the next pass continues. */
const MOST_SEARCH_PAGES = 4;

/** Ended orders of one market, and how far the list was read. */
type EndedSearch = Pick<MarketSnapshot, "searched" | "searchPage"> & {
  readonly orders: readonly VenueOrder[];
};

/** Searches the ended orders of every market whose strategies recover; returns those of the strategies that filled. */
export async function searchEnded(
  venue: Venue,
  snapshot: Snapshot,
  markets: Map<Pair, MarketSnapshot>,
  budget: Budget,
): Promise<readonly VenueOrder[]> {
  const found: VenueOrder[] = [];
  for (const [symbol, market] of markets) {
    const recovering = snapshot.strategies.filter(
      (strategy) => strategy.symbol === symbol && isSearching(strategy, snapshot.lease.now, venue.timing),
    );
    if (recovering.length === 0 || !market.tradesRead) continue;
    const since = Math.min(...recovering.map(({ state }) => state.searchSince ?? 0));
    const { orders, ...search } = await readEnded(venue, snapshot, { symbol, since }, budget);
    const tags = new Set(recovering.map(({ number }) => strategyTag(number)));
    found.push(...orders.filter((order) => order.filled > ZERO && tags.has(strategyTagOf(order))));
    markets.set(symbol, { ...market, ...search });
  }
  return found;
}

const strategyTagOf = ({ clientId = "" }: VenueOrder): number => parseClientOrderId(clientId)?.tag ?? -1;

async function readEnded(
  { endedOrders }: Venue,
  { memory }: Snapshot,
  { symbol, since }: { readonly symbol: Pair; readonly since: number },
  budget: Budget,
): Promise<EndedSearch> {
  if (!endedOrders) return { orders: [], searched: true };
  const orders: VenueOrder[] = [];
  let page = memory.searchPages?.[symbol];
  for (let pages = 0; pages < MOST_SEARCH_PAGES; pages++) {
    const result = await askWithin(budget, () => endedOrders(symbol, since, page));
    if (!result) break;
    orders.push(...result.answer.orders);
    page = result.answer.next;
    if (page === undefined) return { orders, searched: true };
  }
  return { orders, searched: false, searchPage: page };
}
