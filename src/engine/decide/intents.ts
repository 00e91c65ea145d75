import { clientOrderId, serialAt, strategyTag } from "../../kernel/ids.ts";
import { isAhead, MAX_BACKOFF_MS, MINUTE, type Millis, SECOND } from "../../kernel/time.ts";
import { parseAccountKey } from "../../model/account.ts";
import type { LimitCode } from "../../model/limits.ts";
import {
  type Draft,
  type Funds,
  type Intent,
  type LeaseWindow,
  NEW_ORDER,
  type Order,
  type OrderKind,
} from "../../model/order.ts";
import {
  type Notice,
  type Refusal,
  type SlotState,
  type Strategy,
  type StrategyState,
  timeInForceOf,
} from "../../model/strategy.ts";
import type { AdvancedStrategy, Kind, StrategyContext } from "../../ports/kind.ts";
import type { Lease, Snapshot } from "../../ports/stores/pass-store.ts";
import type { Timing } from "../../ports/venue.ts";
import { isFinal } from "../reconcile/order-fills.ts";
import type { MarketSnapshot } from "../reconcile/reconcile.ts";
import { isBehind, longestRecovery } from "../reconcile/recovery.ts";

/**
 * Returns when requests can be sent and take effect: sent before the lease can belong to another process, effective
 * until then plus the exchange's expiry.
 */
export const windowOf = ({ until }: Lease, { requestTimeout, expiry, skew }: Timing): LeaseWindow => ({
  sendBy: until - requestTimeout,
  notAfter: until + expiry + skew,
});

/** Returns the row that is written before an intent is sent, without the client id. */
export function draftOf(
  strategy: Strategy,
  intent: Intent,
  { window, at, kind = "slot" }: { window: LeaseWindow; at: Millis; kind?: OrderKind },
): Draft {
  const { slot, side, price, amount, ownBase } = intent;
  const { generation } = strategy.state;
  // Spread properties come last: fields after them are added one by one, a microsecond each.
  return {
    account: strategy.account,
    strategy: strategy.id,
    kind,
    generation,
    slot,
    symbol: strategy.symbol,
    side,
    type: "limit",
    price,
    amount,
    timeInForce: timeInForceOf(slot, strategy.config),
    createdAt: at,
    ...(ownBase === undefined ? undefined : { ownBase }),
    ...window,
    ...NEW_ORDER,
  };
}

/**
 * Returns the drafts with client ids, and the updated state. Each id has a higher serial than all before it. So no id
 * repeats, even if the clock goes back or the database loses its last commits.
 */
export function identified<S extends StrategyState>(
  { number, state }: Pick<Strategy, "number"> & { readonly state: S },
  drafts: readonly Draft[],
  now: Millis,
): { readonly state: S; readonly orders: readonly Order[] } {
  if (drafts.length === 0) return { state, orders: [] };
  const first = Math.max(state.serial + 1, serialAt(now));
  const tag = strategyTag(number);
  const orders = drafts.map((draft, i): Order => {
    const { generation, slot } = draft;
    // Spread properties come last: fields after them are added one by one, a microsecond each.
    return { clientId: clientOrderId({ tag, generation, slot, serial: first + i }), ...draft };
  });
  return { state: { ...state, serial: first + drafts.length - 1 }, orders };
}

/** Context of one strategy in a pass, with fields for the engine only. */
export interface StrategyPass extends StrategyContext {
  readonly kind: Kind;
  readonly observed: MarketSnapshot;
  /** When all trades of its market were last read before this pass. */
  readonly readAt: Millis | undefined;
  /** Whether the kill switch cancels every order. */
  readonly clears: boolean;
  /** Whether an order of its market waits for its row, or for another lookup. */
  readonly isWaiting: boolean;
}

/** Returns the interval of an account's passes, estimated from its last one, and whether its time is simulated. */
export const rhythmOf = ({
  memory,
  lease,
}: Pick<Snapshot, "memory" | "lease">): Pick<StrategyContext, "interval" | "isSimulated"> => ({
  interval: memory.interval ?? MINUTE,
  isSimulated: parseAccountKey(lease.account).host === "",
});

/** Returns the result of a strategy that does nothing. */
export const unchanged = (strategy: Strategy, funds: Funds | undefined): AdvancedStrategy => ({
  strategy,
  intents: [],
  terms: null,
  cancels: [],
  events: [],
  released: [],
  funds,
  placing: false,
  short: false,
});

