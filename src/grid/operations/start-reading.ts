import {
  balancesForStart,
  strategiesOn,
  type TradingPlace,
  venueForStart,
} from "../../engine/pass/paper-start.ts";
import { readKept } from "../../engine/pass/read-reserves.ts";
import { confidenceAt } from "../../engine/reconcile/confidence.ts";
import { type Decimal, text } from "../../kernel/decimal.ts";
import type { Pair } from "../../kernel/pair.ts";
import { readStandings } from "../../limits/operations/standings.ts";
import type { Bounds } from "../../model/limits.ts";
import type { Quote } from "../../model/market.ts";
import type { Confidence } from "../../model/memory.ts";
import type { Deps } from "../../ports/deps.ts";
import type { Reference } from "../../ports/reference.ts";
import type { Venue } from "../../ports/venue.ts";
import type { StartInputs } from "../start/planned-start.ts";

export interface StartPlace extends TradingPlace {
  readonly confidence?: Decimal | undefined;
}

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
  const { symbol } = where;
  const venue = venueForStart(deps, where);
  const market = await venue.market(symbol);
  const quote = await venue.ticker(symbol);
  const balances = await balancesForStart(deps, where);
  const views = await strategiesOn(deps, venue);
  const kept = await readKept(deps, views, { market, balances });
  const trust = where.confidence === undefined ? undefined : await readTrust(deps, venue, quote, symbol);
  const killed = await deps.store.killed();
  const standings = await readStandings(deps, venue.account, actor);
  const now = venue.account.host === "" ? undefined : deps.marketTime(venue.account, await deps.store.now());
  const bounds = { standings, now };
  const { account } = venue;
  return { venue, account, market, quote, balances, kept, killed, trust, confidence: trust?.value, bounds };
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
