import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { canary, canaryKek } from "../support/canary.ts";
import { edgemaker, eventually, piped, serve } from "../support/command.ts";
import { answering, type Requested } from "../support/live.ts";
import { gridRequest } from "../support/requests.ts";
import { tempFolder } from "../support/temp.ts";

const KEK = canaryKek("B");
const GRID = gridRequest({ lowerPrice: 54_000, upperPrice: 66_000, gridLevels: 60 });

const titleOf = ({ body }: Requested) => (JSON.parse(body) as { title: string }).title;
const linesOf = ({ body }: Requested) => (JSON.parse(body) as { lines: string[] }).lines.join("\n");

/** A receiver, and a home in which it is a channel called ops. */
async function home(reply: Parameters<typeof answering>[0] = () => ({ body: "" })) {
  const receiver = await answering(reply);
  const folder = tempFolder();
  const env = { EDGEMAKER_KEK: KEK, EDGEMAKER_OUTBOUND_HOSTS: new URL(receiver.url).host };
  const args = ["--db", `file:${join(folder, "told.db")}`, "--sandbox"];
  const notify = (...words: string[]) => edgemaker(folder, ["notify", ...words, ...args, "--json"], env);
  const address = `${receiver.url}/${canary("hook")}`;
  const add = () =>
    piped(folder, ["notify", "add", "ops", "--kind", "webhook", ...args, "--json"], [address], env);
  return { receiver, folder, env, args, notify, add, address };
}

it("a channel can be added, tested, listed and removed, and its address is never shown", async () => {
  let isUp = true;
  const { folder, notify, add, receiver } = await home(() => ({ status: isUp ? 200 : 500, body: "" }));
  const added = await add();
  expect([added.code, added.stderr]).toEqual([0, ""]);
  expect(JSON.parse(added.stdout)).toMatchObject({ channel: "ops", signingSecret: /^whsec_/ });
  expect((await add()).stderr).toContain("the channel ops exists already");
  expect(JSON.parse((await notify("test", "ops")).stdout)).toEqual({ channel: "ops", messages: 1 });
  expect(receiver.requests.map(titleOf)).toEqual(["edgemaker: this is a test"]);
  isUp = false;
  expect(await notify("test", "ops")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("returned status 500"),
  });
  const listed = JSON.parse((await notify("list")).stdout);
  expect(listed).toMatchObject({
    channels: [
      { channel: "ops", kind: "webhook", level: "info", waiting: 1, error: "it returned status 500" },
    ],
  });
  expect(JSON.parse((await notify("replay", "ops")).stdout)).toEqual({ channel: "ops", messages: 0 });
  for (const name of readdirSync(folder).filter((one) => one.startsWith("told.db")))
    expect(readFileSync(join(folder, name), "latin1")).not.toContain(canary("hook"));
  expect(JSON.parse((await notify("remove", "ops")).stdout)).toEqual({ channel: "ops", removed: true });
  expect(await notify("remove", "ops")).toMatchObject({ code: 1 });
});

it("a server sends an event, and the successor of a killed server sends it with the same key", async () => {
  let kill = () => undefined as undefined | Promise<void>;
  const { receiver, folder, env, args, add } = await home(async () => {
    await kill();
    return { body: "" };
  });
  const one = await serve(folder, [...args, "--speed", "3600", "--tick-interval", "300"], env);
  expect((await add()).code).toBe(0);
  await one.ask("/api/v1/strategy/grid", { method: "POST", body: JSON.stringify(GRID) });
  await eventually(
    async () => receiver.requests.map(linesOf).join("\n"),
    (lines) => lines.includes("started on BTC/USDT"),
  );
  // Fills alone wait for ten minutes, and go with what is urgent.
  await eventually(
    async () =>
      (await (await one.ask("/api/v1/strategy/grid/status")).json()) as {
        strategies: { filledOrders: number }[];
      },
    ({ strategies }) => strategies.some(({ filledOrders }) => filledOrders > 0),
  );
  const turn = (on: boolean) => one.ask("/api/v1/kill", { method: "POST", body: JSON.stringify({ on }) });
  await turn(true);
  await eventually(
    async () => receiver.requests.map(linesOf).join("\n"),
    (lines) => /(bought|sold) [\d.]+ BTC for [\d.]+ USDT/.test(lines),
  );
  // Killed after the receiver has heard it, before it can be recorded.
  let killed: Requested | undefined;
  kill = async () => {
    kill = () => undefined;
    killed = receiver.requests.at(-1);
    await one.kill("SIGKILL");
  };
  await turn(false);
  await eventually(
    async () => killed,
    (request) => request !== undefined,
  );
  await serve(folder, [...args, "--tick-interval", "300"], env);
  const key = killed?.headers["idempotency-key"];
  const again = await eventually(
    async () => receiver.requests.filter(({ headers }) => headers["idempotency-key"] === key),
    (requests) => requests.length > 1,
  );
  expect(again.map(({ body }) => body)).toEqual([killed?.body, killed?.body]);
});

it("a private address is refused unless the operator allows it", async () => {
  const folder = tempFolder();
  const added = await piped(
    folder,
    ["notify", "add", "ops", "--kind", "webhook", "--sandbox"],
    ["https://192.168.1.7/hook"],
  );
  expect(added).toMatchObject({ code: 2, stderr: expect.stringContaining("EDGEMAKER_OUTBOUND_HOSTS") });
  // Exit code 2 means that nothing was done: no encryption key either.
  expect(existsSync(join(folder, "config/edgemaker/edgemaker.json"))).toBe(false);
});

it("the first channel of a fresh install creates EDGEMAKER_KEK, and sends", async () => {
  const { notify, add, env, folder, receiver } = await home();
  delete (env as { EDGEMAKER_KEK?: string }).EDGEMAKER_KEK;
  expect(await add()).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^Created an encryption key in .*edgemaker\.json\. Back up this file.*\n$/),
  });
  expect(readFileSync(join(folder, "config/edgemaker/edgemaker.json"), "utf8")).toMatch(
    /"EDGEMAKER_KEK": "[\w+/]{43}="/,
  );
  expect(JSON.parse((await notify("test", "ops")).stdout)).toEqual({ channel: "ops", messages: 1 });
  expect(receiver.requests).toHaveLength(1);
});

it("a channel that another EDGEMAKER_KEK encrypts needs it to be tested, and another one to be added", async () => {
  const { notify, add, env } = await home();
  await add();
  delete (env as { EDGEMAKER_KEK?: string }).EDGEMAKER_KEK;
  expect(await add()).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("channels that it encrypts"),
  });
  expect(await notify("test", "ops")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("EDGEMAKER_KEK"),
  });
});
