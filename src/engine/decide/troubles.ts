/** Notices about what keeps a strategy from placing orders. */
import type { Order } from "../../model/order.ts";
import type { Notice, Refusal, Strategy } from "../../model/strategy.ts";
import type { StrategyContext } from "../../ports/kind.ts";

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

export function strangerError({
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
