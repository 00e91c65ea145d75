import type { Order } from "../../model/order.ts";
import type { Drafted, StrategyContext } from "../../ports/kind.ts";
import { reachedEvent } from "../decide/exit-message.ts";
import { cancellable } from "../decide/turn.ts";
import type { PositionStrategy } from "./state.ts";

/** Cancels the orders of a strategy whose exit is reached, and says so. */
export function leaveMarket<S extends PositionStrategy>(
  strategy: S,
  live: readonly Order[],
  { now }: StrategyContext,
): Partial<Drafted<S>> {
  const leaving: S = { ...strategy, status: "running", phase: "stopping" };
  const { exit } = leaving.state;
  const events = exit ? [reachedEvent(leaving, exit, now)] : [];
  return { strategy: leaving, cancels: cancellable(live), events };
}
