import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { MINUTE } from "../../src/kernel/time.ts";
import { canary } from "../support/canary.ts";
import { eventually, serve } from "../support/command.ts";
import { answering } from "../support/live.ts";
import { tempFolder } from "../support/temp.ts";
import { storyClock } from "../week/clock.ts";

const START = Date.parse("2026-03-02T09:00:00Z");

it("a heartbeat follows good passes, stops with the only server, and resumes with its successor", async () => {
  const listener = await answering(() => ({ body: "OK" }));
  const folder = tempFolder();
  const address = `/ping/${canary("check")}`;
  const args = ["--db", `file:${join(folder, "beat.db")}`, "--sandbox", "--tick-interval", "100"];
  const env = {
    EDGEMAKER_HEARTBEAT_URL: `${listener.url}${address}`,
    EDGEMAKER_HEARTBEAT_SECONDS: "1",
    EDGEMAKER_OUTBOUND_HOSTS: new URL(listener.url).host,
  };
  const beats = async () => listener.requests.length;
  const one = await serve(folder, args, env);
  await eventually(beats, (count) => count >= 3);
  expect(listener.requests[0]).toMatchObject({ method: "GET", path: address });
  await one.kill("SIGKILL");
  // One that it has sent is heard first.
  for (const _time of ["one", "two"]) await new Promise((resolve) => setTimeout(resolve, 250));
  const last = await beats();
  await new Promise((resolve) => setTimeout(resolve, 2500));
  expect(await beats()).toBe(last);
  await serve(folder, args, env);
  await eventually(beats, (count) => count > last);
});

it("heartbeats stop when the only server is killed, and the next one reports the downtime", async () => {
  const listener = await answering(() => ({ body: "OK" }));
  const folder = tempFolder();
  const clock = storyClock(folder, START);
  onTestFinished(clock.close);
  const args = ["--db", `file:${join(folder, "beat.db")}`, "--sandbox"];
  const env = {
    ...clock.settings,
    EDGEMAKER_HEARTBEAT_URL: listener.url,
    EDGEMAKER_HEARTBEAT_SECONDS: "5",
    EDGEMAKER_OUTBOUND_HOSTS: new URL(listener.url).host,
  };
  // The servers' time moves on as long as somebody waits for them.
  const until = (holds: () => boolean) =>
    eventually(
      async () => clock.pass(1000),
      () => holds(),
    );
  const one = await serve(folder, args, env);
  await until(() => listener.requests.length >= 3);
  await one.kill("SIGKILL");
  const last = listener.requests.length;
  clock.pass(30 * MINUTE);
  const two = await serve(folder, args, env);
  const said = () => /takes over from \S+: no server was running for (\d+) min\b/.exec(two.stdout())?.[1];
  await until(() => said() !== undefined);
  // Since the first one's last look, and by the second one's first: how much more that is, a slow machine decides.
  expect(Number(said())).toBeGreaterThanOrEqual(30);
  expect(Number(said())).toBeLessThanOrEqual(Math.ceil((clock.now() - START) / MINUTE));
  await until(() => listener.requests.length > last);
});
