/** How long own orders were on both sides, from what passes read anyway. */
import type { Pair } from "../../kernel/pair.ts";
import { MINUTE, type Millis } from "../../kernel/time.ts";
import { parseAccountKey } from "../../model/account.ts";
import type { AccountMemory, OfferMemory } from "../../model/memory.ts";
import type { Order } from "../../model/order.ts";
import { minuteOf, type OfferedMinute } from "../../model/samples/minute.ts";
import { EMPTY_OFFER, joinOffers, type MinuteOffer } from "../../model/samples/offer.ts";
import { ownSpreadOf } from "../../model/samples/sample.ts";
import type { Snapshot } from "../../ports/stores/step-store.ts";
import type { Decision } from "../decide/decide.ts";
import type { Observation } from "../reconcile/observation.ts";
import { isFinal } from "../reconcile/order-life.ts";
import type { Hold } from "./act.ts";

/** After a longer time without a pass, only the samples of the minutes count. */
const MOST_TIME = 60 * MINUTE;

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

export interface OwnOffers {
  readonly rows: readonly OfferedMinute[];
  readonly offers: AccountMemory["offers"];
}
export const NO_OFFERS: OwnOffers = { rows: [], offers: undefined };

/** Returns finished minutes of the pairs that this pass has read, and what the next pass adds to. */
export function ownOffers(read: ReadPass): OwnOffers {
  const { snapshot, observation } = read;
  const { now, account } = snapshot.lease;
  // Orders of paper trading are on no exchange.
  if (parseAccountKey(account).kind === "dry") return NO_OFFERS;
  const pass = withEnds(read);
  const rows: OfferedMinute[] = [];
  const offers = Object.fromEntries(
    Object.entries(snapshot.memory.offers ?? {}).filter(([, { since }]) => now - since <= MOST_TIME),
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
