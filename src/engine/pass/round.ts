import { type Decimal, text, ZERO } from "../../kernel/decimal.ts";
import { AppError, messageOf, VenueError } from "../../kernel/errors.ts";
import { type Pair, splitPair } from "../../kernel/pair.ts";
import { isAhead, MAX_BACKOFF_MS, type Millis, SECOND } from "../../kernel/time.ts";
import {
  type AccountKey,
  accountKey,
  type Balance,
  balanceIn,
  parseAccountKey,
} from "../../model/account.ts";
import type { Market } from "../../model/market.ts";
import type { PairAmounts, Strategy } from "../../model/strategy.ts";
import type { Deps, DryBalances, DryRuns } from "../../ports/deps.ts";
import type { DueAccount } from "../../ports/stores/pass-store.ts";
import type { StrategyView } from "../../ports/stores/store.ts";
import type { Venue } from "../../ports/venue.ts";
import { neededOf, needsOf } from "../reserves.ts";
import { type Pass, type PassDeps, type PassOptions, runPass } from "./pass.ts";

type RoundDeps = PassDeps & Pick<Deps, "venueOf" | "tracer">;

/** Minimum number of requests for a pass over one market; with fewer, it would only wait again. */
const MIN_PASS_REQUESTS = 12;

interface RoundOptions extends PassOptions {
  /** Starts an account's pass: returns the time until its next one, or undefined if this round makes none. */
  readonly paceOf?: (account: AccountKey) => Millis | undefined;
}

/**
 * Runs one pass over every account that is due. The timer, the cron and POST /internal/tick call it. If requests are
 * limited, the accounts that have waited longest come first.
 */
export async function runRound(deps: RoundDeps, { paceOf, ...options }: RoundOptions = {}): Promise<Pass[]> {
  const all = await deps.store.due();
  const paces = new Map(paceOf && all.map(({ account }) => [account, paceOf(account)]));
  const due = paceOf ? all.filter(({ account }) => paces.get(account) !== undefined) : all;
  const runDuePass = async (dueAccount: (typeof due)[number]): Promise<Pass> =>
    isBackingOff(dueAccount)
      ? { account: dueAccount.account, outcome: "backing_off" }
      : runAccountPass(
          { ...deps, interval: paces.get(dueAccount.account) ?? deps.interval },
          dueAccount.account,
          options,
        );
  const { requests } = deps;
  if (!requests) return Promise.all(due.map(runDuePass));
  const passes: Pass[] = [];
  for (const dueAccount of due)
    passes.push(
      requests() < MIN_PASS_REQUESTS
        ? { account: dueAccount.account, outcome: "postponed" }
        : await runDuePass(dueAccount),
    );
  return passes;
}

/** Initial wait after a failure. */
const FIRST_PAUSE: Millis = 15 * SECOND;

/** Returns whether an account waits after failed passes; one without failures waits for its rate limit. */
const isBackingOff = ({ retryAt, failures, now }: DueAccount): boolean =>
  isAhead(retryAt, now, Math.min(MAX_BACKOFF_MS, FIRST_PAUSE * 2 ** Math.max(0, failures - 1)));

/** Runs one pass over a stored account, if this process has a configuration for it. */
export async function runAccountPass(
  deps: RoundDeps,
  account: AccountKey,
  options: PassOptions,
): Promise<Pass> {
  const venue = deps.venueOf(parseAccountKey(account));
  if (!venue) return { account, outcome: "not_configured", message: "this process is not configured for it" };
  return tracedPass(deps, venue, options).catch((error: unknown) => ({
    account,
    outcome: "failed",
    message: messageOf(error),
  }));
}

/** Runs a pass inside a trace span. */
function tracedPass(deps: RoundDeps, venue: Venue, options: PassOptions): Promise<Pass> {
  const { tracer } = deps;
  if (!tracer) return runPass(deps, venue, options);
  const { exchange, kind } = venue.account;
  return tracer.span(
    "pass",
    { "edgemaker.exchange": exchange, "edgemaker.account.kind": kind },
    async (span) => {
      const pass = await runPass(deps, venue, options);
      span.set({ "edgemaker.pass.outcome": pass.outcome });
      if (pass.outcome === "failed") span.fail("failed");
      return pass;
    },
  );
}

