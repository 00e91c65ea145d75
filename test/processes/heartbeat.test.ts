import { join } from "node:path";
import { expect, it } from "vitest";
import { canary } from "../support/canary.ts";
import { eventually, serve } from "../support/command.ts";
import { answering } from "../support/live.ts";
import { tempFolder } from "../support/temp.ts";

it("goes out after good passes, falls silent with the only server, and comes back with the one that takes over", async () => {
  const listener = await answering(() => ({ body: "OK" }));
  const folder = tempFolder();
  const address = `/ping/${canary("check")}`;
  const args = ["--db", `file:${join(folder, "beat.db")}`, "--sandbox", "--tick-interval", "100"];
  const env = {
    EDGEMAKER_HEARTBEAT_URL: `${listener.url}${address}`,
    EDGEMAKER_HEARTBEAT_SECONDS: "1",
    EDGEMAKER_OUTBOUND_HOSTS: new URL(listener.url).host,
  };
  const beats = async () => listener.asked.length;
  const one = await serve(folder, args, env);
  await eventually(beats, (count) => count >= 3);
  expect(listener.asked[0]).toMatchObject({ method: "GET", path: address });
  await one.kill("SIGKILL");
  const last = await beats();
  await new Promise((resolve) => setTimeout(resolve, 2500));
  expect(await beats()).toBe(last);
  await serve(folder, args, env);
  await eventually(beats, (count) => count > last);
});
