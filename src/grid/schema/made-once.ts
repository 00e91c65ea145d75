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

/** All of a view beside its strategy: one that is new and not named here is an error of types. */
const BESIDE = Object.keys({
  memory: 0,
  costs: 0,
  openOrders: 0,
  steppedAt: 0,
  steppedBy: 0,
  accountError: 0,
} satisfies Record<Beside, 0>) as Beside[];
type Beside = Exclude<keyof Timeless, "strategy">;

const isSame = (a: Timeless, b: Timeless): boolean => BESIDE.every((part) => a[part] === b[part]);
