import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { canaryKek } from "../support/canary.ts";
import { edgemaker, piped } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";
import { startVenue } from "../venues/index.ts";

const KEK = canaryKek("B");
const OTHER = canaryKek("C");

async function start(may: { withdraw: boolean } = { withdraw: false }) {
  const venue = await startVenue("bitget");
  onTestFinished(async () => void (await venue.close()));
  const keys = venue.addKeys({ account: venue.account, may });
  const folder = tempFolder();
  const env = { EDGEMAKER_VENUE_URLS: `bitget=${venue.url}`, EDGEMAKER_KEK: KEK };
  const run = (args: readonly string[], over: Record<string, string> = {}) =>
    edgemaker(folder, args, { ...env, ...over });
  return { venue, keys, folder, env, run };
}

const bytesOf = (folder: string): string =>
  readdirSync(join(folder, "data/edgemaker"))
    .map((name) => readFileSync(join(folder, "data/edgemaker", name), "latin1"))
    .join("");

it("exchange add stores keys from a pipe encrypted, uses them, and removes them", async () => {
  const { keys, folder, env, run } = await start();
  const { key, secret, passphrase } = keys;
  const added = await piped(folder, ["exchange", "add", "bitget", "--json"], [key, secret, passphrase], env);
  expect([added.code, added.stderr]).toEqual([0, ""]);
  expect(JSON.parse(added.stdout)).toMatchObject({ exchange: "bitget", stored: true, mayWithdraw: "no" });
  for (const text of [key, secret, passphrase]) {
    expect(added.stdout).not.toContain(text);
    expect(bytesOf(folder)).not.toContain(text);
  }
  const balance = await run(["balance", "--exchange", "bitget", "--asset", "BTC", "--json"]);
  expect(JSON.parse(balance.stdout).balances).toEqual([{ asset: "BTC", free: "2", used: "0", total: "2" }]);
  const listed = await run(["exchange", "list", "--json"]);
  expect(JSON.parse(listed.stdout)).toMatchObject({
    count: 1,
    exchanges: [{ exchange: "bitget", from: "database" }],
  });

  const rotated = await run(["exchange", "rotate", "--json"], { EDGEMAKER_KEK: `${OTHER},${KEK}` });
  expect(JSON.parse(rotated.stdout)).toEqual({ rotated: 1, channels: 0, proofKeys: 0 });
  const tested = await run(["exchange", "test", "bitget", "--json"], { EDGEMAKER_KEK: OTHER });
  expect(JSON.parse(tested.stdout)).toMatchObject({ accepted: true, assets: 8 });
  const old = await run(["exchange", "test", "bitget"]);
  expect([old.code, old.stderr]).toEqual([2, expect.stringContaining("a different EDGEMAKER_KEK")]);

  expect((await run(["exchange", "remove", "bitget"])).code).toBe(0);
  const gone = await run(["balance", "--exchange", "bitget"]);
  expect([gone.code, gone.stderr]).toEqual([1, expect.stringContaining("Missing credentials")]);
});

it("exchange add rejects keys with withdrawal rights unless a flag allows them", async () => {
  const { keys, run } = await start({ withdraw: true });
  const own = { BITGET_API_KEY: keys.key, BITGET_SECRET: keys.secret, BITGET_PASSPHRASE: keys.passphrase };
  const refused = await run(["exchange", "add", "bitget", "--from-env"], own);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("can withdraw")]);
  expect(JSON.parse((await run(["exchange", "list", "--json"])).stdout).count).toBe(0);
  const accepted = await run(["exchange", "add", "bitget", "--from-env", "--allow-withdrawal"], own);
  expect(accepted.code).toBe(0);
});

it("exchange add stores nothing if the exchange rejects the keys", async () => {
  const { keys, folder, env, run } = await start();
  const wrong = await piped(folder, ["exchange", "add", "bitget"], [keys.key, "wrong", keys.passphrase], env);
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining("bitget:")]);
  expect(wrong.stderr).not.toContain("wrong");
  expect(JSON.parse((await run(["exchange", "list", "--json"])).stdout).count).toBe(0);
});

it("exchange add creates the encryption key for the first accepted keys, and names its file once", async () => {
  const { venue, keys, folder } = await start();
  const env = { EDGEMAKER_VENUE_URLS: `bitget=${venue.url}` };
  const add = (secret = keys.secret) =>
    piped(folder, ["exchange", "add", "bitget", "--json"], [keys.key, secret, keys.passphrase], env);
  const file = join(folder, "config/edgemaker/edgemaker.json");
  for (const [secret, code] of [
    ["", 2],
    ["wrong", 1],
  ] as const) {
    const refused = await add(secret);
    expect([refused.code, refused.stderr, existsSync(file)]).toEqual([
      code,
      expect.not.stringContaining("Created"),
      false,
    ]);
  }
  const first = await add();
  expect([first.code, first.stderr]).toEqual([
    0,
    `Created an encryption key in ${file}. Back up this file in another place than the database.\n`,
  ]);
  const { EDGEMAKER_KEK: kek } = JSON.parse(readFileSync(file, "utf8"));
  expect(Buffer.from(kek, "base64")).toHaveLength(32);
  expect(first.stderr).not.toContain(kek);
  const again = await add();
  expect([again.code, again.stderr]).toEqual([0, ""]);
  const balance = await edgemaker(folder, ["balance", "--exchange", "bitget", "--json"], env);
  expect([balance.code, balance.stderr]).toEqual([0, ""]);
});
