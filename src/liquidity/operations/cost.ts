import { accountKey } from "../../model/account.ts";
import type { StrategyDay } from "../../model/day.ts";
import type { WatchedPair } from "../../model/samples/promise.ts";
import type { Call } from "../../operation.ts";
import { betweenParts } from "../../ports/heavy.ts";
import { type QualityDeps, readSpreads } from "../../quality/operations/measured.ts";
import { profitOfDays } from "../../quality/profit.ts";
import type { MarketCost } from "../cost.ts";
import type { ReportDays } from "./pair-report.ts";

/** Requests reserved for the rest of a response. */
const REQUESTS_FOR_RESPONSE = 3;

/**
 * Returns what the strategies of each market earned and cost. Reads the fills of these days only. Where the platform's
 * requests are used up, the P&L is unknown.
 */
export async function readCosts(
  deps: QualityDeps,
  markets: readonly WatchedPair[],
  days: ReportDays,
  call: Call,
): Promise<MarketCost[]> {
  const { reports, requests, local, venue } = deps;
  const unknown = markets.map((market) => ({ market, profit: null }));
  const isSpent = () => requests !== undefined && requests() < REQUESTS_FOR_RESPONSE;
  if (!reports || isSpent()) return unknown;
  const places = markets.map(({ exchange, symbol }) =>
    strategyPlace(accountKey(venue(exchange).account), symbol),
  );
  const dayPlace = ({ account, latest }: StrategyDay) => strategyPlace(account, latest.symbol);
  const between = async () => {
    if (isSpent()) throw new NoRequestsLeft();
    await betweenParts(local, call);
  };
  const request = { ...days, isOf: (day: StrategyDay) => places.includes(dayPlace(day)), between };
  try {
    const measured = await readSpreads({ ...deps, reports }, request);
    return markets.map((market, index) => {
      const ofMarket = measured.filter(({ row }) => dayPlace(row) === places[index]);
      return { market, profit: ofMarket.length === 0 ? null : profitOfDays(ofMarket) };
    });
  } catch (error) {
    if (error instanceof NoRequestsLeft) return unknown;
    throw error;
  }
}

class NoRequestsLeft extends Error {}

const strategyPlace = (account: string, symbol: string): string => `${account} ${symbol}`;
