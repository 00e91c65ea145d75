import { promiseAlarms } from "../liquidity/operations/promised.ts";
import type { Deps } from "../ports/deps.ts";
import { pickedOff } from "../quality/operations/picked-off.ts";
import { lookOut } from "../report/operations/look-out.ts";

/** Checks everything that runs, with the alarms and notices of all parts. */
export const lookOutFor = (deps: Deps): Promise<void> =>
  lookOut(
    deps,
    (now) => promiseAlarms(deps, now),
    (running, until) => pickedOff(deps, running, until),
  );
