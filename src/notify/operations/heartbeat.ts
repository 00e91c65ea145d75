import type { Pass } from "../../engine/pass/step.ts";
import { messageOf } from "../../kernel/errors.ts";
import { type Millis, SECOND, timeGap } from "../../kernel/time.ts";
import type { Local, Log } from "../../ports/local.ts";
import type { Post } from "../../ports/outbound.ts";
import type { AccountReading } from "../../ports/stores/metrics-store.ts";

/** Where somebody outside waits for word of good passes, and how often it is given at most. */
export interface HeartbeatSettings {
  readonly url: string;
  readonly every: Millis;
}

export interface Heartbeat {
  /** After a round of passes: nothing is said unless each was good. Never throws. */
  beat(isGood: boolean): Promise<void>;
}

const HEARTBEAT_TIMEOUT: Millis = 10 * SECOND;

/** In one process; whether it was heard is for the one who listens. */
export function heartbeat(
  { url, every }: HeartbeatSettings,
  { post, local, log }: { readonly post: Post; readonly local: Local; readonly log: Log },
): Heartbeat {
  let last = Number.NEGATIVE_INFINITY;
  return {
    async beat(isGood) {
      const now = local.monotonic();
      if (!isGood || now - last < every) return;
      last = now;
      try {
        const { status } = await post({ method: "GET", url, headers: {}, body: "" }, HEARTBEAT_TIMEOUT);
        if (status >= 400) log("warn", "the heartbeat was refused", { status });
      } catch (error) {
        // Its address is a secret of whoever listens.
        log("warn", "the heartbeat could not be sent", { reason: messageOf(error).replaceAll(url, "…") });
      }
    },
  };
}

/** Of a round in this process. One that another process makes is good; one that lacks keys or waits after a failure is not. */
export const areGood = (passes: readonly Pass[]): boolean =>
  passes.every(({ outcome }) => outcome === "stepped" || outcome === "short" || outcome === "busy");

/** Of passes that others make for this process: each account has had one within three intervals, and none fails. */
export const areStepped = (
  due: readonly string[],
  accounts: readonly AccountReading[],
  { now, interval }: { readonly now: Millis; readonly interval: Millis },
): boolean =>
  accounts
    .filter(({ account }) => due.includes(account))
    .every(
      ({ steppedAt, failures }) =>
        failures === 0 && steppedAt !== null && timeGap(steppedAt, now) <= 3 * interval,
    );
