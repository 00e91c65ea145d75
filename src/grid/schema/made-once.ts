import type { StrategyView } from "../../ports/stores/strategy-store.ts";
import type { GridStrategy } from "../state/state.ts";

/** A view but for the moment that it is of. */
export type Timeless = Omit<StrategyView<GridStrategy>, "now">;

/**
 * Makes something of a view, and tells it again as long as all that the view holds is the very same: what a store has
 * kept is not gone through for each who asks. Neither what is made nor what it is made of may be changed.
 */
export function madeOnce<Made>(make: (view: Timeless) => Made): (view: Timeless) => Made {
  const known = new WeakMap<GridStrategy, { readonly of: Timeless; readonly made: Made }>();
  return (view) => {
    const last = known.get(view.strategy);
    if (last && isSame(last.of, view)) return last.made;
    const made = make(view);
    known.set(view.strategy, { of: view, made });
    return made;
  };
}

const isSame = (a: Timeless, b: Timeless): boolean =>
  a.memory === b.memory &&
  a.costs === b.costs &&
  a.openOrders === b.openOrders &&
  a.steppedAt === b.steppedAt &&
  a.steppedBy === b.steppedBy &&
  a.accountError === b.accountError;
