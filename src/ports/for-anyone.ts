import type { MarketData } from "./market.ts";
import type { Venue } from "./venue.ts";

/** What a venue's public data is to whoever asks without a token: apart from what passes ask, where that matters. */
export const forAnyone = (venue: Venue): MarketData => venue.forAnyone ?? venue;
