import { setTimeout as sleep } from "node:timers/promises";
import { type Follower, followStreams } from "../../src/engine/pass/streams/follow.ts";
import { tick } from "../../src/engine/pass/tick.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { nodeLocal } from "./process/node-local.ts";

/** Follows the exchanges' streams in this process. Without `isOn` there are no streams, and every pass keeps the tick. */
export function startStreams(deps: Deps, interval: number, isOn: boolean): Follower {
  const follower = followStreams({
    ...deps,
    streams: isOn ? deps.streams : undefined,
    // Its waits must not keep the process alive.
    local: { ...nodeLocal, sleep: (millis) => sleep(millis, undefined, { ref: false }) },
    random: Math.random,
    interval,
    async run(account) {
      const passes = await tick(deps, {
        paceOf: (due) => (due === account ? follower.begin(due) : undefined),
      });
      follower.passed(passes);
      return passes[0];
    },
  });
  return follower;
}
