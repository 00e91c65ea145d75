/** Paper trading needs no keys: with keys in the environment it makes no request that is signed with them. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { VenueName } from "../../src/model/market.ts";
import { edgemaker, environment, eventually, launcher } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";
import { type EmulatedVenue, startVenue } from "../venues/index.ts";

const NAMES = ["mexc", "gateio", "bitget", "kraken"] as const satisfies readonly VenueName[];

/** Emulated exchanges, with their keys in the environment. */
async function configuredVenues() {
  const venues = await Promise.all(NAMES.map((name) => startVenue(name)));
  onTestFinished(async () => void (await Promise.all(venues.map((venue) => venue.close()))));
  const env: Record<string, string> = {
    EDGEMAKER_VENUE_URLS: venues.map(({ url }, index) => `${NAMES[index]}=${url}`).join(","),
  };
  for (const [index, { keys }] of venues.entries()) {
    const prefix = NAMES[index]?.toUpperCase();
    env[`${prefix}_API_KEY`] = keys.key;
    env[`${prefix}_SECRET`] = keys.secret;
    if (keys.passphrase !== undefined) env[`${prefix}_PASSPHRASE`] = keys.passphrase;
  }
  return { venues, env };
}

const signed = (venues: readonly EmulatedVenue[]) =>
  venues.flatMap(({ observed }) => observed.filter(({ key }) => key !== undefined).map(({ path }) => path));

const MARKET = ["--exchange", "kraken", "--symbol", "BTC/USDT"];

/** Flags of a range grid around the price. */
async function rangeOf(folder: string, env: Record<string, string>): Promise<string[]> {
  const ticker = await edgemaker(folder, ["ticker", ...MARKET, "--json"], env);
  const { last } = JSON.parse(ticker.stdout) as { last: number };
  const range = ["--lower", String(Math.round(last * 0.9)), "--upper", String(Math.round(last * 1.1))];
  return [...MARKET, ...range, "--levels", "6", "--size", "50"];
}

it("`trade --dry-run` signs no request, even next to a live grid", async () => {
  const { venues, env } = await configuredVenues();
  const folder = tempFolder();
  const live = await edgemaker(folder, ["grid", "start", ...(await rangeOf(folder, env)), "--yes"], env);
  expect(live.code, live.stderr).toBe(0);
  expect(signed(venues)).not.toEqual([]);
  for (const venue of venues) venue.resetCounts();
  const database = ["--db", `file:${join(folder, "trade.db")}`];
  const trade = ["trade", "--strategy", "grid", ...MARKET, ...database, "--dry-run"];
  const args = [...trade, "--json", "--tick-interval", "200"];
  const child = spawn(process.execPath, [launcher, ...args], { env: environment(folder, env), cwd: folder });
  onTestFinished(() => void child.kill("SIGKILL"));
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (part) => (stdout += String(part)));
  child.stderr.on("data", (part) => (stderr += String(part)));
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  const kraken = venues[NAMES.indexOf("kraken")] as EmulatedVenue;
  await eventually(
    async () => ({ passes: kraken.count("ticker") + kraken.count("book"), code: child.exitCode, stderr }),
    ({ passes, code }) => passes > 5 || code !== null,
  );
  child.kill("SIGINT");
  expect(await ended, stderr).toBe(0);
  const where = database.join(" ");
  expect(stderr).toMatch(/\d+ orders of (\S+) stay open/);
  expect(stderr).toContain(`start one with \`edgemaker serve ${where}\`, \`edgemaker grid stop `);
  expect(stderr).toContain(` ${where}\` cancels them.`);
  expect(signed(venues)).toEqual([]);
});

it("`grid start --dry-run` and its status sign no request", async () => {
  const { venues, env } = await configuredVenues();
  const folder = tempFolder();
  const grid = await rangeOf(folder, env);
  const started = await edgemaker(folder, ["grid", "start", ...grid, "--dry-run", "--json"], env);
  expect(started.code, started.stderr).toBe(0);
  expect(JSON.parse(started.stdout)).toMatchObject({ status: "running", phase: "active" });
  const status = await edgemaker(folder, ["grid", "status", "--json"], env);
  expect(status.code, status.stderr).toBe(0);
  expect(signed(venues)).toEqual([]);
});
