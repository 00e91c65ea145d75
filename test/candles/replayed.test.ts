import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { runtimeAsIs } from "../../cli/host/node-runtime.ts";
import { parseConfig } from "../../src/compose/config.ts";
import { createDeps } from "../../src/compose/deps.ts";
import { decimal } from "../../src/kernel/decimal.ts";
import { MINUTE } from "../../src/kernel/time.ts";
import type { Log } from "../../src/ports/within-time.ts";
import { edgemaker } from "../support/command.ts";
import { runOperation } from "../support/sandbox.ts";
import { readStarts } from "../support/starts.ts";
import { tempFolder } from "../support/temp.ts";
import { zip } from "../support/zip.ts";

const FIRST = Date.UTC(2025, 0, 1);
const BARS = [
  [FIRST, 100, 104, 98, 101, 5],
  [FIRST + MINUTE, 101, 103, 100, 102, 7],
  [FIRST + 3 * MINUTE, 102, 105, 102, 104, 1],
] as const;
const END = FIRST + 4 * MINUTE;

const table = BARS.map((bar) => `${bar.join(",")}\n`).join("");
const named = `timestamp,open,high,low,close,volume\n${table}`;
const archived = BARS.map(([at, ...rest]) => [at * 1000, ...rest, (at + MINUTE) * 1000 - 1, 1, 1, 1, 1, 0])
  .map((row) => `${row.join(",")}\n`)
  .join("");
const trades = BARS.flatMap(([at, open, high, low, close]) =>
  [open, high, low, close].map((price, i) => `${at / 1000 + 10 * i},${price},0.5\n`),
).join("");

const FILES: readonly (readonly [name: string, content: string | Buffer, duplicates: number])[] = [
  ["names.csv", named, 0],
  ["packed.csv.gz", gzipSync(named), 0],
  ["binance.zip", zip("BTCUSDT-1m.csv", archived), 0],
  ["freqtrade.json", JSON.stringify(BARS), 0],
  ["kraken.csv", trades, 0],
  ["unsorted.csv", `${table.split("\n").reverse().join("\n")}\n`, 0],
  ["twice.csv", `${table}${BARS[2].join(",")}\n`, 1],
];

/** A sandbox that replays a file, or what it began with, and what it logs. */
async function replaying(folder: string, file?: string) {
  const logged: { message: string; fields: Readonly<Record<string, unknown>> }[] = [];
  const log: Log = (_level, message, fields = {}) => void logged.push({ message, fields });
  const config = parseConfig({ EDGEMAKER_SANDBOX: "true" });
  const runtime = runtimeAsIs(`file:${join(folder, "a.db")}`, config, log);
  const request = file === undefined ? {} : { replays: [{ symbol: "BTC/USDT", file }] as const, origin: END };
  const deps = await createDeps(config, runtime, request);
  return { deps, logged };
}

describe("a sandbox replay", () => {
  it.each(FILES)("replays %s", async (name, content, duplicates) => {
    const folder = tempFolder();
    const file = join(folder, name);
    writeFileSync(file, content);
    const { deps, logged } = await replaying(folder, file);
    const results = await deps.venue("kraken").candles("BTC/USDT", { span: MINUTE, since: FIRST, limit: 2 });
    deps.close();
    expect(results.map(({ at, open, high, low }) => [at, open, high, low])).toEqual(
      BARS.slice(0, 2).map(([at, ...prices]) => [
        at,
        ...prices.slice(0, 3).map((price) => decimal(`${price}`)),
      ]),
    );
    expect(logged).toContainEqual({
      message: "candles are replayed",
      fields: expect.objectContaining({
        symbol: "BTC/USDT",
        file,
        bars: 3,
        gaps: 1,
        missingBars: 1,
        duplicates,
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      }),
    });
  });

  it("replays stored candles, with the hash of the imported file", async () => {
    const folder = tempFolder();
    const source = join(folder, "a.csv");
    writeFileSync(source, table);
    const words = `candles import ${source} --symbol BTC/USDT --from binance --json`.split(" ");
    const { file, hash } = JSON.parse((await edgemaker(folder, words)).stdout);
    for (const one of [file, source]) {
      const { deps, logged } = await replaying(folder, one);
      deps.close();
      expect(logged[0]?.fields).toMatchObject({ bars: 3, hash });
    }
  });
});

