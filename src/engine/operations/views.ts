import { AppError } from "../../kernel/errors.ts";
import type { Strategy } from "../../model/strategy.ts";
import type { Deps } from "../../ports/deps.ts";
import type { StrategyView } from "../../ports/stores/strategy-store.ts";

/** A kind of strategy, and how its operations name it. */
export interface NamedKind<S extends Strategy> {
  /** Name of the kind, which its paths also use. */
  readonly name: string;
  /** Name of its commands and tools. */
  readonly group: string;
  readonly as: (strategy: Strategy) => S;
  /** Describes that no strategy has this id. */
  readonly missing: (id: string) => string;
}

/** Returns the strategies of one kind. */
export const viewsOf = <S extends Strategy>(
  { name, as }: NamedKind<S>,
  views: readonly StrategyView[],
): readonly StrategyView<S>[] =>
  views
    .filter(({ strategy }) => strategy.kind === name)
    .map((view) => ({ ...view, strategy: as(view.strategy) }));

/** Returns the strategies of one kind that are not stopped. */
export const runningViews = <S extends Strategy>({ store }: Deps, kind: NamedKind<S>) =>
  store.strategies({ stopped: false, kind: kind.name }).then((views) => viewsOf(kind, views));

/** Returns one strategy. Throws AppError if none of this kind has the id. */
export async function viewNamed<S extends Strategy>(
  { store }: Deps,
  kind: NamedKind<S>,
  id: string,
): Promise<StrategyView<S>> {
  const [view] = viewsOf(kind, await store.strategies({ id }));
  if (!view) throw new AppError("Not found", kind.missing(id));
  return view;
}
