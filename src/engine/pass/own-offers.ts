/**
 * Measures how long own orders were on both sides, from what passes read anyway. `mayCreate` decides here whether a pass
 * reads trades and balances; `readConfidence` reads the price confidence.
 */

import { max } from "../../kernel/decimal.ts";
import type { Pair } from "../../kernel/pair.ts";
import { midOf } from "../../kernel/spread.ts";
import { MINUTE, type Millis } from "../../kernel/time.ts";
import { parseAccountKey } from "../../model/account.ts";
import { isBlockedByKill } from "../../model/kill.ts";
import type { AccountMemory, Confidence, OfferMemory } from "../../model/memory.ts";
import { type Order, ordersOf } from "../../model/order.ts";
import {
  EMPTY_OFFER,
  joinOffers,
  type MinuteOffer,
  minuteOf,
  type OfferedMinute,
  ownSpreadOf,
} from "../../model/samples/sample.ts";
import type { Deps } from "../../ports/deps.ts";
import type { Kinds } from "../../ports/kind.ts";
import type { Snapshot } from "../../ports/stores/pass-store.ts";
import type { Reference, Venue } from "../../ports/venue.ts";
import type { Decision } from "../decide/decide.ts";
import { rhythmOf, waitsForLimit } from "../decide/intents.ts";
import { confidenceFrom, confidenceNow, isRecent } from "../reconcile/confidence.ts";
import { isFinal, type OrderReport } from "../reconcile/order-fills.ts";
import type { MarketSnapshot, Observation } from "../reconcile/reconcile.ts";
import type { Hold } from "./act.ts";
import { type Budget, spend } from "./budget.ts";
import { sellsBase } from "./urgent.ts";

/** After a longer time without a pass, only the samples of the minutes count. */
const MAX_PASS_GAP_MS = 60 * MINUTE;

interface ReadPass {
  readonly snapshot: Pick<Snapshot, "lease" | "memory" | "orders">;
  readonly observation: Pick<Observation, "markets" | "reports">;
  readonly decision: Pick<Decision, "changes" | "creates">;
  readonly hold: Pick<Hold, "opened" | "canceled">;
}

/** The same with the orders after it, and the time of each order's last fill, by client id. */
interface PassTimes extends ReadPass {
  readonly changed: ReadonlyMap<string, Order>;
  readonly filledAt: ReadonlyMap<string, Millis>;
}

function withEnds(pass: ReadPass): PassTimes {
  const { changes } = pass.decision;
  const changed = changes.flatMap(({ orders }) => orders).map((order) => [order.clientId, order] as const);
  const filledAt = new Map<string, Millis>();
  for (const { clientId, at } of changes.flatMap(({ fills }) => fills))
    filledAt.set(clientId, Math.max(at, filledAt.get(clientId) ?? at));
  return { ...pass, changed: new Map(changed), filledAt };
}

interface OfferMinutes {
  readonly rows: readonly OfferedMinute[];
  readonly offers: AccountMemory["offers"];
}
export const NO_OFFER_MINUTES: OfferMinutes = { rows: [], offers: undefined };

/** Returns finished minutes of the pairs that this pass has read, and what the next pass adds to. */
export function offerMinutesOf(read: ReadPass): OfferMinutes {
  const { snapshot, observation } = read;
  const { now, account } = snapshot.lease;
  // Orders of paper trading are on no exchange.
  if (parseAccountKey(account).kind === "dry") return NO_OFFER_MINUTES;
  const pass = withEnds(read);
  const rows: OfferedMinute[] = [];
  const offers = Object.fromEntries(
    Object.entries(snapshot.memory.offers ?? {}).filter(([, { since }]) => now - since <= MAX_PASS_GAP_MS),
  );
  for (const symbol of observation.markets.keys()) {
    const before = offers[symbol];
    const minutes = minutesSince(before, symbol, pass);
    const offer = minutes.pop()?.offer ?? EMPTY_OFFER;
    rows.push(...minutes);
    offers[symbol] = { since: now, offer, ...timesAfter(before, symbol, pass) };
  }
  return { rows, offers };
}

