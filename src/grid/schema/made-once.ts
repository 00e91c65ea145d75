import type { StrategyView } from "../../ports/stores/strategy-store.ts";
import type { GridStrategy } from "../state/state.ts";

/** A view without its moment. */
export type Timeless = Omit<StrategyView<GridStrategy>, "now">;

/**
 * Computes a result from a view, and caches it while all objects of the view are identical, so the store's cached
 * rows are not processed for each request. Neither the result nor the view may be modified.
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

/** All fields of a view besides its strategy; a new field that is missing here is a type error. */
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
