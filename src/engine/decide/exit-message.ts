/** Messages about a strategy that a price has stopped: when it triggers, and when the exit is complete. */

import { type Decimal, roundMoney, text, ZERO } from "../../kernel/decimal.ts";
import { splitPair } from "../../kernel/pair.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Event } from "../../model/events.ts";
import type { Exit, Strategy } from "../../model/strategy.ts";
import type { Kind } from "../../ports/kind.ts";

/** Formats a trigger, such as `stop_loss at 54000 (armed at 55000)`; for a loss, its limit. */
export function describeReached({ reason, reached }: Exit, halted?: string | null): string {
  if (reached) return `${reason} at ${text(reached.mid)} (armed at ${text(reached.price)})`;
  return halted ? `${reason} (${halted})` : reason;
}

interface ReachedState {
  readonly at: Millis;
  /** P&L at the trigger price; undefined while no price is known. */
  readonly total: Decimal | undefined;
}

/** Event for a triggered exit: the strategy cancels its orders and then sells. */
export function reachedEvent(
  { id, account, symbol, state }: Strategy,
  exit: Exit,
  { at, total }: ReachedState,
): Event {
  const { base, quote } = splitPair(symbol);
  const profit = total === undefined ? "" : `, P&L ${text(roundMoney(total))} ${quote}`;
  const message = `${describeReached(exit, state.halted)}${profit}: all orders are canceled, and ${text(exit.baseAtStart ?? ZERO)} ${base} are sold`;
  return { account, strategy: id, at, kind: "exit", message };
}

/** Describes why a strategy stopped, what it sold, and its P&L; without the P&L if no price is known. */
export function describeStopped(
  kind: Kind,
  { state, symbol }: Strategy,
  mark: Decimal | undefined,
): string | undefined {
  const { exit } = state;
  if (!exit || exit.reason === "stop") return undefined;
  const { base, quote } = splitPair(symbol);
  const left = kind.holdings(state).base;
  const sold = exit.baseAtStart === undefined ? "" : `, sold ${text(exit.baseAtStart - left)} ${base}`;
  const total = mark && roundMoney(kind.accounts({ state, symbol }, mark).total);
  const inAll = total === undefined ? "" : `, ${text(total)} ${quote} in all`;
  return `stopped: ${describeReached(exit, state.halted)}${sold}${inAll}`;
}

/** Returns the same as events. */
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