/** Returns the minutes since the last pass, and this pass's unfinished one as the last. */
function minutesSince(before: OfferMemory | undefined, symbol: Pair, pass: PassTimes): OfferedMinute[] {
  const { now } = pass.snapshot.lease;
  if (!before || before.since > now)
    return [{ symbol, minute: minuteOf(now), offer: { parts: [], uncertain: now % MINUTE } }];
  const minutes = new Map([[minuteOf(before.since), before.offer]]);
  const bookTimes = pass.snapshot.orders
    .filter((order) => order.symbol === symbol && order.type === "limit" && !isFinal(order))
    .map((order) => bookTimeOf(order, before, pass));
  const ends = bookTimes.flatMap(({ certain, possible }) => [...certain, ...possible]);
  const bounds: Millis[] = [before.since, now, ...ends];
  for (let minute = minuteOf(before.since) + 1; minute <= minuteOf(now); minute++) {
    bounds.push(minute * MINUTE);
    minutes.set(minute, EMPTY_OFFER);
  }
  const times = [...new Set(bounds)].filter((at) => at >= before.since && at <= now).sort((a, b) => a - b);
  for (const [index, from] of times.slice(0, -1).entries()) {
    const [to, minute] = [times[index + 1] as Millis, minuteOf(from)];
    minutes.set(minute, joinOffers(minutes.get(minute) ?? EMPTY_OFFER, offerBetween(bookTimes, from, to)));
  }
  return [...minutes].map(([minute, offer]) => ({ symbol, minute, offer }));
}

type TimeSpan = readonly [from: Millis, to: Millis];

/** When an order was on the book for certain, and when it possibly was. */
interface BookTime {
  readonly order: Order;
  readonly certain: TimeSpan;
  readonly possible: TimeSpan;
}

function bookTimeOf(order: Order, before: OfferMemory, pass: PassTimes): BookTime {
  const { clientId } = order;
  const { now } = pass.snapshot.lease;
  const { state } = pass.changed.get(clientId) ?? order;
  const report = pass.observation.reports.get(clientId);
  const isListed = report !== undefined && report !== "missing" && LISTED_STATES.has(report.status);
  const opened = before.opened[clientId];
  const start = opened ?? before.since;
  if (state === "rejected") return { order, certain: [start, start], possible: [start, start] };
  const canceled = isListed ? undefined : before.canceled[clientId];
  const end = state === "filled" ? pass.filledAt.get(clientId) : isListed ? now : canceled;
  // Its last pass has read it as open, or had it accepted.
  const isKnown = opened !== undefined || LISTED_STATES.has(order.state);
  const possible = Math.min(end ?? now, now);
  return {
    order,
    certain: [start, isKnown && end !== undefined ? possible : start],
    possible: [start, possible],
  };
}

const LISTED_STATES: ReadonlySet<string> = new Set(["open", "partially_filled"]);

function offerBetween(bookTimes: readonly BookTime[], from: Millis, to: Millis): MinuteOffer {
  const sidesOf = (span: "certain" | "possible") => {
    const open = bookTimes.filter((bookTime) => bookTime[span][0] <= from && bookTime[span][1] >= to);
    const of = (side: Order["side"]) => open.map(({ order }) => order).filter((order) => order.side === side);
    return { bids: of("buy"), asks: of("sell") };
  };
  const certain = sidesOf("certain");
  const spread = ownSpreadOf(certain);
  const millis = to - from;
  if (spread !== null) {
    const levels = Math.min(certain.bids.length, certain.asks.length);
    return { parts: [{ spread, levels, millis }], uncertain: 0 };
  }
  return { parts: [], uncertain: ownSpreadOf(sidesOf("possible")) === null ? 0 : millis };
}

