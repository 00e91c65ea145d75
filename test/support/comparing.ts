import { timeLimit } from "../../src/compose/deps.ts";
import { decimal } from "../../src/kernel/decimal.ts";
import type { Book } from "../../src/model/market.ts";
import type { Deps } from "../../src/ports/deps.ts";
import type { Venue } from "../../src/ports/venue.ts";
import { testApp } from "./app.ts";

interface Trade {
  buy: string | null;
  sell: string | null;
  amount: number;
  cost: number;
  fees: number;
  net: number;
}
export interface Answer {
  status: number;
  error?: string;
  message?: string;
  prices: { exchange: string; pool?: string; price: number; bid: number; ask: number; spread: number }[];
  analysis: {
    lowestAsk: { exchange: string; price: number };
    highestBid: { exchange: string; price: number };
    spread: number;
    spreadPercent: number;
    arbitrageOpportunity: boolean;
    executable: Trade & {
      opportunity: boolean;
      reason: string | null;
      endsAt: string | null;
      whole?: Trade | null;
    };
  };
  unlisted: string[];
  failed?: { exchange: string; error: string }[];
}

/** Milliseconds that a read may take where one hangs: long enough that only that one is ended by it. */
export const LIMIT = 3000;
/** As long as a slow machine needs. */
const PATIENCE = 240_000;

/** The service over simulated exchanges, some of whose reads are replaced. */
export async function comparing(
  over: Record<string, Partial<Venue>> = {},
  rest: Partial<Deps> = {},
  limit = PATIENCE,
) {
  const app = await testApp({
    connect: (deps) => ({
      ...deps,
      inTime: timeLimit(limit),
      venue: (id) => ({ ...deps.venue(id), ...over[id] }),
      ...rest,
    }),
  });
  const compare = async (query: string): Promise<Answer> => {
    const response = await app.ask(`/api/v1/price/compare?${query}`);
    return { ...((await response.json()) as Answer), status: response.status };
  };
  return { ...app, compare };
}

/** A venue's market at given prices, one level a side of the given amount. */
export function priced(bid: string, ask: string, amount = "1"): Partial<Venue> {
  const [bidAt, askAt, size] = [bid, ask, amount].map(decimal) as [bigint, bigint, bigint];
  const book: Book = {
    bids: [{ price: bidAt, amount: size }],
    asks: [{ price: askAt, amount: size }],
    at: 1,
  };
  return {
    book: async () => book,
    ticker: async () => ({ last: bidAt, bid: bidAt, ask: askAt, at: 1, baseVolume: 1n, quoteVolume: 1n }),
  };
}

export const names = ({ prices }: Answer) => prices.map(({ exchange }) => exchange);
