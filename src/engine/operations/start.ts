import { type Decimal, ONE } from "../../kernel/decimal.ts";
import { AppError } from "../../kernel/errors.ts";
import { NO_STOP } from "../../kernel/fields.ts";
import { type Pair, splitPair } from "../../kernel/pair.ts";
import { MINUTE, type Millis } from "../../kernel/time.ts";
import { exitsOnLoss } from "../../limits/allowed.ts";
import { positionExposure } from "../../limits/position.ts";
import { accountKey, type Balance, parseAccountKey } from "../../model/account.ts";
import { byOf, type Caller } from "../../model/events.ts";
import type { Standings } from "../../model/limits.ts";
import type { Book, Market } from "../../model/market.ts";
import type { Elsewhere } from "../../model/memory.ts";
import { isInBook } from "../../model/order.ts";
import { NO_EXPOSURE, type Preview } from "../../model/proposal.ts";
import { freeBeside, type PairAmounts, type Strategy } from "../../model/strategy.ts";
import type { Deps } from "../../ports/deps.ts";
import { killRefusal } from "../../ports/kill-permit.ts";
import type { Venue, VenueOrder } from "../../ports/venue.ts";
import { runPassNow } from "../pass/round.ts";
import type { PositionStrategy } from "../position/position.ts";
import { type PositionKind, viewNamed } from "./reads.ts";
import {
  balancesForStart,
  describeStart,
  fundPaper,
  readKept,
  strategiesOn,
  type TradingPlace,
  venueForStart,
} from "./start-reads.ts";

type StartCaller = Caller & { readonly requestKey?: string | undefined };

interface CodedText {
  readonly code: string;
  readonly message: string;
}

/** A start after its reads, before anything is stored. */
export interface ReadyStart<S extends PositionStrategy> {
  readonly place: TradingPlace;
  readonly reads: StartReads & { readonly standings: Standings };
  /** Version of the state, and the beginning of the id. */
  readonly version: number;
  readonly prefix: string;
  readonly config: S["config"];
  readonly stateAt: (startPrice: Decimal) => S["state"];
  /** Price at which base is counted for limits; undefined if unknown. */
  readonly mid: Decimal | undefined;
  /** Its largest order in quote; default: a whole side. */
  readonly largest?: Decimal | undefined;
  /** Returns the price at which its base is booked. Throws if the plan is outdated or cannot start. */
  readonly startPrice: () => Decimal;
  readonly preview: () => Preview;
  readonly warnings: CodedText[];
}

/** Prepares a start. A repeated request returns the strategy of the first one. */
export async function prepareStrategyStart<S extends PositionStrategy, Requested extends object>(
  deps: Deps,
  kind: PositionKind<S, Requested>,
  call: StartCaller,
  read: () => Promise<ReadyStart<S>>,
) {
  const earlier = await startedEarlier(deps, call.requestKey ?? null);
  if (earlier)
    return {
      preview: async () => earlierPreview(earlier),
      exposure: NO_EXPOSURE,
      strategies: [],
      act: () => startedOut(deps, kind, earlier, []),
    };
  const ready = await read();
  return {
    async preview() {
      ready.startPrice();
      return ready.preview();
    },
    exposure: ready.place.dryRun ? NO_EXPOSURE : exposureAtStart(ready),
    strategies: [],
    check() {
      if (ready.reads.killed) throw killRefusal(deps.killHere, kind.idle);
      ready.startPrice();
    },
    async act() {
      const strategy = await createStrategy(deps, kind, ready, call);
      return startedOut(deps, kind, strategy, ready.warnings);
    },
  };
}

/** Returns the strategy that an earlier attempt of the same request started. */
export async function startedEarlier({ store }: Deps, request: string | null): Promise<Strategy | undefined> {
  const [view] = request === null ? [] : await store.strategies({ request });
  return view?.strategy;
}

export const earlierPreview = ({ id }: Pick<Strategy, "id">): Preview => ({
  what: `${id} was started by an earlier attempt of this request`,
  cost: "nothing more",
  worstCase: "nothing more is started",
  limits: [],
});

function exposureAtStart<S extends PositionStrategy>({
  config,
  stateAt,
  reads,
  mid,
  largest,
}: ReadyStart<S>) {
  const { market, standings } = reads;
  return positionExposure(
    { symbol: market.symbol, config, state: stateAt(ONE), phase: "starting" },
    { mid, largest, buys: [], exitsOnLoss: exitsOnLoss(standings.all[0]?.limits ?? {}, market.quote) },
  );
}

