/** What is said of a strategy that a price has stopped: when it is reached, and once it is over. */

import { type Decimal, ONE, snap, text, ZERO } from "../../kernel/decimal.ts";
import { splitPair } from "../../kernel/pair.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Event } from "../../model/events.ts";
import type { Exit, Strategy } from "../../model/strategy.ts";
import type { Kind } from "../../ports/kind.ts";

/** `stop_loss at 54000 (armed at 55000)`; of a loss, the limit that it has met. */
export function describeReached({ reason, reached }: Exit, halted?: string | null): string {
  if (reached) return `${reason} at ${text(reached.mid)} (armed at ${text(reached.price)})`;
  return halted ? `${reason} (${halted})` : reason;
}

interface ReachedState {
  readonly at: Millis;
  /** P&L at the price that was reached; undefined while no price is known. */
  readonly total: Decimal | undefined;
}

/** That a price was reached: from now on all is canceled, and then sold. */
export function reachedEvent(
  { id, account, symbol, state }: Strategy,
  exit: Exit,
  { at, total }: ReachedState,
): Event {
  const { base, quote } = splitPair(symbol);
  const profit = total === undefined ? "" : `, P&L ${text(roundToCents(total))} ${quote}`;
  const message = `${describeReached(exit, state.halted)}${profit}: all orders are canceled, and ${text(exit.held ?? ZERO)} ${base} are sold`;
  return { account, strategy: id, at, kind: "exit", message };
}

const roundToCents = (amount: Decimal): Decimal => snap(amount, ONE / 100n, "half");

/** Why a strategy has stopped, what was sold for it, and what all of it came to; nothing of that while no price is known. */
export function describeStopped(
  kind: Kind,
  { state, symbol }: Strategy,
  mark: Decimal | undefined,
): string | undefined {
  const { exit } = state;
  if (!exit || exit.reason === "stop") return undefined;
  const { base, quote } = splitPair(symbol);
  const left = kind.holdings(state).base;
  const sold = exit.held === undefined ? "" : `, sold ${text(exit.held - left)} ${base}`;
  const total = mark && roundToCents(kind.accounts({ state, symbol }, mark).total);
  const inAll = total === undefined ? "" : `, ${text(total)} ${quote} in all`;
  return `stopped: ${describeReached(exit, state.halted)}${sold}${inAll}`;
}

/** The same as an event. */
export function stoppedEvents(
  kind: Kind,
  strategy: Strategy,
  { mark, at }: { mark: Decimal | undefined; at: Millis },
): Event[] {
  const message = describeStopped(kind, strategy, mark);
  return message === undefined
    ? []
    : [{ account: strategy.account, strategy: strategy.id, at, kind: "exit", message }];
}
