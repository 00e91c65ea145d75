import type { Pass } from "../../engine/pass/pass.ts";
import { messageOf } from "../../kernel/errors.ts";
import { type Millis, SECOND, timeGap } from "../../kernel/time.ts";
import type { Post } from "../../ports/outbound.ts";
import type { Local, Log } from "../../ports/within-time.ts";
import type { AccountReading } from "../../storage/metrics.ts";

/** URL of a monitoring service, and the minimum interval of heartbeats. */
interface HeartbeatSettings {
  readonly url: string;
  readonly every: Millis;
}

interface Heartbeat {
  /** Runs after a round of passes; sends nothing unless all were successful. Never throws. */
  beat(isGood: boolean): Promise<void>;
}

const HEARTBEAT_TIMEOUT: Millis = 10 * SECOND;

/** Sends heartbeats from one process; failures to reach the service are ignored. */
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
        // The address is a secret of the monitoring service.
        log("warn", "the heartbeat could not be sent", { reason: messageOf(error).replaceAll(url, "…") });
      }
    },
  };
}

/**
 * Returns whether a round in this process was successful. A pass of another process counts as successful; missing
 * keys or a wait after a failure do not.
 */
export const passesSucceeded = (passes: readonly Pass[]): boolean =>
  passes.every(({ outcome }) => outcome === "stepped" || outcome === "short" || outcome === "busy");

/** Returns whether other processes run the passes: each account had one within three intervals, and none fails. */
export const otherServersRunPasses = (
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
