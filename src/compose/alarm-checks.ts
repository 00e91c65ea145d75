import { dayOf } from "../kernel/time.ts";
import { promiseAlarms } from "../liquidity/operations/promised.ts";
import { recentPairs } from "../liquidity/operations/report.ts";
import { pickedOff } from "../quality/operations/picked-off.ts";
import { type AlarmCheckDeps, checkAlarms } from "../report/operations/alarm-checks.ts";
import type { ServiceDeps } from "./deps.ts";

/** Checks everything that runs, with the alarms and notices of all parts. */
export async function checkAllAlarms(all: ServiceDeps & Pick<AlarmCheckDeps, "awakeFor">): Promise<void> {
  const { liquidity, local, store } = all;
  const today = async () => dayOf(await store.now());
  const pairs = await recentPairs(all, local.monotonic(), today);
  const deps = liquidity ? { ...all, liquidity: { ...liquidity, pairs } } : all;
  await checkAlarms(
    deps,
    (now) => promiseAlarms(deps, now),
    (running, until) => pickedOff(deps, running, until),
  );
}