/** Returns the accounts that this process should run passes for. */
export async function accountsDue(deps: RoundDeps): Promise<AccountKey[]> {
  const due = await deps.store.due();
  return due
    .filter((dueAccount) => !isBackingOff(dueAccount) && deps.venueOf(parseAccountKey(dueAccount.account)))
    .map(({ account }) => account);
}

const MAX_PASS_WAIT_MS: Millis = 10 * SECOND;
const BETWEEN_LOOKS: Millis = 50;

/** Runs one pass on a person's request; waits if another pass is running. */
export async function runPassNow(deps: RoundDeps, venue: Venue): Promise<Pass> {
  const requestedAt = deps.local.monotonic();
  for (;;) {
    const pass = await tracedPass(deps, venue, { isUrgent: true });
    if (pass.outcome !== "busy" || deps.local.monotonic() - requestedAt > MAX_PASS_WAIT_MS) return pass;
    await venue.wait?.();
    await deps.local.sleep(BETWEEN_LOOKS);
  }
}

/** The account of a start and its balances: the real account, or a paper trading account next to it. */
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

const paperBalances = ({ symbol, dryBalance }: TradingPlace): DryBalances => ({
  given: dryBalance,
  quote: splitPair(symbol).quote,
});

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

/** Returns the venue of a strategy to change. Throws AppError if this process cannot reach it. */
export function venueForChange({ venueOf }: Pick<Deps, "venueOf">, account: AccountKey): Venue {
  const of = parseAccountKey(account);
  const venue = venueOf(of);
  if (venue) return venue;
  throw new AppError(
    "Exchange error",
    `nothing is changed: this process is not configured for ${of.exchange}; use a process that is`,
  );
}

const UNREACHED: readonly VenueError["failure"][] = ["unavailable", "rate_limited", "refused"];

/** Reads what a change must know from the exchange. Throws AppError if the exchange does not return it. */
export async function readForChange<T>({ account }: Venue, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof VenueError) || !UNREACHED.includes(error.failure)) throw error;
    const message = `nothing is changed: ${account.exchange} could not be read (${error.message}); the strategy continues unchanged`;
    throw new AppError("Exchange error", message, { cause: error });
  }
}

/** Runs one or two passes if this process runs passes, and returns the strategy after them. */
export async function runPassesUntil<V extends StrategyView>(
  deps: Deps,
  read: () => Promise<V>,
  isDone: (view: V) => boolean,
): Promise<{ readonly view: V; readonly why: string }> {
  const venue = deps.venueOf(parseAccountKey((await read()).strategy.account));
  let pass: Pass | undefined;
  for (let at = 0; venue && at < 2 && !isDone(await read()); at++) pass = await runPassNow(deps, venue);
  const view = await read();
  const why =
    pass?.outcome === "failed"
      ? `; its pass failed (${pass.message}) and is tried again`
      : venue
        ? ""
        : `; a process that is configured for ${view.strategy.account} applies it`;
  return { view, why };
}

/** Returns what the strategies of an account still need of both assets; each pair at the fees of this one. */
export async function readKept(
  { store, kinds }: Pick<Deps, "store" | "kinds">,
  views: readonly StrategyView[],
  { market, balances }: { readonly market: Market; readonly balances: readonly Balance[] },
): Promise<PairAmounts> {
  const [first] = views;
  if (!first) return { base: ZERO, quote: ZERO };
  const orders = await store.unsettledOrders(first.strategy.account);
  const strategies = views.map(({ strategy }) => strategy);
  const needs = needsOf(strategies, orders, { kinds, marketOf: () => market });
  const keptOf = (asset: string) => neededOf(needs, balanceIn(balances, asset));
  return { base: keptOf(market.base), quote: keptOf(market.quote) };
}

/** Describes how a start went; `pass` is its first pass, if this process runs passes. */
export function describeStart(
  { id, status, phase, config }: Pick<Strategy, "id" | "status" | "phase" | "config">,
  pass: Pass | undefined,
): string {
  if (pass?.outcome === "failed")
    return `${id} is stored and ${status}; its first pass failed (${pass.message}) and is tried again`;
  if (pass === undefined || pass.outcome === "busy")
    return `${id} is stored and ${status}; its first orders follow with the next pass`;
  if (status === "stopped") return `${id} has been started, and stopped since`;
  if (status === "idle" && config.triggerPrice !== undefined)
    return `${id} waits until the market reaches ${text(config.triggerPrice)}`;
  return phase === "active"
    ? `${id} is running and its orders are placed`
    : `${id} is ${status}; more of its orders follow`;
}
