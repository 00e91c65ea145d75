import { midOf } from "../../kernel/spread.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Fill, Order } from "../../model/order.ts";
import { rejectionOf } from "../../model/refusal-text.ts";
import type { Phase, Refusal, SlotState, Strategy, StrategyState } from "../../model/strategy.ts";
import type { AdvancedStrategy, DraftedStrategy, Kind, StrategyLines } from "../../ports/kind.ts";
import type { Timing } from "../../ports/venue.ts";
import { booksChecked } from "../reconcile/books-check.ts";
import { addFee, movementsOf, type Reconciled } from "../reconcile/reconcile.ts";
import { recover, serialOf } from "../reconcile/recovery.ts";
import { judgeTime } from "./ending.ts";
import { cancellable, identified, type StrategyPass, unchanged } from "./intents.ts";
import { leavingAgain, noteMarketClosed, reachedEvent, stop } from "./stop.ts";

/** Books the fills and ends of a strategy's orders, including late ones. */
export function book(
  kind: Kind,
  strategy: Strategy,
  reconciled: readonly Reconciled[],
  { now, backoff }: { now: Millis; backoff: Timing["backoff"] },
): Strategy {
  let state = strategy.state;
  // Order by order in their slot's sequence: what one has bought, the next one sells.
  for (const one of reconciled.filter(hasNews).sort(bySerial)) {
    const { order, fills, ended, lost, adopted } = one;
    // An order of a removed slot belongs to the strategy as a whole.
    const slot = order.generation === state.generation ? order.slot : NO_SLOT;
    if (adopted) state = { ...state, serial: Math.max(state.serial, serialOf(order)) };
    if (adopted && order.kind === "exit") state = leavingAgain(kind, { ...strategy, state }, order);
    if (adopted) state = kind.beforeFound({ ...strategy, state }, one);
    for (const fill of fills)
      if (!fill.superseded) state = withMoved(kind.bookFill(state, strategy.symbol, fill, slot), fill);
    if (adopted && !ended) state = kind.afterFound(state, { ...order, slot });
    if (!ended) continue;
    state = kind.bookEnd(state, { ...order, slot });
    if (order.state !== "rejected") state = accepted(state, slot);
    else if (rejectionOf(order.reason).cause === "exchange")
      state = bookReject(state, order, { lost, now, backoff });
  }
  return state === strategy.state ? strategy : { ...strategy, state };
}

const hasNews = ({ fills, ended, adopted }: Reconciled): boolean => ended || adopted || fills.length > 0;

/** Adds a fill to the ledger that is separate from the kind's books; both must have the same sums. */
export const withMoved = <S extends StrategyState>(
  state: S,
  fill: Pick<Fill, "symbol" | "side" | "amount" | "notional" | "fees">,
): S => ({
  ...state,
  ledger: { ...state.ledger, moved: movementsOf(fill.symbol, fill).reduce(addFee, state.ledger.moved) },
});

// Not by time, because an order that was found on the exchange has the exchange's time.
const bySerial = ({ order: a }: Reconciled, { order: b }: Reconciled): number => serialOf(a) - serialOf(b);

const NO_SLOT = -1;

/** After this many consecutive orders with an unknown result, the slot counts as rejected. */
const MAX_UNKNOWN_RESULTS = 3;

// Retries become less frequent if an exchange keeps rejecting orders or never confirms them.
function bookReject(
  state: StrategyState,
  { slot: index, reason }: Order,
  { lost, now, backoff }: { lost: boolean; now: Millis; backoff: Timing["backoff"] },
): StrategyState {
  const slot = state.slots.find((slotState) => slotState.index === index);
  const count = 1 + ((lost ? slot?.lost : slot?.rejects) ?? 0);
  const result: SlotState | undefined = slot && { ...slot, ...(lost ? { lost: count } : { rejects: count }) };
  const times = lost ? count - MAX_UNKNOWN_RESULTS : count - 1;
  if (times < 0) return withSlot(state, result);
  const wait = Math.min(backoff.max, backoff.first * 2 ** Math.min(times, 20));
  const refusal: Refusal = {
    slot: index,
    reason: "rejected",
    ...(reason ? { detail: reason } : {}),
  };
  const refused = [...state.refused.filter((refusal) => refusal.slot !== index), refusal];
  return withSlot({ ...state, refused }, result && { ...result, retryAt: now + wait });
}

const withSlot = (state: StrategyState, slot: SlotState | undefined): StrategyState =>
  slot
    ? { ...state, slots: state.slots.map((slotState) => (slotState.index === slot.index ? slot : slotState)) }
    : state;