describe("a file that has changed under a sandbox that started with it", () => {
  it("is rejected on a restart, named again or not, with a remedy in the error", async () => {
    const folder = tempFolder();
    const file = join(folder, "a.csv");
    writeFileSync(file, table);
    const first = await replaying(folder, file);
    const bounds = { lowerPrice: 90, upperPrice: 110, gridLevels: 4, orderSize: 20 };
    const market = { exchange: "kraken", symbol: "BTC/USDT" };
    await runOperation(first.deps, ...readStarts("grid", { ...market, ...bounds }));
    first.deps.close();
    writeFileSync(file, `${table}${END},104,105,103,104,5\n`);
    for (const named of [file, undefined])
      await expect(replaying(folder, named), `${named}`).rejects.toThrow(
        /^BTC\/USDT cannot be replayed: \S+a\.csv has changed since this sandbox started with it; restore the file, use another database with --db, or reset the sandbox with `edgemaker sandbox reset --replay \S+`$/,
      );
    writeFileSync(file, table);
    (await replaying(folder)).deps.close();
  });
});

describe("a shock of a replayed price", () => {
  it("is refused, because the candles decide the price", async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, "a.csv"), table);
    await edgemaker(folder, ["sandbox", "reset", "--replay", "a.csv"]);
    const shock = (symbol: string) =>
      edgemaker(folder, ["sandbox", "shock", "--symbol", symbol, "--percent", "-10"]);
    const { code, stderr } = await shock("BTC/USDT");
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^edgemaker: BTC\/USDT is replayed from \S+a\.csv; choose another pair, or /),
    ]);
    expect((await shock("ETH/USDT")).code).toBe(0);
  });
});

describe("a sandbox with an invalid replay file", () => {
  const sum = `${createHash("sha256").update("other").digest("hex")}  summed.csv\n`;
  const BAD: readonly (readonly [name: string, content: string, message: string])[] = [
    ["price.csv", `${table}${END},1,x,1,1,1\n`, "line 4: its high is not a number of at least zero: "],
    ["upside.csv", `${table}${END},1,1,2,1,1\n`, "line 4: its high is below its low: "],
    ["differs.csv", `${table}${FIRST},1,1,1,1,1\n`, "there are two different candles of 2025-01-01T00:00:00"],
    ["names.csv", "timestamp,open,high,low,close,volume\n", "there are column names but no candles"],
    ["summed.csv", table, "its SHA-256 does not match summed.csv.CHECKSUM; download it again"],
  ];

  it.each(BAD)("reports the error of %s as a backtest does", async (name, content, text) => {
    const folder = tempFolder();
    writeFileSync(join(folder, name), content);
    if (name === "summed.csv") writeFileSync(join(folder, `${name}.CHECKSUM`), sum);
    const grid = "--exchange kraken --symbol BTC/USDT --lower 90 --upper 110 --levels 4 --size 10";
    const rules = "--tick 0.1 --lot 0.00001 --maker-fee 0.001";
    const past = await edgemaker(folder, `backtest ${grid} ${rules} --data ${name}`.split(" "));
    const replay = await edgemaker(folder, ["sandbox", "reset", "--replay", name]);
    for (const { code, stderr } of [past, replay])
      expect([code, stderr]).toEqual([2, expect.stringContaining(`${name}: ${text}`)]);
  });

  it("reports a missing file", async () => {
    const { code, stderr } = await edgemaker(tempFolder(), ["sandbox", "reset", "--replay", "none.csv"]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/BTC\/USDT cannot be replayed: there is no file \S+none\.csv/),
    ]);
  });

  it("reports stored candles of another pair", async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, "a.csv"), table);
    const words = "candles import a.csv --symbol ETH/USDT --from binance --json".split(" ");
    const { file } = JSON.parse((await edgemaker(folder, words)).stdout);
    const { code, stderr } = await edgemaker(folder, ["sandbox", "reset", "--replay", file]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("has candles of ETH/USDT, not of BTC/USDT")]);
  });
});
