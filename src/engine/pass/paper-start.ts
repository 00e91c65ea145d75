/** The account of a start and its balances: the real account, or a paper trading account next to it. */
import type { Decimal } from "../../kernel/decimal.ts";
import { AppError } from "../../kernel/errors.ts";
import { type Pair, splitPair } from "../../kernel/pair.ts";
import { accountKey, type Balance } from "../../model/account.ts";
import type { Deps } from "../../ports/deps.ts";
import type { DryBalances, DryRuns } from "../../ports/paper.ts";
import type { StrategyView } from "../../ports/stores/strategy-store.ts";
import type { Venue } from "../../ports/venue.ts";

export interface TradingPlace {
  readonly exchange: string;
  readonly symbol: Pair;
  readonly dryRun?: boolean | undefined;
  readonly dryBalance?: Readonly<Record<string, Decimal>> | undefined;
  /** Name of the strategy to start. */
  readonly name?: string | undefined;
}

export function venueForStart(deps: Deps, { exchange, dryRun, dryBalance }: TradingPlace): Venue {
  if (dryBalance && !dryRun) throw new AppError("Invalid request", "dryBalance requires dryRun");
  return dryRun ? requirePaper(deps).venue(exchange) : deps.venue(exchange);
}

export const balancesForStart = (deps: Deps, tradingPlace: TradingPlace): Promise<readonly Balance[]> =>
  tradingPlace.dryRun
    ? requirePaper(deps).balances(tradingPlace.exchange, paperBalances(tradingPlace))
    : deps.venue(tradingPlace.exchange).balances();

/** Returns the strategies that run on an account. */
export const strategiesOn = ({ store }: Deps, { account }: Venue): Promise<readonly StrategyView[]> =>
  store.strategies({ stopped: false, account: accountKey(account) });

/** Sets the balances of a paper account. Refuses while a strategy uses the account, because its assets would vanish. */
export async function fundPaper(deps: Deps, tradingPlace: TradingPlace, venue: Venue): Promise<void> {
  const { exchange, dryRun, dryBalance } = tradingPlace;
  if (!dryRun) return;
  if (dryBalance && (await strategiesOn(deps, venue)).length > 0)
    throw new AppError(
      "Conflict",
      `a dry run on ${exchange} uses these balances; stop it, or remove dryBalance`,
    );
  await requirePaper(deps).fund(exchange, paperBalances(tradingPlace));
}

function requirePaper({ dry }: Deps): DryRuns {
  if (!dry) throw new AppError("Start failed", "paper trading is not available here");
  return dry;
}

const paperBalances = ({ symbol, dryBalance }: TradingPlace): DryBalances => ({
  given: dryBalance,
  quote: splitPair(symbol).quote,
});