const accepted = (state: StrategyState, index: number): StrategyState => ({
  ...state,
  slots: state.slots.map((slot) => {
    if (slot.index !== index) return slot;
    const { rejects: _rejects, lost: _lost, ...rest } = slot;
    return rest;
  }),
});

/** Steps of a decision: a pause for other work, or what another process has to return before it can go on. */
export type DecisionSteps<T> = Generator<Promise<unknown> | undefined, T, unknown>;

/** Returns a strategy with the orders that it needs next, after its fills are booked. `live` are its unsettled orders. */
export function* advance(
  before: Strategy,
  live: readonly Order[],
  context: StrategyPass,
): DecisionSteps<AdvancedStrategy> {
  const after = yield* drafted(before, live, context);
  const { strategy, intents } = after;
  const { state, orders } = identified(strategy, intents, context.now);
  return {
    ...after,
    strategy: state === strategy.state ? strategy : { ...strategy, state },
    intents: orders,
  };
}

function* drafted(
  before: Strategy,
  live: readonly Order[],
  context: StrategyPass,
): DecisionSteps<DraftedStrategy> {
  const state = recover(before, context);
  const known = applyResume(state === before.state ? before : { ...before, state });
  const { market, isUnlisted, error } = context.observed;
  const why = market && !market.active ? `${before.symbol} is closed on the exchange` : null;
  const strategy = noteMarketClosed(
    booksChecked(context.kind, known, { live, now: context.now, rows: context.observed.unreadable }),
    isUnlisted ? error : market ? why : undefined,
    context.now,
  );
  const nothing = unchanged(strategy, context.funds);
  if (strategy.wants === "stop" || strategy.state.exit)
    return { ...nothing, ...stop(strategy, live, context) };
  const ended =
    strategy.wants === "pause" ? undefined : judgeTime(context.kind, strategy, timeOfPass(context));
  if (ended) return { ...nothing, ...beginEnd(ended, live, context) };
  if (strategy.status === "error") return nothing;
  if (strategy.wants === "pause") return { ...nothing, ...pause(strategy, live, context) };
  const ran = context.kind.run(strategy, live, context);
  return { ...nothing, ...(ran instanceof Promise ? ((yield ran) as Awaited<typeof ran>) : ran) };
}

// A simulated market has its own time, which only its prices tell.
const timeOfPass = ({ isSimulated, observed: { quote }, now }: StrategyPass): Millis | undefined =>
  isSimulated ? quote?.at : now;

/** Begins an exit that needs no price: it cancels the orders, and the next passes end the strategy. */
function beginEnd(
  ended: Strategy,
  live: readonly Order[],
  { kind, observed: { quote }, now }: StrategyPass,
): Partial<DraftedStrategy> {
  const { exit } = ended.state;
  const total = quote && kind.accounts(ended, midOf(quote)).total;
  return {
    strategy: { ...ended, status: "running", phase: "stopping" },
    cancels: cancellable(live),
    events: exit ? [reachedEvent(ended, exit, { at: now, total })] : [],
  };
}

/** Returns the lines of a strategy's code for the server's log. */
export const linesOf = ({
  strategy: { account, id: strategy },
  log,
}: AdvancedStrategy): readonly StrategyLines[] => (log ? [{ account, strategy, ...log }] : []);

/** Returns the phase of a paused strategy; if it has not started yet, it still must. */
export const pausedPhase = ({ phase }: Strategy): Phase => (phase === "starting" ? phase : "paused");

// Cancels its orders, or only those that its pending cancels need, and waits.
const pause = (
  strategy: Strategy,
  live: readonly Order[],
  { kind }: StrategyPass,
): Partial<DraftedStrategy> => ({
  strategy: { ...strategy, phase: pausedPhase(strategy) },
  cancels: strategy.keepOrders ? kind.outdated(strategy.state, live) : cancellable(live),
});

/**
 * Applies a person's resume: a strategy in error runs again until the cause recurs. Each resume applies once, so a
 * later error does not end by itself.
 */
export function applyResume(strategy: Strategy): Strategy {
  const { resumes, state, status, wants } = strategy;
  if (resumes === (state.resumes ?? 0)) return strategy;
  const noted = { ...strategy, state: { ...state, resumes } };
  if (status !== "error" || wants !== "run") return noted;
  return { ...noted, status: isWaiting(strategy) ? "idle" : "running", lastError: null };
}

// Its trigger has not been reached, so it has not started.
const isWaiting = ({ phase, config }: Strategy): boolean =>
  phase === "starting" && config.triggerPrice !== undefined;
