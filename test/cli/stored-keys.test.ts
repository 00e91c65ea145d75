/** Stored exchange keys that cannot be used, or must not be: told by exchange wherever a person would look. */
import { expect, it, onTestFinished } from "vitest";
import { canaryKek } from "../support/canary.ts";
import { edgemaker, serve, serveProcess } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";
import { startVenue } from "../venues/index.ts";

const [KEK, OTHER] = [canaryKek("B"), canaryKek("C")];

/** Two exchange ids on one emulated exchange, and a home of one person. */
async function start() {
  const venue = await startVenue("bitget");
  onTestFinished(async () => void (await venue.close()));
  const { key, secret, passphrase } = venue.addKeys({ account: venue.account, may: { withdraw: false } });
  const folder = tempFolder();
  const env = {
    EDGEMAKER_EXCHANGES: "bitget,second=bitget",
    EDGEMAKER_VENUE_URLS: `bitget=${venue.url},second=${venue.url}`,
    EDGEMAKER_KEK: KEK,
  };
  const run = (args: readonly string[], over: Record<string, string> = {}, input?: string) =>
    edgemaker(folder, args, { ...env, ...over }, input);
  const add = (id: string, over?: Record<string, string>) =>
    run(["exchange", "add", id], over, `${key}\n${secret}\n${passphrase}\n`);
  const own = { BITGET_API_KEY: key, BITGET_SECRET: secret, BITGET_PASSPHRASE: passphrase };
  return { folder, env, run, add, own };
}

it.each([
  ["another EDGEMAKER_KEK", OTHER, "they were encrypted with a different EDGEMAKER_KEK"],
  ["none", "", "EDGEMAKER_KEK is not set"],
])("a server reports encrypted keys that it cannot decrypt with %s", async (_what, kek, why) => {
  const { folder, env, run, add } = await start();
  expect((await add("bitget")).code).toBe(0);
  const text = `the stored keys of bitget cannot be decrypted: ${why}`;
  const wrong = { ...env, EDGEMAKER_KEK: kek };
  const server = await serve(folder, ["--tick-interval", "60000"], wrong);
  await expect.poll(server.stderr).toContain(text);
  const ready = await server.ask("/ready");
  expect([ready.status, await ready.json()]).toEqual([503, expect.objectContaining({ message: text })]);
  const status = await (await server.ask("/api/v1/strategy/grid/status")).json();
  expect(status).toMatchObject({ warnings: [text] });
  const balance = await server.ask("/api/v1/balance?exchange=bitget");
  expect([balance.status, await balance.json()]).toEqual([
    401,
    expect.objectContaining({
      error: "Missing credentials",
      message: expect.stringContaining(kek ? why : "bitget"),
    }),
  ]);
  // What needs no keys goes on.
  expect((await server.ask("/api/v1/ticker?exchange=bitget&symbol=BTC/USDT")).status).toBe(200);
  const doctor = await run(["doctor", "--json"], wrong);
  expect(doctor.code).toBe(1);
  expect(JSON.parse(doctor.stdout).checks).toContainEqual({
    check: "bitget keys",
    finding: "bad",
    detail: text,
  });
  await server.kill("SIGTERM");
  const right = await serve(folder, ["--tick-interval", "60000"], env);
  expect((await right.ask("/ready")).status).toBe(200);
});

it("the same keys can be stored under only one exchange id", async () => {
  const { add, run, own } = await start();
  const twice = { code: 2, stderr: expect.stringMatching(/bitget and second have the same API key/) };
  // Those of the environment count.
  expect(await add("second", own)).toMatchObject(twice);
  expect((await add("bitget")).code).toBe(0);
  expect(await add("second")).toMatchObject(twice);
  // Again under its own id they are the same ones.
  expect((await add("bitget")).code).toBe(0);
  expect(JSON.parse((await run(["exchange", "list", "--json"])).stdout)).toMatchObject({
    exchanges: [{ exchange: "bitget", from: "database" }],
  });
});

it("a server refuses to start with the same keys under two ids, until you remove one", async () => {
  const { folder, env, add, run, own } = await start();
  expect((await add("second")).code).toBe(0);
  const both = { ...env, ...own };
  await expect(serveProcess(folder, [], both)).rejects.toThrow(
    /serve ended with 2: .*bitget and second have the same API key/,
  );
  expect((await run(["exchange", "remove", "second"], own)).code).toBe(0);
  expect((await serve(folder, [], both)).url).toMatch(/^http/);
});

it("events record who stored, replaced, re-encrypted and removed keys, but never the keys", async () => {
  const { add, run } = await start();
  expect((await add("bitget")).code).toBe(0);
  expect((await add("bitget")).code).toBe(0);
  expect((await run(["exchange", "rotate"], { EDGEMAKER_KEK: `${OTHER},${KEK}` })).code).toBe(0);
  expect((await run(["exchange", "remove", "bitget"])).code).toBe(0);
  expect((await run(["exchange", "remove", "bitget"])).code).toBe(1);
  const exported = await run(["audit", "export"]);
  const events = exported.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(events.map(({ kind, actor, message }) => [kind, actor, message])).toEqual([
    ["keys", "local", "keys of bitget stored"],
    ["keys", "local", "keys of bitget replaced"],
    ["keys", "local", "keys of bitget encrypted with another EDGEMAKER_KEK"],
    ["keys", "local", "keys of bitget removed"],
  ]);
  expect((await run(["audit", "checkpoint"])).code).toBe(0);
  expect(JSON.parse((await run(["audit", "verify", "--json"])).stdout)).toMatchObject({ intact: true });
});
