import { expect, it } from "vitest";
import { startTask, type Wait, waitOf } from "./task.ts";

it("a wait can outlast its flow, as a write does after its time limit", async () => {
  const waits: Wait<string>[] = [];
  const heard: string[] = [];
  await startTask({ id: 0, isAlive: true, bornAt: 0 }, async (task) => {
    const wait = waitOf<string>(task);
    waits.push(wait);
    void wait.promise.then((value) => heard.push(value));
  });
  await waits[0]?.answer("written");
  expect(heard).toEqual(["written"]);
});
