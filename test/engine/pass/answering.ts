// An exchange that answers what a test says, and keeps in order what it was asked.
import { type Budget, budgetOf } from "../../../src/engine/pass/budget.ts";
import type { Pair } from "../../../src/kernel/pair.ts";
import type { BidAsk, Market } from "../../../src/model/market.ts";
import type { FillsOfSpan, FillsRead, Timing, Venue, VenueOrder } from "../../../src/ports/venue.ts";
import { market } from "../../support/grid.ts";
import { NOW, quote, TIMING } from "../../support/made.ts";

interface Answers {
  readonly balances?: Venue["balances"];
  readonly openOrders?: (symbol?: string) => Promise<readonly VenueOrder[]>;
  readonly order?: Venue["order"];
  readonly orders?: Venue["orders"];
  readonly fills?: (symbol: string, span: { from: number; to?: number }) => Promise<FillsOfSpan>;
  readonly fillsOf?: (symbol: string, ids: readonly string[], since: number) => Promise<FillsRead>;
  readonly market?: (symbol: string) => Promise<Market>;
  readonly ticker?: (symbol: string) => Promise<BidAsk>;
  readonly timing?: Partial<Timing>;
  readonly account?: Venue["account"];
  readonly opening?: Venue["opening"];
  readonly readsTogether?: boolean;
}

/** All there is up to now, and nothing in it. */
export const nothingDone = async (_: string, { from }: { from: number }): Promise<FillsOfSpan> => ({
  fills: [],
  unreadable: [],
  covered: { from, to: NOW },
  now: NOW,
});

export function exchangeOf({ timing, account, readsTogether = false, ...answers }: Answers = {}) {
  const requests: unknown[][] = [];
  const all = {
    balances: async () => [],
    openOrders: async () => [],
    order: async () => undefined,
    fills: nothingDone,
    fillsOf: async () => ({ fills: [], unreadable: [] }),
    market: async (symbol: Pair) => market({ symbol }),
    ticker: async () => quote(),
    ...answers,
  };
  const kept = Object.entries(all).map(([name, answer]) => [
    name,
    (...given: never[]) => {
      requests.push([name, ...given]);
      return (answer as (...one: never[]) => unknown)(...given);
    },
  ]);
  const venue = {
    account: account ?? { exchange: "kraken", kind: "live", host: "api.kraken.com" },
    timing: { ...TIMING, ...timing },
    readsTogether,
    ...Object.fromEntries(kept),
  } as Venue;
  return { venue, requests };
}

/** Of a pass that has time for everything, and so many calls. */
export const callsLeft = (calls?: number): Budget => budgetOf({ clock: () => 0, last: 100_000 }, calls);
