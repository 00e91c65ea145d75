import { watchNotices } from "../../engine/pass/stop-watch.ts";
import { MINUTE, type Millis, SECOND } from "../../kernel/time.ts";
import { parseAccountKey } from "../../model/records.ts";
import type { Deps } from "../../ports/deps.ts";

/** Of a process that steps nothing itself, and does not know who does. */
export const intervalOf = ({ interval }: Pick<Deps, "interval">): Millis => interval ?? MINUTE;

/** How long an answer serves: anybody may ask, and it looks at every grid that runs. */
const KEPT_FOR: Millis = SECOND;

/** What is wrong with the watch over the grids that this process steps; undefined where nothing is. */
export function watchOver(deps: Deps): () => Promise<string | undefined> {
  let kept: { readonly at: Millis; readonly told: Promise<string | undefined> } | undefined;
  return () => {
    const at = deps.local.monotonic();
    if (!kept || at - kept.at >= KEPT_FOR) kept = { at, told: look(deps) };
    return kept.told;
  };
}

async function look(deps: Deps): Promise<string | undefined> {
  const views = await deps.store.strategies({ stopped: false });
  const own = views.filter(({ strategy }) => deps.venueOf(parseAccountKey(strategy.account)));
  const late = own.filter((view) => watchNotices(view, intervalOf(deps)).length > 0);
  return late.length === 0
    ? undefined
    : `the stop prices of ${late.length} of ${own.length} grids are not being watched: their status says more`;
}
