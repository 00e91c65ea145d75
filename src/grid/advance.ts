import type { Decimal } from "../kernel/decimal.ts";
import type { Millis } from "../kernel/time.ts";
import type { Timing } from "../ports.ts";
import type { Order, Strategy } from "../records.ts";
import { bookEnd, bookFill } from "./booking.ts";
import { orderOf, type Window } from "./intents.ts";
import { giveFirstBase } from "./layout.ts";
import type { MarketSight } from "./observation.ts";
import { isFinal } from "./order-life.ts";
import { type Funds, plan, type Resting } from "./plan.ts";
import type { Reconciled } from "./reconcile.ts";
import { isBehind, recover, sequenceOf } from "./recovery.ts";
import type { GridState } from "./state.ts";

/** What one strategy may use of a pass. */
export interface Turn {
  readonly sight: MarketSight;
  readonly now: Millis;
  readonly window: Window;
  /** Undefined when the balances were not read. */
  readonly funds: Funds | undefined;
  /** Free base that no strategy of the account holds; undefined when it is not known for certain. */
  readonly ownBase: Decimal | undefined;
  readonly resting: readonly Resting[];
  readonly killed: boolean;
  /** Open orders without a row: of this database's grids, and of grids that it does not know. */
  readonly held: string | null;
  readonly stranger: string | null;
  readonly epoch: number;
  /** Its next ids were looked up in this pass. */
  readonly isSearched: boolean;
  readonly timing: Timing;
  readonly limit: number;
}

export interface Advanced {
  readonly strategy: Strategy;
  readonly intents: readonly Order[];
  readonly cancels: readonly Order[];
  /** Orders left to the person by a stop that keeps them. */
  readonly released: readonly Order[];
  readonly funds: Funds | undefined;
  /** It is active as soon as these intents are accepted. */
  readonly placing: boolean;
  readonly short: boolean;
}

/** Books what has happened to a strategy's orders, late ones included. */
export function book(
  strategy: Strategy,
  reconciled: readonly Reconciled[],
  { now, retryAfter }: { now: Millis; retryAfter: Millis },
): Strategy {
  let state = strategy.state;
  // Order by order, as their slot had them: what one has bought the next one sells.
  for (const { order, fills, ended, lost } of [...reconciled].sort(bySequence)) {
    for (const fill of fills)
      if (!fill.superseded) state = bookFill(state, strategy.symbol, fill, order.slot);
    if (!ended) continue;
    state = bookEnd(state, order);
    if (order.state === "rejected" && !lost && order.reason !== NOT_SENT)
      state = bookReject(state, order, now + retryAfter);
  }
  return state === strategy.state ? strategy : { ...strategy, state };
}

// Not by time: an order that was found on the venue carries the venue's.
const bySequence = ({ order: a }: Reconciled, { order: b }: Reconciled): number =>
  a.generation - b.generation || sequenceOf(a) - sequenceOf(b);

/** The reason of an order that our own guard kept from leaving. */
export const NOT_SENT = "not sent";

function bookReject(state: GridState, { slot, reason }: Order, retryAt: Millis): GridState {
  const refused = state.refused.filter((one) => one.slot !== slot);
  return {
    ...state,
    slots: state.slots.map((one) => (one.index === slot ? { ...one, retryAt } : one)),
    refused: [...refused, { slot, reason: "rejected", ...(reason ? { detail: reason } : {}) }],
  };
}

/** Takes a strategy from what it is, its fills booked, to what should rest next. `live` are its unsettled orders. */
export function advance(before: Strategy, live: readonly Order[], turn: Turn): Advanced {
  const state = recover(before, turn);
  const strategy = state === before.state ? before : { ...before, state };
  const still: Advanced = {
    strategy,
    intents: [],
    cancels: [],
    released: [],
    funds: turn.funds,
    placing: false,
    short: false,
  };
  if (strategy.wants === "stop") return { ...still, ...stop(strategy, live, turn) };
  if (strategy.status === "error") return still;
  if (strategy.wants === "pause") return { ...still, strategy: { ...strategy, phase: "paused" } };
  return { ...still, ...run(strategy, live, turn) };
}

function stop(strategy: Strategy, live: readonly Order[], turn: Turn): Partial<Advanced> {
  const isKnown = (order: Order) => order.exchangeId !== null && !isFinal(order) && order.state !== "unknown";
  const cancels = strategy.keepOrders
    ? []
    : live.filter((order) => order.exchangeId !== null && !isFinal(order));
  // All of them at once or none: until then the person may still ask for them to be cancelled.
  const mayRelease = strategy.keepOrders && live.every(isKnown);
  if ((live.length > 0 && !mayRelease) || isHeld(strategy, turn))
    return { strategy: { ...strategy, status: "running", phase: "stopping" }, cancels };
  const released = live.map((order) => ({ ...order, settled: true }));
  const stoppedAt = turn.sight.quote?.at ?? strategy.startedAt;
  return { strategy: { ...strategy, status: "stopped", phase: "done", stoppedAt }, released };
}

function run(strategy: Strategy, live: readonly Order[], turn: Turn): Partial<Advanced> {
  const { market, quote, error } = turn.sight;
  if (!market || !quote) return { strategy: { ...strategy, lastError: error } };
  const started = start(strategy, turn);
  if (!started) return { short: true };
  const { state } = started;
  const busy = new Set(
    live.filter(({ generation }) => generation === state.generation).map(({ slot }) => slot),
  );
  const planned = plan(state, {
    market,
    quote,
    busy,
    now: turn.now,
    resting: turn.resting,
    funds: turn.funds,
    killed: turn.killed,
    held: isHeld(started, turn),
    limit: turn.funds ? turn.limit : 0,
  });
  const waits = planned.postponed > 0 || live.some(isUnclear);
  const places = planned.intents.length > 0;
  return {
    strategy: {
      ...started,
      state: planned.next,
      status: "running",
      phase: waits || places ? "placing" : "active",
      lastError: strangerError(turn),
    },
    intents: planned.intents.map((intent) => orderOf(started, intent, { window: turn.window, at: quote.at })),
    funds: planned.funds,
    placing: places && !waits,
    short: planned.postponed > 0,
  };
}

// What was under way when the database was restored, or has no row, may still live.
const isHeld = (strategy: Strategy, { held, epoch, now }: Turn): boolean =>
  held !== null || isBehind(strategy, epoch) || now < strategy.state.heldUntil;

function strangerError({ held, stranger }: Turn): string | null {
  if (held !== null) return `order ${held} on the venue has no row here; nothing is placed until it has`;
  if (stranger === null) return null;
  return `order ${stranger} on the venue is of a grid that this database does not know; cancel it there if it is not another installation's`;
}

const isUnclear = ({ state }: Order): boolean => state === "pending" || state === "unknown";

/** Gives a starting grid its first base. Undefined until the account's own base is known. */
function start(strategy: Strategy, { sight, ownBase }: Turn): Strategy | undefined {
  if (strategy.phase !== "starting" || !sight.market) return strategy;
  if (ownBase === undefined) return undefined;
  return { ...strategy, phase: "placing", state: giveFirstBase(strategy.state, sight.market, ownBase) };
}
