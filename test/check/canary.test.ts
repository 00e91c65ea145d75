import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@libsql/client";
import { describe, expect, it, onTestFinished } from "vitest";
import { VenueError } from "../../src/kernel/errors.ts";
import type { Venue } from "../../src/ports/venue.ts";
import { importKek, seal } from "../../src/storage/client/envelope.ts";
import { runNode } from "../support/bundle.ts";
import { canary, canarySecret, takeLeaks } from "../support/canary.ts";
import { heard, heardAll, heardLog, heardVenue } from "../support/heard.ts";
import { makeFolder } from "../support/temp.ts";
import { startVenue } from "../venues/index.ts";

const SECRET = canarySecret("a planted leak");

/** What was told of, and with it the test is not failed for it. */
async function readOutput(): Promise<string[]> {
  await heardAll();
  return takeLeaks().map((leak) => leak.slice(0, leak.indexOf(":")));
}

async function written(...values: (string | Uint8Array)[]): Promise<void> {
  const client = createClient({ url: "file::memory:" });
  onTestFinished(() => client.close());
  await client.execute("create table planted (value)");
  for (const value of values)
    await client.batch([{ sql: "insert into planted values (?)", args: [value] }], "write");
}

const DOORS: Readonly<Record<string, () => unknown>> = {
  "console.log": () => console.log({ output: { deep: [SECRET] } }),
  "the tests' own stderr": () => process.stderr.write(`${SECRET}\n`),
  "the log": () => heardLog("info", "asked", { headers: { key: canary("key") } }),
  "stdout of": () =>
    runNode(process.execPath, ["-e", `console.log("${SECRET.slice(0, 7)}" + "${SECRET.slice(7)}")`]),
  "stderr of": () =>
    runNode(process.execPath, [
      "-e",
      `console.error(atob("${SECRET.slice(0, 8)}") + atob("${SECRET.slice(8, 16)}"))`,
    ]),
  "a row": () => written(SECRET),
  "/answer": () => heard("/answer", new Response(`{"error":"wrong key ${canary("key")}"}`)).text(),
  "/headers": () => heard("/headers", new Response(null, { headers: { "x-key": canary("key") } })),
  "balances of a venue": () =>
    heardVenue({
      balances: async () => Promise.reject(new VenueError("unavailable", `no ${SECRET}`)),
    } as unknown as Venue)
      .balances()
      .catch(() => undefined),
  "some.db": () => {
    const { path, remove } = makeFolder();
    writeFileSync(join(path, "some.db"), Buffer.from(`SQLite\0\x01${SECRET}\xff`, "latin1"));
    remove();
  },
};

describe("a leaked secret", () => {
  it.each(Object.entries(DOORS))("by %s is detected", async (door, show) => {
    await show();
    const places = await readOutput();
    expect(places.length).toBeGreaterThan(0);
    for (const place of places) expect(place).toMatch(new RegExp(`^(${door}|the tests' own)`));
    expect(places.some((place) => place.startsWith(door))).toBe(true);
  });

  it.fails("fails the test that leaked it", () => {
    console.log(SECRET);
  });

  it.each<[string, string]>([
    ["in base64", btoa(`user:${SECRET}`)],
    ["in hexadecimal", Buffer.from(SECRET).toString("hex")],
    ["decoded", atob(SECRET.slice(0, 16))],
    ["decoded, in hexadecimal", Buffer.from(SECRET, "base64").toString("hex")],
    ["as bytes", String(new Uint8Array(Buffer.from(SECRET, "base64")))],
    ["in an address", `https://x.example/?key=${encodeURIComponent(SECRET)}`],
  ])("%s is detected", async (_how, shown) => {
    heardLog(shown);
    expect(await readOutput()).toEqual(["the log"]);
  });

  it("in two parts is detected", async () => {
    process.stdout.write(SECRET.slice(0, 9));
    process.stdout.write(`${SECRET.slice(9)}\n`);
    expect(await readOutput()).toEqual(["the tests' own stdout"]);
  });

  it("does not include values that are encrypted at rest, or used for signing", async () => {
    const kek = await importKek(new Uint8Array(32).fill(3));
    await written(JSON.stringify(await seal(kek, "credentials live:kraken:x", { secret: SECRET })));
    expect(await readOutput()).toEqual([]);
  });
});

it("every key of an emulated exchange is a canary", async () => {
  const venue = await startVenue("kraken");
  onTestFinished(() => venue.close());
  for (const keys of [venue.keys, venue.addKeys()])
    for (const name of ["key", "secret", "passphrase"] as const) {
      heardLog(keys[name]);
      expect(await readOutput()).toEqual(["the log"]);
    }
});
