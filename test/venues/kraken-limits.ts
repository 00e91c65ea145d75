/**
 * Kraken's two counters. Calls: https://docs.kraken.com/api/docs/guides/spot-rest-ratelimits (of each API key; calls of
 * trade history and ledgers count 2, placing and cancelling not at all). Orders:
 * https://docs.kraken.com/api/docs/guides/spot-ratelimits (of each client and pair, in the matching engine).
 */

import { type Millis, SECOND } from "../../src/kernel/time.ts";
import type { Tier } from "../../src/model/market.ts";
import type { Account } from "./account.ts";
import { byClientId, type Member, type PrivateAsk, type Reply, type Route } from "./dialect.ts";
import { error, formOf, listingOf } from "./kraken-words.ts";
import type { Order } from "./order.ts";

interface Limit {
  readonly most: number;
  /** Given back each second. */
  readonly decay: number;
}

export const TIERS = {
  starter: { calls: { most: 15, decay: 0.33 }, orders: { most: 60, decay: 1 } },
  intermediate: { calls: { most: 20, decay: 0.5 }, orders: { most: 125, decay: 2.34 } },
  pro: { calls: { most: 20, decay: 1 }, orders: { most: 180, decay: 3.75 } },
} as const satisfies Record<Tier, { readonly calls: Limit; readonly orders: Limit }>;

const HISTORY: ReadonlySet<Route> = new Set(["fills"]);
/** What a cancel adds while the order is younger than so many seconds. */
const HASTE = [
  [5, 8],
  [10, 6],
  [15, 5],
  [45, 4],
  [90, 2],
  [300, 1],
] as const;

class Counter {
  #count = 0;
  #at: Millis = 0;

  /** Whether there was room; what found none is not counted. */
  add(cost: number, now: Millis, { most, decay }: Limit): boolean {
    const given = (Math.max(0, now - this.#at) / SECOND) * decay;
    this.#count = Math.max(0, this.#count - given);
    this.#at = Math.max(this.#at, now);
    if (this.#count + cost > most) return false;
    this.#count += cost;
    return true;
  }
}

const calls = new WeakMap<Member, Counter>();
const orders = new WeakMap<Account, Map<string, Counter>>();

/** As after minutes without a call. */
export function rest(member: Member): void {
  calls.delete(member);
  orders.delete(member.account);
}

/** The refusal of a call that finds a counter full. */
export function counted(route: Route, ask: PrivateAsk): Reply | undefined {
  const tier = TIERS[ask.member.keys.tier];
  if (isTrading(route)) {
    const event = route === "create" ? placing(ask) : cancelling(ask);
    if (!event) return undefined;
    const room = counterOf(ask.member.account, event.pair).add(event.cost, ask.now, tier.orders);
    return room ? undefined : limited(route);
  }
  const counter = calls.get(ask.member) ?? new Counter();
  calls.set(ask.member, counter);
  const room = counter.add(HISTORY.has(route) ? 2 : 1, ask.now, tier.calls);
  return room ? undefined : limited(route);
}

const isTrading = (route: Route): boolean => route === "create" || route === "cancel";

/** Each counter has its own word: https://docs.kraken.com/api/docs/guides/spot-errors, EAPI and EOrder. */
export const limited = (route: Route): Reply =>
  error(isTrading(route) ? "EOrder:Rate limit exceeded" : "EAPI:Rate limit exceeded");

function counterOf(account: Account, pair: string): Counter {
  const pairs = orders.get(account) ?? new Map<string, Counter>();
  orders.set(account, pairs);
  const counter = pairs.get(pair) ?? new Counter();
  pairs.set(pair, counter);
  return counter;
}

/** Counted on receipt, whatever becomes of it. */
function placing({ engine, request }: PrivateAsk) {
  const listing = listingOf(engine, formOf(request).get("pair") ?? "");
  return listing && { pair: listing.symbol, cost: 1 };
}

function cancelling(ask: PrivateAsk) {
  const form = formOf(ask.request);
  const client = form.get("cl_ord_id");
  const order = client ? byClientId(ask, client) : ask.engine.order(form.get("txid") ?? "");
  return order?.status === "open" ? { pair: order.listing.symbol, cost: hasteOf(order, ask.now) } : undefined;
}

const hasteOf = ({ at }: Order, now: Millis): number =>
  HASTE.find(([seconds]) => now - at < seconds * SECOND)?.[1] ?? 0;
