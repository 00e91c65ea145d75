import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { MINUTE } from "../../src/kernel/time.ts";
import { edgemaker } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";

const FIRST = Date.UTC(2022, 0, 1);

it("counts fills of Bitget's trades by their amounts in base", async () => {
  const folder = tempFolder();
  const rows = Array.from({ length: 40 }, (_, i) => {
    const price = i % 2 === 0 ? 94 : 106;
    return `${i},${FIRST + i * MINUTE},${price},buy,${(price * 0.1).toFixed(2)},0.1\n`;
  });
  const flags =
    "--exchange bitget --symbol BTC/USDT --lower 90 --upper 110 --levels 4 --size 100 --tick 0.1 --lot 0.001 --maker-fee 0 --json".split(
      " ",
    );
  const filled = async (names: string, more: readonly string[] = []) => {
    writeFileSync(join(folder, "a.csv"), `${names}\n${rows.join("")}`);
    const { code, stdout, stderr } = await edgemaker(folder, [
      "backtest",
      ...flags,
      "--data",
      "a.csv",
      ...more,
    ]);
    return code === 0 ? JSON.parse(stdout).filledOrders : stderr;
  };
  const expected = await filled("id,timestamp,price,side,total,size");
  expect(await filled("trade_id,timestamp,price,side,volume(quote),size(base)")).toBe(expected);
  expect(await filled("id,timestamp,price,side,volume(quote),x")).toMatch(
    /--data a\.csv: it is unknown which column has the amounts in BTC \(volume\(quote\)\); name it with --volume-column/,
  );
  expect(await filled("id,timestamp,price,side,volume(quote),x", ["--volume-column", "x"])).toBe(expected);
});

it("names other files by their first bytes, also within an archive", async () => {
  const folder = tempFolder();
  const files: readonly (readonly [name: string, bytes: string | Buffer, message: string])[] = [
    ["a.feather", "ARROW1\0\0", "it is an Arrow (Feather) file; convert it to CSV"],
    ["b.feather", "FEA1\0\0", "it is a Feather file; convert it to CSV"],
    ["a.parquet", "PAR1\x15\0", "it is a Parquet file; convert it to CSV"],
    ["a.csv.bz2", "BZh91AY&SY", "it is a bzip2 archive; unpack it first"],
    ["a.csv.xz", Buffer.from("fd377a585a0000", "hex"), "it is an xz archive; unpack it first"],
    ["a.csv.zst", Buffer.from("28b52ffd0000", "hex"), "it is a Zstandard archive; unpack it first"],
    ["a.csv", "\n<!DOCTYPE html><html><body>Not found", "it is a web page (HTML or XML), not a table"],
    ["a.csv.gz", gzipSync(gzipSync("1")), "it is a gzip archive within an archive; unpack it first"],
    ["b.csv", Buffer.from("\uFEFFtime,open", "utf16le"), "it is UTF-16 text; save it as UTF-8"],
    [
      "c.csv",
      "when,first,most,least,last\n2022-01-01,1,1,1,1\n",
      "line 1: its columns are when, first, most, least, last; rename them",
    ],
  ];
  for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes);
  for (const [name, , message] of files) {
    const read = await edgemaker(folder, ["candles", "import", name, "--symbol", "BTC/USDT", "--from", "x"]);
    expect([read.code, read.stderr]).toEqual([1, expect.stringContaining(`${name}: ${message}`)]);
  }
});

it("runs a backtest over stored candles of any length", async () => {
  const folder = tempFolder();
  const rows = [100, 104, 97, 103].map(
    (price, i) => `${FIRST + i * 120 * MINUTE},${price},${price},${price},${price},1\n`,
  );
  writeFileSync(join(folder, "a.csv"), rows.join(""));
  const flags =
    "--exchange kraken --symbol BTC/USDT --lower 90 --upper 110 --levels 4 --size 100 --tick 0.1 --lot 0.001 --maker-fee 0 --json".split(
      " ",
    );
  await edgemaker(folder, ["candles", "import", "a.csv", "--symbol", "BTC/USDT", "--from", "kraken"]);
  const { code, stdout } = await edgemaker(folder, ["backtest", ...flags, "--timeframe", "2h"]);
  expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ bars: 4 })]);
  const other = await edgemaker(folder, ["backtest", ...flags, "--timeframe", "3h"]);
  expect([other.code, other.stderr]).toEqual([2, expect.stringContaining("timeframe")]);
});
