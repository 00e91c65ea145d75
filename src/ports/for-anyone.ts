import type { MarketData } from "./market.ts";
import type { Venue } from "./venue.ts";

/** Public data for requests without a token, with a rate limit separate from that of passes. */
export const forAnyone = (venue: Venue): MarketData => venue.forAnyone ?? venue;
