import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { startTimer } from "../../../cli/host/timer.ts";
import type { Follower } from "../../../src/engine/pass/streams/follow.ts";
import { SECOND } from "../../../src/kernel/time.ts";
import { emulatedExchanges } from "../../support/emulated.ts";
import { gridInput } from "../../support/requests.ts";
import { runOperation } from "../../support/sandbox.ts";

const INTERVAL = 20;

it("runs the passes of other accounts while one exchange does not respond", async () => {
  const { deps, exchange, time, close } = await emulatedExchanges({ names: ["kraken", "mexc"] });
  for (const name of ["kraken", "mexc"])
    await runOperation(deps, "start_grid", gridInput({ exchange: name, gridLevels: 4 }));
  let answers: () => void = () => undefined;
  const until = new Promise<void>((resolve) => {
    answers = resolve;
  });
  const [slow, other] = [exchange("kraken"), exchange("mexc")];
  slow.fail({ kind: "slow", route: "open", until, times: 1 });
  slow.resetCounts();
  other.resetCounts();
  const beats: boolean[] = [];
  const timer = startTimer(
    { ...deps, heartbeat: { beat: async (isGood) => void beats.push(isGood) } },
    INTERVAL,
  );
  const passTime = async () => {
    time.pass(SECOND);
    await sleep(INTERVAL);
  };
  while (other.count("open") < 4) await passTime();
  expect(slow.count("open")).toBe(1);
  // Its pass has not ended.
  expect(beats.includes(true)).toBe(false);
  answers();
  while (slow.count("open") < 3 || !beats.includes(true)) await passTime();
  await timer.stop();
  await close();
});

it("runs the passes of an account when it is due, however many rounds it was not", async () => {
  const { deps, exchange, time, close } = await emulatedExchanges({ names: ["kraken"] });
  await runOperation(deps, "start_grid", gridInput({ exchange: "kraken", gridLevels: 4 }));
  const { count, resetCounts } = exchange("kraken");
  resetCounts();
  let rounds = 0;
  const follower = {
    // A quiet account with a live stream.
    paceOf: () => (++rounds > 3 ? INTERVAL : undefined),
    passed: () => undefined,
    refresh: async () => undefined,
  } as unknown as Follower;
  const beats: boolean[] = [];
  const timer = startTimer(
    { ...deps, heartbeat: { beat: async (isGood) => void beats.push(isGood) } },
    INTERVAL,
    { follower },
  );
  // Until then no pass hangs, so the heartbeat goes on.
  await expect.poll(() => beats.length, { interval: 5 }).toBeGreaterThan(1);
  expect(beats[0]).toBe(true);
  while (count("open") < 2) {
    time.pass(SECOND);
    await sleep(INTERVAL);
  }
  await timer.stop();
  await close();
});