// An order that was pending when the database was restored, or that has no row, can still be open.
export const isRecovering = (
  strategy: Strategy,
  {
    orphan,
    unshown,
    epoch,
    now,
    timing,
  }: Pick<StrategyContext, "orphan" | "unshown" | "epoch" | "now" | "timing">,
): boolean =>
  orphan !== null ||
  unshown !== null ||
  isBehind(strategy, epoch) ||
  isAhead(strategy.state.recoversUntil, now, longestRecovery(timing)) ||
  strategy.state.searchSince !== undefined;

const mayCancel = (order: Order): boolean => order.exchangeId !== null && !isFinal(order);

export const cancellable = (live: readonly Order[]): Order[] => live.filter(mayCancel);

/** Limits that are not known to end soon; the others depend on the market, the time or a person. */
const LASTING_LIMITS: readonly LimitCode[] = [
  "limit_order",
  "limit_day",
  "limit_open_orders",
  "limit_symbol",
];

interface Now {
  /** Protocol time. */
  readonly now: Millis;
  /** Version of the limits. */
  readonly version: number | undefined;
}

export const isLasting = (reason: Refusal["reason"]): boolean =>
  (LASTING_LIMITS as readonly string[]).includes(reason);

/** Returns whether a slot waits because of a limit; then its balance and prices need no call. */
export const waitsForLimit = ({ limited }: SlotState, { now, version }: Now): boolean =>
  limited !== undefined && isAhead(limited.until, now, MAX_BACKOFF_MS) && limited.version === version;

/** Returns whether a slot waits, after a rejection by the exchange or a refusal by a limit. */
export const waitsToPlace = (slot: SlotState, at: Now): boolean =>
  isAhead(slot.retryAt, at.now, MAX_BACKOFF_MS) || waitsForLimit(slot, at);

/**
 * Returns a slot and its refusal after a limit refused its order again. Retries become less frequent until someone
 * changes the limits.
 */
export function limitedAgain<S extends SlotState>(
  slot: S,
  refusal: Omit<Refusal, "slot">,
  { now, version }: Now,
  backoff: Timing["backoff"],
): { readonly slot: S; readonly refusal: Omit<Refusal, "slot"> } {
  if (!isLasting(refusal.reason) || version === undefined) return { slot, refusal };
  const times = slot.limited?.version === version ? slot.limited.times + 1 : 1;
  const wait = Math.min(backoff.max, backoff.first * 2 ** Math.min(times - 1, 20));
  const detail = `${refusal.detail}; it is tried again after ${Math.ceil(wait / SECOND)} s`;
  return {
    slot: { ...slot, limited: { times, until: now + wait, version } },
    refusal: { ...refusal, detail },
  };
}

/** Returns a slot that no limit refuses. */
export function unlimited<S extends SlotState>(slot: S): S {
  if (!slot.limited) return slot;
  const { limited: _, ...rest } = slot;
  return rest as S;
}

/** Returns whether the exchange has not confirmed yet that it accepted the order. */
export const isUnclear = ({ state }: Pick<Order, "state">): boolean =>
  state === "pending" || state === "unknown";

/** Returns whether the exchange's response, or its absence, caused a refusal. */
export const isOfVenue = (reason: Refusal["reason"]): boolean =>
  reason === "rejected" || reason === "unclear";

/** Summarizes why the exchange rejects orders. */
export function venueError(refused: readonly Refusal[]): string | null {
  const refusals = refused.filter(({ reason, detail }) => isOfVenue(reason) && detail !== undefined);
  const [first] = refusals;
  if (!first) return null;
  const orders = refusals.length === 1 ? "an order" : `${refusals.length} orders`;
  const what = first.reason === "rejected" ? "refuses" : "has not confirmed";
  return `the exchange ${what} ${orders}: ${first.detail}`;
}

export function foreignOrderError({
  orphan,
  stranger,
  unshown,
}: Pick<StrategyContext, "orphan" | "stranger" | "unshown">): string | null {
  if (unshown !== null)
    return `the exchange accepted order ${unshown} but does not show it, so its data is old; nothing is placed until it does`;
  if (orphan !== null)
    return `order ${orphan} on the exchange is not in the database; nothing is placed until edgemaker has recorded it`;
  if (stranger === null) return null;
  return `order ${stranger} on the exchange belongs to a strategy that is not in this database; cancel it there unless it belongs to another installation`;
}

/** Returns the same object if nothing changed, so a pass without changes writes nothing. */
export function withNotices<S extends Strategy>(strategy: S, notices: readonly Notice[]): S {
  const { state } = strategy;
  const same =
    notices.length === state.notices.length &&
    notices.every(
      ({ code, message }, i) => code === state.notices[i]?.code && message === state.notices[i]?.message,
    );
  return same ? strategy : { ...strategy, state: { ...state, notices } };
}
