import { tick } from "../../src/engine/pass/tick.ts";
import { messageOf } from "../../src/kernel/errors.ts";
import { areGood } from "../../src/notify/operations/heartbeat.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { rounds } from "./rounds.ts";

/** Steps every account, then waits for what is left of the interval, or lets it go by in the market alone. */
export function startTimer(deps: Deps, interval: number) {
  const { letPass } = deps;
  let isPressing = false;
  const round = async () => {
    isPressing = false;
    const passes = await tick(deps);
    // Nobody waits for whoever listens.
    void deps.heartbeat?.beat(areGood(passes));
    const isStepped = passes.some(({ outcome }) => outcome === "stepped" || outcome === "short");
    if (letPass && isStepped) isPressing = await letPass(interval);
  };
  return rounds(
    letPass ? Math.min(interval, IDLE) : interval,
    () => round().catch((error: unknown) => deps.log("error", "a tick failed", { reason: messageOf(error) })),
    () => isPressing,
  );
}

/** How soon it is seen that there is something to step, where nobody waits for the interval. */
const IDLE = 250;
