import { tick } from "../../src/engine/pass/tick.ts";
import { messageOf } from "../../src/kernel/errors.ts";
import { areGood } from "../../src/notify/operations/heartbeat.ts";
import type { Deps } from "../../src/ports/deps.ts";

/** Steps every account, then waits for what is left of the interval; a late pass delays the next, none overlap. */
export function startTimer(deps: Deps, interval: number) {
  let isStopping = false;
  let wake: () => void = () => undefined;
  const loop = async () => {
    while (!isStopping) {
      const startedAt = performance.now();
      await tick(deps).then(
        // Nobody waits for whoever listens.
        (passes) => void deps.heartbeat?.beat(areGood(passes)),
        (error: unknown) => deps.log("error", "a tick failed", { reason: messageOf(error) }),
      );
      const wait = Math.max(0, interval - (performance.now() - startedAt));
      await new Promise<void>((resolve) => {
        wake = resolve;
        setTimeout(resolve, wait).unref();
      });
    }
  };
  const running = loop();
  return {
    async stop() {
      isStopping = true;
      wake();
      await running;
    },
  };
}
