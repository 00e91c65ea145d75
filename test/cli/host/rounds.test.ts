import { expect, it } from "vitest";
import { rounds } from "../../../cli/host/running-servers.ts";

/** Longer than any test: a wait for it never ends in time. */
const INTERVAL = 1e8;

it("ends after the current round, without a wait for the next one", async () => {
  let endRound: () => void = () => undefined;
  let count = 0;
  const running = rounds(INTERVAL, () => {
    count++;
    return new Promise<void>((resolve) => {
      endRound = resolve;
    });
  });
  const stopped = running.stop();
  endRound();
  await stopped;
  expect(count).toBe(1);
});

it("ends between two rounds", async () => {
  let count = 0;
  const running = rounds(INTERVAL, async () => void count++);
  await new Promise(setImmediate);
  await running.stop();
  expect(count).toBe(1);
});
