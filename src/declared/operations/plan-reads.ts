import { completedSeries } from "../../engine/pass/observe-candles.ts";
import { balancesForStart, strategiesOn, venueForStart } from "../../engine/pass/paper-start.ts";
import { readKept } from "../../engine/pass/read-reserves.ts";
import { AppError } from "../../kernel/errors.ts";
import { type Pair, splitPair } from "../../kernel/pair.ts";
import { MINUTE } from "../../kernel/time.ts";
import { readStandings } from "../../limits/operations/standings.ts";
import { accountKey } from "../../model/account.ts";
import { type Both, freeBeside } from "../../model/reserve.ts";
import type { AnyStrategyDefinition } from "../../ports/definition.ts";
import type { Deps } from "../../ports/deps.ts";
import type { Venue } from "../../ports/venue.ts";
import { candleNeed } from "../pass/requested.ts";
import type { DeclaredRequest } from "../schema/input.ts";
import type { PlanInputs } from "../start/planned.ts";

export interface DeclaredPlace extends PlanInputs {
  readonly venue: Venue;
  /** Whether another strategy of the account trades its base or quote. */
  readonly isShared: boolean;
}

export async function readDeclaredPlace(
  deps: Deps,
  definition: AnyStrategyDefinition,
  request: DeclaredRequest,
  actor: string,
): Promise<DeclaredPlace> {
  const { symbol } = request;
  const venue = venueForStart(deps, request);
  const balances = await balancesForStart(deps, request);
  const market = await venue.market(symbol);
  const book = await venue.book(symbol, 100);
  const open = await venue.openOrders(symbol);
  const others = await strategiesOn(deps, venue);
  const mine = Object.values(splitPair(symbol));
  return {
    ...{ venue, market, book, open, balances, account: accountKey(venue.account), timing: venue.timing },
    requested: await readRequested(deps, definition, { venue, book, symbol }),
    kept: await readKept(deps, others, { market, balances }),
    isShared: others.some(({ strategy }) =>
      Object.values(splitPair(strategy.symbol)).some((asset) => mine.includes(asset)),
    ),
    killed: await deps.store.killed(),
    standings: await readStandings(deps, venue.account, actor),
    now: await deps.store.now(),
    interval: deps.interval ?? MINUTE,
  };
}

/** Reads what a pass would read besides the book. */
async function readRequested(
  { reference, store }: Deps,
  definition: AnyStrategyDefinition,
  { venue, book, symbol }: Pick<DeclaredPlace, "venue" | "book"> & { readonly symbol: Pair },
): Promise<PlanInputs["requested"]> {
  const need = candleNeed(definition);
  const rows = need ? await venue.candles(symbol, { span: need.span, limit: need.count + 2 }) : [];
  const found = definition.reference ? await reference?.(venue.account.exchange, symbol) : undefined;
  const at = await store.now();
  const prices = (found?.prices ?? []).map((one) => ({ ...one, at }));
  return {
    ...(need ? { candles: [completedSeries(rows, need, book.at)] } : {}),
    elsewhere: { prices, requestedAt: at, bookAt: at },
  };
}

/** Returns the budget: the requested amounts, within what is free and not needed by other strategies. */
export function declaredBudget(
  { baseBudget, quoteBudget }: DeclaredRequest,
  declaredPlace: DeclaredPlace,
): Both {
  const { market, balances, kept, isShared } = declaredPlace;
  if (isShared && (baseBudget === undefined || quoteBudget === undefined))
    throw new AppError(
      "Invalid request",
      `other strategies of this account trade in ${market.base} or ${market.quote}; set baseBudget and quoteBudget to limit this one`,
    );
  const free = freeBeside(kept, balances, market);
  return { base: baseBudget ?? free.base, quote: quoteBudget ?? free.quote };
}
