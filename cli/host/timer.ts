import { tick } from "../../src/engine/pass/tick.ts";
import { messageOf } from "../../src/kernel/errors.ts";
import { areGood } from "../../src/notify/operations/heartbeat.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { rounds } from "./rounds.ts";

/** Steps every account, then waits for what is left of the interval. */
export const startTimer = (deps: Deps, interval: number) =>
  rounds(interval, () =>
    tick(deps).then(
      // Nobody waits for whoever listens.
      (passes) => void deps.heartbeat?.beat(areGood(passes)),
      (error: unknown) => deps.log("error", "a tick failed", { reason: messageOf(error) }),
    ),
  );
