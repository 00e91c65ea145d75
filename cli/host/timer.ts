import { subscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { runRound } from "../../src/engine/pass/round.ts";
import type { Follower } from "../../src/engine/pass/streams/follow.ts";
import { messageOf } from "../../src/kernel/errors.ts";
import { sleepCheck } from "../../src/kernel/sleep-check.ts";
import { type Millis, SECOND } from "../../src/kernel/time.ts";
import type { AccountKey } from "../../src/model/account.ts";
import { passesSucceeded } from "../../src/notify/operations/heartbeat.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { nodeLocal } from "./process/node-local.ts";
import { rounds } from "./running-servers.ts";

interface TimerParts {
  readonly follower?: Follower;
  /** This machine's clock. */
  readonly wall?: () => Millis;
}

/**
 * Runs a pass over every account, then waits for the rest of the interval, or advances market time only. A pass that
 * takes longer than the interval delays only the next one of its account. After a sleep of the machine, it runs passes
 * at once, over new connections.
 */
export function startTimer(deps: Deps, interval: Millis, { follower, wall = Date.now }: TimerParts = {}) {
  const { letPass } = deps;
  const { paceOf, passCount, ended, forget } = passTimes(
    letPass ? 0 : interval / 2,
    follower ? follower.paceOf : () => interval,
  );
  const running = new Set<Promise<void>>();
  let isPressing = false;
  const round = async () => {
    isPressing = false;
    const passes = await runRound(deps, {
      paceOf,
      ended(pass) {
        if (ended(pass.account) >= interval) timer.wake();
        follower?.passed([pass]);
      },
    });
    await follower?.refresh();
    // Not awaited: passes never wait for a monitoring service.
    void deps.heartbeat?.beat(passesSucceeded(passes) && passCount() === 0);
    const isStepped = passes.some(({ outcome }) => outcome === "stepped" || outcome === "short");
    if (letPass && isStepped) isPressing = await letPass(interval);
  };
  const hasSlept = sleepCheck(wall, nodeLocal.monotonic);
  let wokeAt = Number.NEGATIVE_INFINITY;
  const checkSleep = () => {
    if (!hasSlept()) return;
    wokeAt = nodeLocal.monotonic();
    // Their other ends can be gone. A call that waits for a response fails, as after any lost connection.
    for (const socket of openConnections) socket.destroy();
    forget();
    timer.wake();
  };
  const sleepChecks = setInterval(checkSleep, SECOND).unref();
  const begin = async () => {
    checkSleep();
    // Each but one waits for a pass, so a database that does not respond has one at a time.
    if (running.size > passCount()) return;
    const begun = round()
      .catch((error: unknown) => deps.log("error", "a round failed", { reason: messageOf(error) }))
      .finally(() => running.delete(begun));
    running.add(begun);
    // Market time waits for every pass.
    await (letPass ? begun : endedWithin(begun, interval));
  };
  const timer = rounds(letPass ? Math.min(interval, IDLE) : interval, begin, () => isPressing);
  return {
    /** Returns the time since the machine last slept; infinite if it did not. */
    awakeFor(): Millis {
      checkSleep();
      return nodeLocal.monotonic() - wokeAt;
    },
    async stop() {
      clearInterval(sleepChecks);
      await timer.stop();
      await Promise.all(running);
    },
  };
}

/** Waits until work ends, at most for this time; no timer outlives the work. */
const endedWithin = (work: Promise<void>, millis: Millis): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, millis);
    void work.finally(() => {
      clearTimeout(timer);
      resolve();
    });
  });

/** Decides which accounts a round starts passes for: none whose pass runs, or started less than `minGap` ago. */
function passTimes(minGap: Millis, paceAt: (account: AccountKey) => Millis | undefined) {
  const startedAt = new Map<AccountKey, Millis>();
  const passing = new Set<AccountKey>();
  const sinceStart = (account: AccountKey) =>
    nodeLocal.monotonic() - (startedAt.get(account) ?? Number.NEGATIVE_INFINITY);
  return {
    passCount: () => passing.size,
    paceOf(account: AccountKey): Millis | undefined {
      const pace = passing.has(account) || sinceStart(account) < minGap ? undefined : paceAt(account);
      if (pace === undefined) return undefined;
      passing.add(account);
      startedAt.set(account, nodeLocal.monotonic());
      return pace;
    },
    /** Forgets when passes started, so that no round waits for their time. */
    forget: () => startedAt.clear(),
    /** Returns how long the account's pass took. */
    ended(account: AccountKey): Millis {
      passing.delete(account);
      return sinceStart(account);
    },
  };
}

/** Announces each connection of `fetch`; https://github.com/nodejs/undici/blob/main/docs/docs/api/DiagnosticsChannel.md */
const CONNECTED = "undici:client:connected";

const openConnections = new Set<Socket>();

// From the start, because connections of an earlier request can still be open.
subscribe(CONNECTED, (message) => {
  const { socket } = message as { readonly socket: Socket };
  openConnections.add(socket);
  socket.once("close", () => openConnections.delete(socket));
});

/** Interval in milliseconds at which new work is detected if passes do not wait. */
const IDLE = 250;
