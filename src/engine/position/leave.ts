import { midOf } from "../../kernel/spread.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Quote } from "../../model/market.ts";
import type { Order } from "../../model/order.ts";
import type { Drafted } from "../../ports/kind.ts";
import { reachedEvent } from "../decide/exit-message.ts";
import { cancellable } from "../decide/turn.ts";
import { positionAccounts } from "./ledger.ts";
import type { PositionStrategy } from "./state.ts";

/** Cancels the orders of a strategy whose exit triggered, and reports it. */
export function leaveMarket<S extends PositionStrategy>(
  strategy: S,
  live: readonly Order[],
  { now, quote }: { readonly now: Millis; readonly quote: Quote },
): Partial<Drafted<S>> {
  const leaving: S = { ...strategy, status: "running", phase: "stopping" };
  const { exit } = leaving.state;
  const { total } = positionAccounts(leaving, midOf(quote));
  const events = exit ? [reachedEvent(leaving, exit, { at: now, total })] : [];
  return { strategy: leaving, cancels: cancellable(live), events };
}
