import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { edgemaker, piped } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";
import { startVenue } from "../venues/index.ts";

/** A home whose settings file has keys, as earlier versions of setup wrote them. */
async function home() {
  const venue = await startVenue("kraken");
  onTestFinished(async () => void (await venue.close()));
  const folder = tempFolder();
  const file = join(folder, "config/edgemaker/edgemaker.json");
  mkdirSync(dirname(file), { recursive: true });
  const write = ({ key, secret }: { key: string; secret: string }) => {
    const settings = { EDGEMAKER_EXCHANGES: "kraken", KRAKEN_API_KEY: key, KRAKEN_SECRET: secret };
    writeFileSync(file, JSON.stringify({ ...read(), ...settings }), { mode: 0o600 });
  };
  const read = () => {
    try {
      return JSON.parse(readFileSync(file, "utf8")) as Record<string, string>;
    } catch {
      return {};
    }
  };
  const over = { EDGEMAKER_VENUE_URLS: `kraken=${venue.url}` };
  const run = (args: readonly string[], more: Record<string, string> = {}) =>
    edgemaker(folder, args, { ...over, ...more });
  const newKeys = () => venue.addKeys({ account: venue.account, may: { withdraw: false } });
  const add = (keys: { key: string; secret: string }) =>
    piped(folder, ["exchange", "add", "kraken", "--json"], [keys.key, keys.secret], over);
  return { venue, write, read, run, newKeys, add };
}

const listed = async (run: Awaited<ReturnType<typeof home>>["run"]) =>
  JSON.parse((await run(["exchange", "list", "--json"])).stdout).exchanges as { from: string }[];

it("exchange import moves the keys of the settings file into the database", async () => {
  const { venue, write, read, run } = await home();
  write(venue.keys);
  const moved = await run(["exchange", "import", "--json"]);
  expect([moved.code, moved.stderr]).toEqual([
    0,
    expect.stringMatching(/^Created an encryption key in .*edgemaker\.json\. Back up this file/),
  ]);
  expect(JSON.parse(moved.stdout)).toMatchObject({
    exchanges: [{ exchange: "kraken", stored: true }],
    count: 1,
  });
  expect(Object.keys(read()).sort()).toEqual(["EDGEMAKER_EXCHANGES", "EDGEMAKER_KEK"]);
  expect(await listed(run)).toMatchObject([{ from: "database" }]);
  const tested = await run(["exchange", "test", "kraken", "--json"]);
  expect(JSON.parse(tested.stdout)).toMatchObject({ accepted: true });
  const again = await run(["exchange", "import", "--json"]);
  expect(JSON.parse(again.stdout)).toMatchObject({ count: 0 });
});

it("exchange import keeps newer stored keys if the exchange refuses those of the file", async () => {
  const { venue, write, read, run, newKeys, add } = await home();
  write(venue.keys);
  await run(["exchange", "import"]);
  const fresh = newKeys();
  expect((await add(fresh)).code).toBe(0);
  venue.revokeKeys(venue.keys.key);
  write(venue.keys);
  const moved = await run(["exchange", "import", "--json"]);
  expect(JSON.parse(moved.stdout)).toMatchObject({ exchanges: [{ exchange: "kraken", stored: false }] });
  expect(read()).not.toHaveProperty("KRAKEN_API_KEY");
  expect((await run(["exchange", "test", "kraken"])).code).toBe(0);
});

it("exchange add replaces a refused key of the settings file, as the message says", async () => {
  const { venue, write, read, run, newKeys, add } = await home();
  write(venue.keys);
  venue.revokeKeys(venue.keys.key);
  const refused = await run(["exchange", "test", "kraken"]);
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringMatching(
      /the key is in edgemaker\.json, which overrides the database; replace it with `edgemaker exchange add kraken`, and restart the server/,
    ),
  ]);
  const added = await add(newKeys());
  expect(added.code).toBe(0);
  expect(JSON.parse(added.stdout).note).toMatch(/removed from edgemaker\.json; restart a running server/);
  expect(read()).not.toHaveProperty("KRAKEN_SECRET");
  expect((await run(["exchange", "test", "kraken"])).code).toBe(0);
});

it("the message of a refused key names the place that takes precedence", async () => {
  const { venue, run, newKeys, write } = await home();
  write(venue.keys);
  await run(["exchange", "import"]);
  const environment = newKeys();
  for (const key of [venue.keys.key, environment.key]) venue.revokeKeys(key);
  const stored = await run(["exchange", "test", "kraken"]);
  expect(stored.stderr).toContain(
    "the key is in the database; replace it with `edgemaker exchange add kraken`",
  );
  const own = await run(["exchange", "test", "kraken"], {
    KRAKEN_API_KEY: environment.key,
    KRAKEN_SECRET: environment.secret,
  });
  expect(own.stderr).toContain(
    "the key is KRAKEN_API_KEY in the environment, which overrides the database; replace it there",
  );
});

it("exchange add creates no second encryption key when stored keys exist", async () => {
  const { venue, write, run } = await home();
  write(venue.keys);
  await run(["exchange", "import"]);
  write(venue.keys);
  const bare = await run(["exchange", "import"], { EDGEMAKER_KEK: "" });
  expect([bare.code, bare.stderr]).toEqual([
    2,
    expect.stringContaining("set EDGEMAKER_KEK as the server has it"),
  ]);
});

it("exchange import checks keys before they replace stored ones that it cannot decrypt", async () => {
  const { venue, write, run } = await home();
  write(venue.keys);
  await run(["exchange", "import"]);
  venue.revokeKeys(venue.keys.key);
  write(venue.keys);
  const other = { EDGEMAKER_KEK: Buffer.alloc(32, 7).toString("base64") };
  const moved = await run(["exchange", "import", "--json"], other);
  expect(JSON.parse(moved.stdout)).toMatchObject({ exchanges: [{ exchange: "kraken", stored: false }] });
});

it("exchange remove says which processes still use the keys", async () => {
  const { venue, write, read, run } = await home();
  const noteOf = async (more?: Record<string, string>) =>
    JSON.parse((await run(["exchange", "remove", "kraken", "--json"], more)).stdout).note as string;
  write(venue.keys);
  expect(await noteOf()).toMatch(
    /removed from edgemaker\.json; restart a running server, which has read them/,
  );
  expect(read()).not.toHaveProperty("KRAKEN_API_KEY");
  write(venue.keys);
  await run(["exchange", "import"]);
  const own = { KRAKEN_API_KEY: venue.keys.key, KRAKEN_SECRET: venue.keys.secret };
  expect(await noteOf(own)).toMatch(
    /KRAKEN_API_KEY is set here and is still used; unset it and restart the server/,
  );
  expect((await run(["exchange", "test", "kraken"], own)).code).toBe(0);
});
