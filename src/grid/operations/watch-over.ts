import { stalledFor } from "../../engine/pass/stalled.ts";
import { watchNotices } from "../../engine/pass/stop-watch.ts";
import { MINUTE, type Millis, SECOND } from "../../kernel/time.ts";
import { parseAccountKey } from "../../model/account.ts";
import type { Deps } from "../../ports/deps.ts";
import type { StrategyView } from "../../ports/stores/strategy-store.ts";

/** Returns the interval of passes; one minute if this process runs none and the interval is unknown. */
export const intervalOf = ({ interval }: Pick<Deps, "interval">): Millis => interval ?? MINUTE;

/** How long a response is cached: anybody can request it, and it checks every running grid. */
const WATCH_KEPT_FOR: Millis = SECOND;

/**
 * Returns a function that reports problems with the passes of this process's grids; it returns undefined without
 * problems.
 */
export function watchOver(deps: Deps): () => Promise<string | undefined> {
  let kept: { readonly at: Millis; readonly message: Promise<string | undefined> } | undefined;
  return () => {
    const at = deps.local.monotonic();
    if (!kept || at - kept.at >= WATCH_KEPT_FOR) kept = { at, message: lookAtGrids(deps) };
    return kept.message;
  };
}

async function lookAtGrids(deps: Deps): Promise<string | undefined> {
  const views = await deps.store.strategies({ stopped: false });
  const own = views.filter(({ strategy }) => deps.venueOf(parseAccountKey(strategy.account)));
  const stalled = own.filter((view) => stalledFor(view, deps.interval) > 0);
  const late = own.filter((view) => watchNotices(view, intervalOf(deps)).length > 0);
  const lines = [
    ...(stalled.length === 0 ? [] : [`stalled: ${strategyNames(stalled)}`]),
    ...(late.length === 0
      ? []
      : [
          `the stop prices of ${late.length} of ${own.length} grids are not being watched: ${strategyNames(late)}; see their status`,
        ]),
  ];
  return lines.length === 0 ? undefined : lines.join("; ");
}

/** Maximum number of strategies that a message names. */
const MOST_STRATEGIES_NAMED = 20;

const strategyNames = (views: readonly StrategyView[]): string => {
  const names = views.slice(0, MOST_STRATEGIES_NAMED).map(({ strategy }) => strategy.id);
  const left = views.length - names.length;
  return `${names.join(", ")}${left > 0 ? ` and ${left} more` : ""}`;
};
