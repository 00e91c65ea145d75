import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { startTimer } from "../../../cli/host/timer.ts";
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
