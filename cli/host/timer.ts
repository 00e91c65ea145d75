import { runRound } from "../../src/engine/pass/round.ts";
import type { Follower } from "../../src/engine/pass/streams/follow.ts";
import { messageOf } from "../../src/kernel/errors.ts";
import { passesSucceeded } from "../../src/notify/operations/heartbeat.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { rounds } from "./running-servers.ts";

/** Runs a pass over every account, then waits for the rest of the interval, or advances market time only. */
export function startTimer(deps: Deps, interval: number, follower?: Follower) {
  const { letPass } = deps;
  let isPressing = false;
  const round = async () => {
    isPressing = false;
    const passes = await runRound(deps, follower ? { paceOf: follower.paceOf } : {});
    follower?.passed(passes);
    await follower?.refresh();
    // Not awaited: passes never wait for a monitoring service.
    void deps.heartbeat?.beat(passesSucceeded(passes));
    const isStepped = passes.some(({ outcome }) => outcome === "stepped" || outcome === "short");
    if (letPass && isStepped) isPressing = await letPass(interval);
  };
  return rounds(
    letPass ? Math.min(interval, IDLE) : interval,
    () =>
      round().catch((error: unknown) => deps.log("error", "a round failed", { reason: messageOf(error) })),
    () => isPressing,
  );
}

/** Interval in milliseconds at which new work is detected if passes do not wait. */
const IDLE = 250;
