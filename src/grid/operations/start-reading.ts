import { readKept } from "../../engine/pass/read-reserves.ts";
import { confidenceAt } from "../../engine/reconcile/confidence.ts";
import { type Decimal, text } from "../../kernel/decimal.ts";
import { AppError } from "../../kernel/errors.ts";
import { type Pair, splitPair } from "../../kernel/pair.ts";
import { readStandings } from "../../limits/operations/standings.ts";
import { accountKey } from "../../model/account.ts";
import type { Bounds } from "../../model/limits.ts";
import type { Quote } from "../../model/market.ts";
import type { Confidence } from "../../model/memory.ts";
import type { Deps } from "../../ports/deps.ts";
import type { DryBalances, DryRuns } from "../../ports/paper.ts";
import type { Reference } from "../../ports/reference.ts";
import type { StrategyView } from "../../ports/stores/strategy-store.ts";
import type { Venue } from "../../ports/venue.ts";
import type { StartInputs } from "../start/planned-start.ts";

export type StartPlace = {
  readonly exchange: string;
  readonly symbol: Pair;
  readonly confidence?: Decimal | undefined;
  readonly dryRun?: boolean | undefined;
  readonly dryBalance?: Readonly<Record<string, Decimal>> | undefined;
};

/** What a start reads in addition to a plan's data. */
export interface Read {
  readonly venue: Venue;
  readonly trust: Confidence | undefined;
  readonly bounds: Bounds;
}

const NO_REFERENCE: Reference = { prices: [], most: null, listed: false };

/** Reads what a start needs of the account and its market. */
export async function readForStart(
  deps: Deps,
  where: StartPlace,
  actor: string,
): Promise<StartInputs & Read> {
  const { exchange, symbol, dryRun, dryBalance } = where;
  if (dryBalance && !dryRun) throw new AppError("Invalid request", "dryBalance requires dryRun");
  const dry = dryRun ? dryRunsOf(deps) : undefined;
  const venue = venueOf(deps, where);
  const market = await venue.market(symbol);
  const quote = await venue.ticker(symbol);
  const balances = dry ? await dry.balances(exchange, first(where)) : await venue.balances();
  const views = await runningOn(deps, venue);
  const kept = await readKept(deps, views, { market, balances });
  const trust = where.confidence === undefined ? undefined : await readTrust(deps, venue, quote, symbol);
  const killed = await deps.store.killed();
  const standings = await readStandings(deps, venue.account, actor);
  const now = venue.account.host === "" ? undefined : deps.marketTime(venue.account, await deps.store.now());
  const bounds = { standings, now };
  return { venue, market, quote, balances, kept, killed, trust, confidence: trust?.value, bounds };
}

/** Returns the venue of a requested grid. */
export const venueOf = (deps: Deps, { exchange, dryRun }: StartPlace): Venue =>
  dryRun ? dryRunsOf(deps).venue(exchange) : deps.venue(exchange);

function dryRunsOf({ dry }: Deps): DryRuns {
  if (!dry) throw new AppError("Start failed", "paper trading is not available here");
  return dry;
}

const first = ({ symbol, dryBalance }: StartPlace): DryBalances => ({
  given: dryBalance,
  quote: splitPair(symbol).quote,
});

/** Returns the strategies that run on an account. */
export const runningOn = ({ store }: Deps, { account }: Venue): Promise<readonly StrategyView[]> =>
  store.strategies({ stopped: false, account: accountKey(account) });

/** Sets the balances of a paper account. Refuses while a strategy uses it, because its assets would vanish. */
export async function fund(deps: Deps, where: StartPlace, venue: Venue): Promise<void> {
  const { exchange, dryRun, dryBalance } = where;
  if (!dryRun) return;
  if (dryBalance && (await runningOn(deps, venue)).length > 0)
    throw new AppError(
      "Conflict",
      `a dry run on ${exchange} uses these balances; stop it, or remove dryBalance`,
    );
  await dryRunsOf(deps).fund(exchange, first(where));
}

async function readTrust(deps: Deps, { account }: Venue, quote: Quote, symbol: Pair): Promise<Confidence> {
  const reference = (await deps.reference?.(account.exchange, symbol)) ?? NO_REFERENCE;
  // A simulated price belongs to the moment of the request, in simulated time.
  const now = account.host === "" ? quote.at : deps.marketTime(account, await deps.store.now());
  return confidenceAt(quote, { reference, now });
}

/** Returns a warning if the price confidence is below the configured minimum for the first orders. */
export function startDoubts(
  { trust }: Read,
  { confidence }: StartPlace,
): { code: string; message: string }[] {
  if (!trust || confidence === undefined || trust.value >= confidence) return [];
  const message = `nothing is placed now: the price's confidence is ${text(trust.value)}, below ${text(confidence)} (${trust.source})`;
  return [{ code: "low_confidence", message }];
}
