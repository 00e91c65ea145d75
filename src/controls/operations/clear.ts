import * as z from "zod";
import { isReadable } from "../../engine/accounts.ts";
import { runPassNow } from "../../engine/pass/round.ts";
import { upgraded } from "../../engine/pass/upgrade.ts";
import { isFinal } from "../../engine/reconcile/order-fills.ts";
import { type Decimal, text } from "../../kernel/decimal.ts";
import { lazy } from "../../kernel/lazy.ts";
import { splitPair } from "../../kernel/pair.ts";
import { countWithVerb } from "../../kernel/plain-text.ts";
import { type Millis, SECOND } from "../../kernel/time.ts";
import { type AccountKey, exchangeName, exchangeOfRequest, parseAccountKey } from "../../model/account.ts";
import type { Order } from "../../model/order.ts";
import type { Deps } from "../../ports/deps.ts";
import type { ConfiguredExchanges } from "../../ports/exchanges.ts";
import type { Kinds, StoreDeps } from "../../ports/kind.ts";
import type { StrategyView } from "../../ports/stores/store.ts";

/** Maximum time of one response, which shows the progress; the next request continues. */
const ROUND: Millis = 8 * SECOND;
const PASS_INTERVAL_MS: Millis = 250;
/** On Workers: requests that a pass over one account and the response need. */
const MIN_CLEAR_REQUESTS = 15;

const OrderLeftShape = () =>
  z.object({
    exchange: z.string(),
    symbol: z.string(),
    id: z.string().nullable(),
    clientOrderId: z.string(),
    side: z.string(),
    status: z.string(),
    strategy: z.string().nullable(),
  });

export const ClearedShape = lazy(() => ({
  /** Whether nothing is left that this server could still do. */
  done: z.boolean(),
  orders: z.array(OrderLeftShape()),
  /**
   * Open orders that were placed with keys of a request; the server does not store those keys, so only a request with
   * them can cancel the orders.
   */
  ordersOfRequests: z.array(OrderLeftShape()),
}));

/** State of a strategy that was not stopped before the panic. */
export const LeavingShape = lazy(() =>
  z.object({
    id: z.string(),
    status: z.string(),
    asset: z.string(),
    /** Base that it still has; null if this version cannot read the strategy. */
    base: z.string().nullable(),
    error: z.string().nullable(),
  }),
);

/** Formats a response for people: shows only lists that have rows. */
export function clearedView(answer: unknown): object {
  const { grids = [], orders = [], ordersOfRequests = [], ...others } = answer as Record<string, unknown[]>;
  const lists = { strategies: grids, orders, "orders of request keys": ordersOfRequests };
  return { ...others, ...Object.fromEntries(Object.entries(lists).filter(([, rows]) => rows.length > 0)) };
}

/** Runs passes over every account with work left, until none has any or the response is due. */
export async function clear(deps: Deps, isDone: () => Promise<boolean>): Promise<void> {
  const { local, requests } = deps;
  const startedAt = local.monotonic();
  const mayGoOn = () =>
    local.monotonic() - startedAt < ROUND && (requests?.() ?? Number.POSITIVE_INFINITY) > MIN_CLEAR_REQUESTS;
  for (;;) {
    await passOverAll(deps);
    if ((await isDone()) || !mayGoOn()) return;
    await local.sleep(PASS_INTERVAL_MS);
  }
}

async function passOverAll(deps: Deps): Promise<void> {
  const due = await deps.store.due();
  const venues = due.flatMap(({ account }) => deps.venueOf(parseAccountKey(account)) ?? []);
  if (!deps.requests) {
    await Promise.all(venues.map((venue) => runPassNow(deps, venue)));
    return;
  }
  for (const venue of venues) if (deps.requests() > MIN_CLEAR_REQUESTS) await runPassNow(deps, venue);
}

interface RestingOrders {
  readonly orders: readonly Order[];
  readonly ofRequests: readonly Order[];
}

/** Reads our orders that are open or can be open, and separately those of accounts whose keys are not stored. */
export async function readRestingOrders({ store }: StoreDeps): Promise<RestingOrders> {
  const resting = (await store.unsettledOrders()).filter((order) => !isFinal(order));
  const isOfRequest = ({ account }: Order) => exchangeOfRequest(account) !== undefined;
  return {
    orders: resting.filter((order) => !isOfRequest(order)),
    ofRequests: resting.filter(isOfRequest),
  };
}

const MAX_ORDERS_SHOWN = 100;

/** Returns the orders that a response lists. */
export const ordersLeft = ({ orders, ofRequests }: RestingOrders) => ({
  orders: orders.slice(0, MAX_ORDERS_SHOWN).map(orderLeft),
  ordersOfRequests: ofRequests.slice(0, MAX_ORDERS_SHOWN).map(orderLeft),
});

/** Describes what the user can do about those orders; ends a message. */
export function requestsText({ ofRequests }: RestingOrders): string {
  if (ofRequests.length === 0) return "";
  const exchanges = [...new Set(ofRequests.map(({ account }) => exchangeOfRequest(account)))].join(", ");
  const what = countWithVerb(ofRequests.length, "order", "was", "were");
  return `; ${what} placed on ${exchanges} with keys of a request, which are not stored. Cancel them with these keys (DELETE /orders) or on the exchange's site`;
}

/** Returns whether another pass of this process could reduce what is left. */
export const isReached = ({ venueOf }: ConfiguredExchanges, account: AccountKey): boolean =>
  venueOf(parseAccountKey(account)) !== undefined;

const orderLeft = ({ account, strategy, clientId, exchangeId, symbol, side, state }: Order) => ({
  exchange: exchangeName(account),
  symbol,
  id: exchangeId,
  clientOrderId: clientId,
  side,
  status: state,
  strategy,
});

export function strategyLeft({ kinds }: Pick<Deps, "kinds">, view: StrategyView) {
  const { strategy, accountError } = view;
  const base = baseOf(kinds, view);
  return {
    id: strategy.id,
    status: strategy.status,
    asset: splitPair(strategy.symbol).base,
    base: base === null ? null : text(base),
    error: strategy.lastError ?? (strategy.status === "stopped" ? null : accountError),
  };
}

/** Returns the base that a strategy holds; null if this version cannot read it, which must not prevent a response. */
export function baseOf(kinds: Kinds, view: StrategyView): Decimal | null {
  if (!isReadable(view, kinds)) return null;
  const kind = kinds(view.strategy.kind);
  return kind.holdings(upgraded(kind, view.strategy).state).base;
}

/** Names accounts that have work left but that this process cannot reach. */
export function unreachedText(deps: ConfiguredExchanges, accounts: readonly AccountKey[]): string {
  const unreached = [...new Set(accounts)].filter((account) => !isReached(deps, account));
  if (unreached.length === 0) return "";
  const names = unreached.map((account) => parseAccountKey(account).exchange).join(", ");
  return `; this process has no keys for ${names}: another process has to finish it, or cancel them on the exchange's site`;
}
