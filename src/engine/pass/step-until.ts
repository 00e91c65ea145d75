import { parseAccountKey } from "../../model/account.ts";
import type { Deps } from "../../ports/deps.ts";
import type { StrategyView } from "../../ports/stores/strategy-store.ts";
import type { Pass } from "./step.ts";
import { stepNow } from "./tick.ts";

/** Runs one or two passes if this process runs passes, and returns the strategy after them. */
export async function stepUntil<V extends StrategyView>(
  deps: Deps,
  read: () => Promise<V>,
  isDone: (view: V) => boolean,
): Promise<{ readonly view: V; readonly why: string }> {
  const venue = deps.venueOf(parseAccountKey((await read()).strategy.account));
  let pass: Pass | undefined;
  for (let at = 0; venue && at < 2 && !isDone(await read()); at++) pass = await stepNow(deps, venue);
  const view = await read();
  const why =
    pass?.outcome === "failed"
      ? `; its pass failed (${pass.message}) and is tried again`
      : venue
        ? ""
        : `; a process that is configured for ${view.strategy.account} applies it`;
  return { view, why };
}
