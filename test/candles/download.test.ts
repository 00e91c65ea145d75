import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DAY, MINUTE } from "../../src/kernel/time.ts";
import type { Candle } from "../../src/model/market.ts";
import { edgemaker, environment, eventually, launcher } from "../support/command.ts";
import { minutesFrom } from "../support/minutes.ts";
import { makeFolder, tempFolder } from "../support/temp.ts";
import { type EmulatedVenue, startVenue } from "../venues/index.ts";

const PAIR = "BTC/USDT";
const TODAY = Math.floor(Date.now() / DAY) * DAY;
const FIRST = TODAY - 9 * DAY;
const COUNT = 8 * 1440;
const HOLES = (minute: number) => minute % 1000 === 17 || (minute > 3000 && minute < 3050);
const PAST = minutesFrom(FIRST, COUNT, { holes: HOLES });
const dateOf = (at: number) => new Date(at).toISOString().slice(0, 10);

let venue: EmulatedVenue;
beforeAll(async () => {
  venue = await startVenue("mexc");
});
afterAll(() => venue.close());

function fresh(): void {
  venue.heal();
  venue.chance(undefined);
  venue.latency.before = 0;
  venue.past(PAIR, PAST);
  venue.resetCounts();
}

const words = (since: number, until: number) => [
  "candles",
  "download",
  "--exchange",
  "mexc",
  "--venue-url",
  `mexc=${venue.url}`,
  "--symbol",
  PAIR,
  "--since",
  dateOf(since),
  "--until",
  dateOf(until),
  "--json",
];
const END = FIRST + 8 * DAY;

async function download(folder: string, since = FIRST, until = END, more: readonly string[] = []) {
  const { code, stdout, stderr } = await edgemaker(folder, [...words(since, until), ...more]);
  return { code, stderr, answer: code === 0 ? JSON.parse(stdout) : undefined };
}

