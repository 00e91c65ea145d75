import type { Millis } from "../kernel/time.ts";
import type { Order, Strategy } from "../records.ts";
import { audited } from "./audit.ts";
import { bookEnd, bookFill } from "./booking.ts";
import { leavingAgain } from "./exit.ts";
import { forgottenBase } from "./layout.ts";
import type { Reconciled } from "./reconcile.ts";
import { recover, sequenceOf } from "./recovery.ts";
import { pausedPhase, revived } from "./revive.ts";
import { run } from "./run.ts";
import type { GridState } from "./state.ts";
import { stop } from "./stop.ts";
import { type Advanced, type Turn, toCancel } from "./turn.ts";

/** Books what has happened to a strategy's orders, late ones included. */
export function book(
  strategy: Strategy,
  reconciled: readonly Reconciled[],
  { now, retryAfter }: { now: Millis; retryAfter: Millis },
): Strategy {
  let state = strategy.state;
  // Order by order, as their slot had them: what one has bought the next one sells.
  for (const one of [...reconciled].sort(bySequence)) {
    const { order, fills, ended, lost, adopted } = one;
    // An order of slots that are no more is of the grid as a whole.
    const slot = order.generation === state.generation ? order.slot : NO_SLOT;
    if (adopted && order.kind === "exit") state = leavingAgain({ ...strategy, state }, order);
    if (adopted && order.side === "sell" && strategy.phase === "starting") state = forgottenBase(state, one);
    for (const fill of fills) if (!fill.superseded) state = bookFill(state, strategy.symbol, fill, slot);
    if (adopted && !ended) state = withSide(state, slot, order.side);
    if (!ended) continue;
    state = bookEnd(state, { ...order, slot });
    if (order.state === "rejected" && !lost && order.reason !== NOT_SENT)
      state = bookReject(state, order, now + retryAfter);
  }
  return state === strategy.state ? strategy : { ...strategy, state };
}

// The slot had turned since the backup: its order tells to which side.
const withSide = (state: GridState, index: number, side: Order["side"]): GridState => ({
  ...state,
  slots: state.slots.map((slot) => (slot.index === index ? { ...slot, side } : slot)),
});

// Not by time: an order that was found on the venue carries the venue's.
const bySequence = ({ order: a }: Reconciled, { order: b }: Reconciled): number =>
  a.generation - b.generation || sequenceOf(a) - sequenceOf(b);

const NO_SLOT = -1;

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
  const known = revived(state === before.state ? before : { ...before, state });
  const strategy = audited(known, live, turn.now);
  const still: Advanced = {
    strategy,
    intents: [],
    cancels: [],
    released: [],
    funds: turn.funds,
    placing: false,
    short: false,
  };
  if (strategy.wants === "stop" || strategy.state.exit) return { ...still, ...stop(strategy, live, turn) };
  if (strategy.status === "error") return still;
  if (strategy.wants === "pause") return { ...still, ...pause(strategy, live) };
  return { ...still, ...run(strategy, live, turn) };
}

// A rebuild or a trail under way finishes its cancels and waits.
const pause = (strategy: Strategy, live: readonly Order[]): Partial<Advanced> => ({
  strategy: { ...strategy, phase: pausedPhase(strategy) },
  cancels: toCancel(strategy.state, live),
});
