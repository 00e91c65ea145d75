import { forgottenBase } from "../../grid/ladder/layout.ts";
import { bookEnd, bookFill } from "../../grid/ledger/booking.ts";
import { run } from "../../grid/plan/run.ts";
import type { GridState, Refusal, Slot } from "../../grid/state/state.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Order, Strategy } from "../../model/records.ts";
import type { Timing } from "../../ports/deps.ts";
import { audited } from "../reconcile/audit.ts";
import type { Reconciled } from "../reconcile/reconcile.ts";
import { recover, sequenceOf } from "../reconcile/recovery.ts";
import { closed } from "./closed.ts";
import { leavingAgain } from "./exit.ts";
import { pausedPhase, revived } from "./revive.ts";
import { stop } from "./stop.ts";
import { type Advanced, still, type Turn, toCancel } from "./turn.ts";

/** Books what has happened to a strategy's orders, late ones included. */
export function book(
  strategy: Strategy,
  reconciled: readonly Reconciled[],
  { now, backoff }: { now: Millis; backoff: Timing["backoff"] },
): Strategy {
  let state = strategy.state;
  // Order by order, as their slot had them: what one has bought the next one sells.
  for (const one of [...reconciled].sort(bySequence)) {
    const { order, fills, ended, lost, adopted } = one;
    // An order of slots that are no more is of the grid as a whole.
    const slot = order.generation === state.generation ? order.slot : NO_SLOT;
    if (adopted) state = withSequence(state, slot, sequenceOf(order));
    if (adopted && order.kind === "exit") state = leavingAgain({ ...strategy, state }, order);
    if (adopted && order.side === "sell" && strategy.phase === "starting") state = forgottenBase(state, one);
    for (const fill of fills) if (!fill.superseded) state = bookFill(state, strategy.symbol, fill, slot);
    if (adopted && !ended) state = withSide(state, slot, order.side);
    if (!ended) continue;
    state = bookEnd(state, { ...order, slot });
    if (order.state !== "rejected") state = accepted(state, slot);
    else if (order.reason !== NOT_SENT && !hasMet(order))
      state = bookReject(state, order, { lost, now, backoff });
  }
  return state === strategy.state ? strategy : { ...strategy, state };
}

// An id that the venue has seen is never given again.
const withSequence = (state: GridState, index: number, used: number): GridState => ({
  ...state,
  slots: state.slots.map((slot) =>
    slot.index === index && slot.sequence <= used ? { ...slot, sequence: used + 1 } : slot,
  ),
});

// The slot had turned since the backup: its order tells to which side.
const withSide = (state: GridState, index: number, side: Order["side"]): GridState => ({
  ...state,
  slots: state.slots.map((slot) => (slot.index === index ? { ...slot, side } : slot)),
});

// Not by time: an order that was found on the venue carries the venue's.
const bySequence = ({ order: a }: Reconciled, { order: b }: Reconciled): number =>
  a.generation - b.generation || sequenceOf(a) - sequenceOf(b);

const NO_SLOT = -1;

/** How the reason of an order begins that would have taken, and may only rest: it is planned again at once. */
export const WOULD_TAKE = "would take: ";

const hasMet = ({ reason }: Order): boolean => reason?.startsWith(WOULD_TAKE) === true;

/** The reason of an order that our own guard kept from leaving. */
export const NOT_SENT = "not sent";

/** So many orders in a row of which nobody knew whether they were taken count as refused. */
const MOST_LOST = 3;

// A venue that goes on refusing, or never says whether it took an order, is asked less and less often.
function bookReject(
  state: GridState,
  { slot: index, reason }: Order,
  { lost, now, backoff }: { lost: boolean; now: Millis; backoff: Timing["backoff"] },
): GridState {
  const slot = state.slots.find((one) => one.index === index);
  const count = 1 + ((lost ? slot?.lost : slot?.rejects) ?? 0);
  const told: Slot | undefined = slot && { ...slot, ...(lost ? { lost: count } : { rejects: count }) };
  const times = lost ? count - MOST_LOST : count - 1;
  if (times < 0) return withSlot(state, told);
  const wait = Math.min(backoff.most, backoff.first * 2 ** Math.min(times, 20));
  const refusal: Refusal = {
    slot: index,
    reason: lost ? "unclear" : "rejected",
    ...(reason ? { detail: reason } : {}),
  };
  const refused = [...state.refused.filter((one) => one.slot !== index), refusal];
  return withSlot({ ...state, refused }, told && { ...told, retryAt: now + wait });
}

const withSlot = (state: GridState, slot: Slot | undefined): GridState =>
  slot ? { ...state, slots: state.slots.map((one) => (one.index === slot.index ? slot : one)) } : state;

const accepted = (state: GridState, index: number): GridState => ({
  ...state,
  slots: state.slots.map((slot) => {
    const { rejects: _rejects, lost: _lost, ...rest } = slot;
    return slot.index === index ? rest : slot;
  }),
});

/** Takes a strategy from what it is, its fills booked, to what should rest next. `live` are its unsettled orders. */
export function advance(before: Strategy, live: readonly Order[], turn: Turn): Advanced {
  const state = recover(before, turn);
  const known = revived(state === before.state ? before : { ...before, state });
  const { market } = turn.sight;
  const why = market && !market.active ? `${before.symbol} is closed on the exchange` : null;
  const strategy = closed(
    audited(known, live, turn.now, turn.sight.unreadable),
    market ? why : undefined,
    turn.now,
  );
  const nothing = still(strategy, turn.funds);
  if (strategy.wants === "stop" || strategy.state.exit) return { ...nothing, ...stop(strategy, live, turn) };
  if (strategy.status === "error") return nothing;
  if (strategy.wants === "pause") return { ...nothing, ...pause(strategy, live) };
  return { ...nothing, ...run(strategy, live, turn) };
}

// A rebuild or a trail under way finishes its cancels and waits.
const pause = (strategy: Strategy, live: readonly Order[]): Partial<Advanced> => ({
  strategy: { ...strategy, phase: pausedPhase(strategy) },
  cancels: toCancel(strategy.state, live),
});