describe("a download of candles", () => {
  let whole: Awaited<ReturnType<typeof download>>["answer"];
  beforeAll(async () => {
    fresh();
    const folder = makeFolder();
    whole = (await download(folder.path)).answer;
    folder.remove();
  });

  it("has every candle, and reports the gaps", () => {
    expect(whole).toMatchObject({
      bars: PAST.length,
      gaps: 12,
      missingBars: COUNT - PAST.length,
      duplicates: 0,
      refusedRows: 0,
      firstBar: new Date(FIRST).toISOString(),
      lastBarEnds: new Date(FIRST + COUNT * MINUTE).toISOString(),
    });
  });

  it("starts where the pair was listed, without requests for the time before", async () => {
    fresh();
    const { answer, stderr } = await download(tempFolder(), FIRST - 1000 * DAY);
    expect(stderr).toContain(`mexc has no candle of ${PAIR} before ${new Date(FIRST).toISOString()}`);
    expect(answer.hash).toBe(whole.hash);
    expect(venue.count("candles")).toBeLessThan(60);
  });

  it("leaves out candles that ended in the last minute, which the exchange can still change", async () => {
    fresh();
    const begin = Math.floor(Date.now() / MINUTE) * MINUTE - 10 * MINUTE;
    venue.past(PAIR, minutesFrom(begin, 10));
    const { stdout } = await edgemaker(tempFolder(), [
      "candles",
      "download",
      "--exchange",
      "mexc",
      "--venue-url",
      `mexc=${venue.url}`,
      "--symbol",
      PAIR,
      "--since",
      String(begin),
      "--json",
    ]);
    const ends = Date.parse(JSON.parse(stdout).lastBarEnds);
    expect(ends).toBeGreaterThan(begin);
    expect(ends).toBeLessThanOrEqual(Date.now() - MINUTE);
  });

  it("continues in both directions to the same result", async () => {
    fresh();
    const folder = tempFolder();
    const middle = await download(folder, FIRST + 3 * DAY, FIRST + 5 * DAY);
    expect(middle.answer.bars).toBeLessThan(2 * 1440);
    await download(folder, FIRST, FIRST + 5 * DAY);
    venue.resetCounts();
    expect((await download(folder)).answer.hash).toBe(whole.hash);
    const requestCount = venue.count("candles");
    // Three days are left of eight, at 500 minutes a question, and the holes in them.
    expect(requestCount).toBeLessThan(20);
    venue.resetCounts();
    expect((await download(folder)).answer.hash).toBe(whole.hash);
    expect(venue.count("candles")).toBe(0);
  });

  it.each([
    ["forwards", FIRST, END],
    ["backwards", FIRST + 6 * DAY, END],
  ])("killed repeatedly %s ends with the same result", async (_name, since, until) => {
    fresh();
    venue.latency.before = 40;
    const folder = tempFolder();
    const journal = join(folder, "data/edgemaker/edgemaker.candles/mexc-BTC-USDT-1m.candles.part");
    const lines = () => (existsSync(journal) ? readFileSync(journal, "utf8").split("\n").length - 1 : 0);
    if (since !== FIRST) await download(folder, since, until);
    for (const kept of [2, 5, 8]) {
      const child = spawn(process.execPath, [launcher, ...words(FIRST, END)], {
        env: environment(folder),
        cwd: folder,
      });
      const ended = new Promise((resolve) => child.on("close", resolve));
      await eventually(
        async () => lines(),
        (count) => count >= kept || child.exitCode !== null,
      );
      child.kill("SIGKILL");
      await ended;
    }
    venue.latency.before = 0;
    expect((await download(folder)).answer).toMatchObject({
      hash: whole.hash,
      bars: whole.bars,
      duplicates: 0,
    });
    expect(existsSync(journal)).toBe(false);
  });

  it.each([
    ["downloads", 2],
    ["waits for an exchange that fails", 0],
  ])("exits with 130 when it is stopped while it %s, and continues later", async (_what, pages) => {
    fresh();
    const folder = tempFolder();
    if (pages > 0) venue.latency.before = 50;
    else venue.fail({ kind: "server_error", route: "candles", times: 1000 });
    const child = spawn(process.execPath, [launcher, ...words(FIRST, END)], {
      env: environment(folder),
      cwd: folder,
    });
    let stderr = "";
    child.stderr.on("data", (part) => (stderr += String(part)));
    const ended = new Promise((resolve) => child.on("close", resolve));
    const journal = join(folder, "data/edgemaker/edgemaker.candles/mexc-BTC-USDT-1m.candles.part");
    const lines = () => (existsSync(journal) ? readFileSync(journal, "utf8").split("\n").length - 1 : 0);
    await eventually(
      async () => (pages > 0 ? lines() >= pages : stderr.includes("retrying in")),
      (isUnderWay) => isUnderWay || child.exitCode !== null,
    );
    child.kill("SIGINT");
    expect(await ended).toBe(130);
    expect(stderr).toContain("stopped; run the same command again to continue");
    venue.heal();
    venue.latency.before = 0;
    expect((await download(folder)).answer.hash).toBe(whole.hash);
  });

  it("survives an exchange that fails now and then", async () => {
    fresh();
    const kinds = ["server_error", "bad_gateway", "empty", "truncated", "rate_limit"] as const;
    let number = 0;
    venue.chance((route) => {
      if (route !== "candles" || ++number % 4 !== 0) return undefined;
      return { kind: kinds[(number / 4) % kinds.length] as (typeof kinds)[number] };
    });
    const { answer, stderr } = await download(tempFolder());
    expect(stderr).toContain("retrying in");
    expect(answer.hash).toBe(whole.hash);
  });

  it("stops where the exchange keeps failing, stores the candles so far, and resumes later", async () => {
    fresh();
    const folder = tempFolder();
    venue.fail({ kind: "server_error", route: "candles", skip: 6, times: 1000 });
    const failed = await download(folder, FIRST, END, ["--patience", "1"]);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain("downloaded candles are stored, run the same command again to continue");
    venue.heal();
    venue.resetCounts();
    expect((await download(folder)).answer.hash).toBe(whole.hash);
  });

  it("counts a candle that cannot be as missing", async () => {
    fresh();
    const [first, second, third] = minutesFrom(FIRST, 3) as [Candle, Candle, Candle];
    venue.past(PAIR, [first, { ...second, high: second.low / 2n }, third]);
    const { code, stderr, answer } = await download(tempFolder(), FIRST, FIRST + DAY);
    expect(code, stderr).toBe(0);
    expect(answer).toMatchObject({ bars: 2, gaps: 1, missingBars: 1, refusedRows: 0 });
  });

  it("requests gaps again, and adds candles that have arrived in the meantime", async () => {
    fresh();
    let number = 0;
    venue.chance((route) => {
      // Twelve pages of a thousand, two questions each, the last one half empty: then the holes.
      if (route === "candles" && ++number === 25)
        venue.past(PAIR, minutesFrom(FIRST, COUNT, { holes: (minute) => minute === 1017 }));
      return undefined;
    });
    const { answer } = await download(tempFolder());
    expect(answer).toMatchObject({ bars: COUNT - 1, gaps: 1, missingBars: 1 });
  });
});

describe("an invalid download", () => {
  it.each([
    ["a time that is none", ["--since", "soon"], /--since must be a date or time/],
    ["no beginning", [], /--since must be a start time/],
    ["an unknown span", ["--since", "2026-01-01", "--span", "2y"], /--span must be a number and a unit/],
    [
      "an empty span of time",
      ["--since", "2026-01-01", "--until", "2026-01-01"],
      /no complete candle between/,
    ],
  ])("refuses %s", async (_name, more, pattern) => {
    const args = ["candles", "download", "--exchange", "mexc", "--symbol", PAIR, ...more];
    const { code, stderr } = await edgemaker(tempFolder(), args);
    expect(code).toBe(2);
    expect(stderr).toMatch(pattern);
  });
});
