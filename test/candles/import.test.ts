import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { MINUTE } from "../../src/kernel/time.ts";
import { edgemaker } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";
import { zip } from "../support/zip.ts";

const JANUARY = Date.UTC(2025, 0, 1);
const row = (minute: number, unit = 1) =>
  `${(JANUARY + minute * MINUTE) * unit},100.50000000,101.00000000,99.00000000,100.25000000,3.5,${(JANUARY + (minute + 1) * MINUTE) * unit - 1},350,9,1,100,0`;
const rows = (minutes: readonly number[], unit?: number) =>
  minutes.map((minute) => `${row(minute, unit)}\n`).join("");

const take = (folder: string, files: readonly string[], more: readonly string[] = []) =>
  edgemaker(folder, [
    "candles",
    "import",
    ...files,
    "--symbol",
    "BTC/USDT",
    "--from",
    "binance",
    "--json",
    ...more,
  ]);

describe("an import of candles", () => {
  it("reads Binance's archives with microseconds and checksums, month by month", async () => {
    const folder = tempFolder();
    const [first, second] = [zip("a.csv", rows([0, 1, 2])), zip("b.csv", rows([2, 3, 5], 1000))];
    writeFileSync(join(folder, "a.zip"), first);
    writeFileSync(
      join(folder, "a.zip.CHECKSUM"),
      `${createHash("sha256").update(first).digest("hex")}  a.zip\n`,
    );
    writeFileSync(join(folder, "b.zip"), second);
    const { stdout, stderr } = await take(folder, ["a.zip", "b.zip"]);
    expect(stderr).toBe("");
    const answer = JSON.parse(stdout);
    expect(answer).toMatchObject({ bars: 5, gaps: 1, missingBars: 1, span: "1m", source: "binance" });

    const list = JSON.parse((await edgemaker(folder, ["candles", "list", "--json"])).stdout);
    expect(list.series).toEqual([
      { from: "binance", symbol: "BTC/USDT", span: "1m", bars: 5, hash: answer.hash.slice(0, 16) },
    ]);
    const words = ["candles", "show", "--from", "binance", "--symbol", "BTC/USDT", "--json"];
    const show = JSON.parse((await edgemaker(folder, words)).stdout);
    expect(show).toMatchObject({
      hash: answer.hash,
      bars: 5,
      gapList: [{ from: "2025-01-01T00:04:00.000Z", until: "2025-01-01T00:05:00.000Z", bars: 1 }],
    });
  });

  it("rejects invalid rows with the reason, and stores nothing", async () => {
    const folder = tempFolder();
    const good = zip("a.csv", rows([0, 1]));
    writeFileSync(join(folder, "sum.zip"), good);
    writeFileSync(join(folder, "sum.zip.CHECKSUM"), `${"0".repeat(64)}  sum.zip\n`);
    const damaged = Buffer.from(good);
    damaged.writeUInt8(damaged.readUInt8(40) ^ 1, 40);
    writeFileSync(join(folder, "damaged.zip"), damaged);
    writeFileSync(join(folder, "cut.zip"), good.subarray(0, 60));
    const endless = row(0).concat("\n").repeat(300_000);
    writeFileSync(join(folder, "bomb.zip"), zip("a.csv", endless));
    writeFileSync(join(folder, "bomb.csv.gz"), gzipSync(endless));
    writeFileSync(join(folder, "bad.csv.gz"), gzipSync(`${rows([0])}x,1,1,1,1,1\n`));
    const results: [string, RegExp][] = [
      ["sum.zip", /its SHA-256 does not match sum\.zip\.CHECKSUM; download it again/],
      ["damaged.zip", /damaged\.zip: /],
      ["bomb.zip", /bomb\.zip: it unpacks to more than 50 times its size/],
      ["bomb.csv.gz", /bomb\.csv\.gz: it unpacks to more than 50 times its size/],
      ["cut.zip", /cut\.zip: the archive is incomplete: it has no directory/],
      ["bad.csv.gz", /bad\.csv\.gz: line 2: its time cannot be read: x,1,1,1,1,1/],
      ["none.csv", /there is no file none\.csv/],
    ];
    for (const [file, expected] of results) {
      const { code, stderr } = await take(folder, [file]);
      expect(code).toBe(1);
      expect(stderr).toMatch(expected);
    }
    expect(JSON.parse((await edgemaker(folder, ["candles", "list", "--json"])).stdout).count).toBe(0);
    const left = await take(folder, ["bad.csv.gz"], ["--skip-refused", "--span", "1m"]);
    expect(JSON.parse(left.stdout)).toMatchObject({
      bars: 1,
      refusedRows: 1,
      refused: ["line 2: its time cannot be read"],
    });
  });

  it("does not overwrite other candles that differ", async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, "a.csv"), rows([0, 1]));
    writeFileSync(join(folder, "b.csv"), rows([1, 2]).replace("100.25", "100.26"));
    await take(folder, ["a.csv"]);
    const { code, stderr } = await take(folder, ["b.csv"]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("1 candle differs from the stored ones")]);
  });
});