/** Returns the times of orders whose state the next pass will read. */
function timesAfter(
  before: OfferMemory | undefined,
  symbol: Pair,
  { snapshot, decision, hold, changed }: PassTimes,
): Pick<OfferMemory, "opened" | "canceled"> {
  const after = snapshot.orders.map((order) => changed.get(order.clientId) ?? order);
  const orders = [...after, ...decision.creates].filter((order) => order.symbol === symbol);
  const timesOf = (kind: "opened" | "canceled", isAwaited: (order: Order) => boolean) =>
    Object.fromEntries(
      orders.filter(isAwaited).flatMap(({ clientId }) => {
        const at = before?.[kind][clientId] ?? hold[kind].get(clientId);
        return at === undefined ? [] : [[clientId, at] as const];
      }),
    );
  return {
    opened: timesOf("opened", ({ state }) => !LISTED_STATES.has(state)),
    canceled: timesOf("canceled", (order) => !isFinal(order)),
  };
}

type PriceReads = Pick<Observation, "markets" | "reports">;
const NOBODY: Reference = { prices: [], maxConfidence: null, listed: false };

/** Returns the confidence in the prices for new orders; other sources are queried at most once a minute. */
export async function readConfidence(
  { reference, venue, kinds }: { reference: Deps["reference"]; venue: Venue; kinds: Kinds },
  snapshot: Snapshot,
  { markets, reports }: PriceReads,
  budget: Budget,
): Promise<ReadonlyMap<Pair, Confidence>> {
  const found = new Map<Pair, Confidence>();
  const { now } = snapshot.lease;
  for (const strategy of snapshot.strategies.filter(({ config }) => config.confidence !== undefined)) {
    const { symbol } = strategy;
    const quote = markets.get(symbol)?.quote;
    if (!quote || found.has(symbol)) continue;
    if (!(await mayCreate({ ...snapshot, strategies: [strategy] }, markets, reports, kinds))) continue;
    const last = snapshot.memory.confidence?.[symbol];
    const known = isRecent(last, now)
      ? last
      : confidenceFrom(await askReference(reference, { venue, symbol, budget }), {
          mid: midOf(quote),
          last,
          now,
        });
    // A simulated price belongs to the moment of the request, in simulated time.
    const isSimulated = venue.account.host === "";
    found.set(symbol, isSimulated ? known : confidenceNow(known, { quote, now }));
  }
  return found;
}

const askReference = async (
  reference: Deps["reference"],
  { venue, symbol, budget }: { venue: Venue; symbol: Pair; budget: Budget },
): Promise<Reference> =>
  reference ? spend(budget, () => reference(venue.account.exchange, symbol)) : NOBODY;

/** Returns whether a slot could need an order; only then does the pass read balances and other venues. */
export async function mayCreate(
  snapshot: Snapshot,
  markets: ReadonlyMap<Pair, MarketSnapshot>,
  reports: ReadonlyMap<string, OrderReport>,
  kinds: Kinds,
): Promise<boolean> {
  const { strategies, orders, kill, lease, limits } = snapshot;
  const { now } = lease;
  const { version } = limits;
  if (isBlockedByKill(kill, "exit")) return false;
  for (const strategy of strategies) {
    const { id, symbol, wants, state } = strategy;
    const observed = markets.get(symbol);
    if (!observed) continue;
    if (sellsBase(strategy)) return true;
    if (wants !== "run" || kill.on) continue;
    const live = ordersOf(orders, id)
      .filter((order) => isLive(order, reports))
      .map((order) => asReported(order, reports));
    const busy = live.filter(({ generation }) => generation === state.generation);
    const waiting = state.slots.filter(
      (slot) => waitsForLimit(slot, { now, version }) && !busy.some((order) => order.slot === slot.index),
    );
    const free = state.slots.length - busy.length - waiting.length;
    const placing = { observed, now, ...rhythmOf(snapshot), free, live };
    if (await kinds(strategy.kind).mayPlace(strategy, placing)) return true;
  }
  return false;
}

function isLive(order: Order, reports: ReadonlyMap<string, OrderReport>): boolean {
  const report = reports.get(order.clientId);
  const isReportedOpen =
    typeof report !== "object" || report.status === "open" || report.status === "partially_filled";
  return !isFinal(order) && isReportedOpen;
}

function asReported(order: Order, reports: ReadonlyMap<string, OrderReport>): Order {
  const report = reports.get(order.clientId);
  return typeof report === "object" && report.filled > order.filled
    ? { ...order, filled: max(order.filled, report.filled) }
    : order;
}
