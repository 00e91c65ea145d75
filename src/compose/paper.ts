import type { DryBooks } from "../adapters/libsql/sandbox/dry-books.ts";
import { dryKey, dryVenue } from "../adapters/sandbox/dry-venue.ts";
import { decimal, ZERO } from "../kernel/decimal.ts";
import { AppError } from "../kernel/errors.ts";
import type { AccountRef, Balance } from "../model/account.ts";
import type { Deps } from "../ports/deps.ts";
import type { MarketData } from "../ports/market.ts";
import type { DryRuns } from "../ports/paper.ts";
import type { Venue } from "../ports/venue.ts";

/** Initial quote balance of a paper trading account. */
const FIRST_QUOTE = decimal("10000");

interface PaperParts extends Pick<Deps, "exchanges" | "venue"> {
  readonly books: DryBooks;
  /** Returns the host of an exchange's requests. */
  readonly hostOf: (exchange: string) => string;
}

/** Creates paper trading accounts next to the exchanges' own; they use only public data of the exchange. */
export function connectDryRuns({
  books,
  exchanges,
  venue,
  hostOf,
}: PaperParts): DryRuns & Pick<Deps, "venueOf"> {
  const dry = (exchange: string): Venue => {
    const account: AccountRef = { exchange, kind: "dry", host: hostOf(exchange) };
    return dryVenue({ account, books, data: publicOnly(venue(exchange)) });
  };
  return {
    venue: dry,

    venueOf({ exchange, host }) {
      const isConfigured = exchanges.some(({ id }) => id === exchange);
      return isConfigured && hostOf(exchange) === host ? dry(exchange) : undefined;
    },

    async balances(exchange, { given, quote }) {
      const holdings = given
        ? Object.entries(given).map(([asset, total]) => ({ asset, total, used: ZERO }))
        : await books.holdings(dryKey({ exchange }));
      const all = holdings.length > 0 ? holdings : [{ asset: quote, total: FIRST_QUOTE, used: ZERO }];
      return all.map(({ asset, total, used }): Balance => ({ asset, free: total - used, used }));
    },

    async fund(exchange, { given, quote }) {
      const key = dryKey({ exchange });
      if (!given) return books.open(key, { asset: quote, total: FIRST_QUOTE });
      if (!(await books.fund(key, given))) throw inUse(exchange);
    },
  };
}

const inUse = (exchange: string): AppError =>
  new AppError(
    "Conflict",
    `the dry run account on ${exchange} has orders: stop its grids before you set new balances`,
  );

/**
 * Returns public data only. A market's fees are the public ones, because the account's own would need a private
 * request.
 */
const publicOnly = (data: Venue): MarketData => ({ ...data, market: data.listed ?? data.market });