async function createStrategy<S extends PositionStrategy>(
  deps: Deps,
  { name, idle }: PositionKind<S>,
  { place, reads, version, prefix, config, stateAt, startPrice }: ReadyStart<S>,
  call: StartCaller,
): Promise<Strategy> {
  const { exchange, symbol } = place;
  const { account } = reads.venue;
  const state = stateAt(startPrice());
  await fundPaper(deps, place, reads.venue);
  const { base, quote } = splitPair(symbol);
  const strategy = await deps.store.createStrategy(
    {
      kind: name,
      version,
      config,
      state,
      wants: "run",
      ...NO_STOP,
      status: "running",
      phase: "starting",
      lastError: null,
      stoppedAt: null,
      prefix: `${prefix}-${exchange}-${base}-${quote}`,
      account: accountKey(account),
      symbol,
      name: place.name ?? null,
      startedAt: deps.marketTime(account, reads.now),
      request: call.requestKey ?? null,
    },
    byOf(call),
  );
  if (!strategy) throw killRefusal(deps.killHere, idle);
  return strategy;
}

async function startedOut<S extends PositionStrategy, Requested extends object>(
  deps: Deps,
  kind: PositionKind<S, Requested>,
  { id, account }: Strategy,
  warnings: CodedText[],
) {
  const ref = parseAccountKey(account);
  const venue = deps.venueOf(ref);
  const pass = venue && (await runPassNow(deps, venue));
  const view = await viewNamed(deps, kind, id);
  const { status, phase, config, symbol } = view.strategy;
  return {
    id,
    status,
    phase,
    message: describeStart(view, pass),
    ...kind.requested(ref.exchange, symbol, config),
    warnings,
  };
}

/** What a start needs of the account and its market. */
export interface StartReads {
  readonly venue: Venue;
  readonly market: Market;
  readonly book: Book;
  readonly open: readonly VenueOrder[];
  readonly balances: readonly Balance[];
  /** What other strategies of the account still need, and whether any of them trades its base or quote. */
  readonly kept: PairAmounts;
  readonly isShared: boolean;
  readonly killed: boolean;
  /** Protocol time. */
  readonly now: Millis;
  readonly interval: Millis;
}

export async function readStart(deps: Deps, place: TradingPlace): Promise<StartReads> {
  const venue = venueForStart(deps, place);
  const balances = await balancesForStart(deps, place);
  return readMarketFor(deps, { venue, symbol: place.symbol, balances });
}

/** The account and pair, and a strategy whose own need does not count as others' need. */
export interface ReadPlace extends Pick<StartReads, "venue" | "balances"> {
  readonly symbol: Pair;
  readonly beside?: string;
}

export async function readMarketFor(
  deps: Deps,
  { venue, symbol, balances, beside }: ReadPlace,
): Promise<StartReads> {
  const market = await venue.market(symbol);
  const book = await venue.book(symbol, 100);
  const open = (await venue.openOrders(symbol)).filter(isInBook);
  const running = await strategiesOn(deps, venue);
  const others = running.filter(({ strategy }) => strategy.id !== beside);
  const mine = Object.values(splitPair(symbol));
  return {
    venue,
    market,
    book,
    open,
    balances,
    kept: await readKept(deps, others, { market, balances }),
    isShared: others.some(({ strategy }) =>
      Object.values(splitPair(strategy.symbol)).some((asset) => mine.includes(asset)),
    ),
    killed: await deps.store.killed(),
    now: await deps.store.now(),
    interval: deps.interval ?? MINUTE,
  };
}

/** Reads prices of the pair from other sources. */
export async function readPricesElsewhere(
  reference: Deps["reference"] | undefined,
  { venue, now }: StartReads,
  symbol: Pair,
): Promise<Elsewhere> {
  const found = await reference?.(venue.account.exchange, symbol);
  const prices = (found?.prices ?? []).map((one) => ({ ...one, at: now }));
  return { prices, requestedAt: now, bookAt: now };
}

/** Returns the budget: the requested amounts, within what is free and not needed by other strategies. */
export function budgetFor(
  request: { readonly baseBudget?: Decimal | undefined; readonly quoteBudget?: Decimal | undefined },
  { market, balances, kept, isShared }: StartReads,
): PairAmounts {
  const { baseBudget, quoteBudget } = request;
  if (isShared && (baseBudget === undefined || quoteBudget === undefined))
    throw new AppError(
      "Invalid request",
      `other strategies of this account trade in ${market.base} or ${market.quote}; set baseBudget and quoteBudget to limit this one`,
    );
  const free = freeBeside(kept, balances, market);
  return { base: baseBudget ?? free.base, quote: quoteBudget ?? free.quote };
}
