import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bearer } from "../contract/suite.ts";
import { testApp } from "../support/app.ts";
import { edgemaker } from "../support/command.ts";
import { appClient, callTool, textOf } from "../support/mcp.ts";
import { gridRequest } from "../support/requests.ts";
import { tempFolder } from "../support/temp.ts";
import { hasTerminal, terminal } from "../support/terminal.ts";
import { zip } from "../support/zip.ts";

const MINUTE = 60_000;
const { exchange, symbol, ...GRID } = gridRequest({ gridLevels: 10, orderSize: 100 });
const RULES = { tick: 0.1, lot: 0.0001, makerFee: 0.001 };
const WORDS = [
  "backtest",
  "--exchange",
  "kraken",
  "--symbol",
  "BTC/USDT",
  "--lower",
  "90",
  "--upper",
  "110",
  "--levels",
  "10",
  "--size",
  "100",
  "--tick",
  "0.1",
  "--lot",
  "0.0001",
  "--maker-fee",
  "0.001",
];

/** A price that swings between 97 and 103, one swing in twelve bars. */
function swinging(bars: number): string {
  const rows = Array.from({ length: bars }, (_, i) => {
    const price = (at: number) => 100 + 3 * Math.cos((at * Math.PI) / 6);
    const [open, close] = [price(i), price(i + 1)].map((one) => one.toFixed(2));
    const [high, low] = [Math.max(Number(open), Number(close)), Math.min(Number(open), Number(close))];
    return `${Date.UTC(2026, 0, 1) + i * MINUTE},${open},${high},${low},${close},1`;
  });
  return `timestamp,open,high,low,close,volume\n${rows.join("\n")}\n`;
}

function folderWithCandles(): { folder: string; file: string } {
  const folder = tempFolder();
  const file = join(folder, "candles.csv");
  writeFileSync(file, swinging(600));
  return { folder, file };
}

describe("edgemaker backtest", () => {
  it("prints the total first, from a file and its rules alone, and writes a self-contained page", async () => {
    const { folder, file } = folderWithCandles();
    const report = join(folder, "report.html");
    const { code, stdout, stderr } = await edgemaker(folder, [...WORDS, "--data", file, "--report", report]);
    expect([code, stderr]).toEqual([0, `The report is in ${report}.\n`]);
    expect(stdout.split("\n")[0]).toMatch(/^total +\d+\.\d+ \(\d/);
    expect(stdout).toContain("engine jump");
    const page = readFileSync(report, "utf8");
    expect(page).not.toMatch(/https?:|<script|<link|src=/);
    expect(page.match(/<svg/g)).toHaveLength(4);
    const absent = join(folder, "absent/report.html");
    const unwritten = await edgemaker(folder, [...WORDS, "--data", file, "--report", absent]);
    expect([unwritten.code, unwritten.stdout]).toEqual([1, stdout]);
    expect(unwritten.stderr).toBe(
      `edgemaker: the report could not be written: ENOENT: no such file or directory, open '${absent}'\n`,
    );
  });

  it("prints JSON, and the fills as a table", async () => {
    const { folder, file } = folderWithCandles();
    const json = JSON.parse((await edgemaker(folder, [...WORDS, "--data", file, "--json"])).stdout);
    const csv = (await edgemaker(folder, [...WORDS, "--data", file, "--format", "csv"])).stdout
      .trim()
      .split("\r\n");
    expect(Number(json.realized) + Number(json.unrealized)).toBeCloseTo(Number(json.total), 9);
    expect(csv[0]).toBe("timestamp,slot,side,price,amount,notional,fee");
    expect(csv).toHaveLength(json.filledOrders + 1);
    expect(json.cycles).toBeGreaterThan(50);
    const same = await edgemaker(folder, [...WORDS, "--data", file, "--format", "json"]);
    expect(JSON.parse(same.stdout)).toEqual(json);
    const wrong = await edgemaker(folder, [...WORDS, "--data", file, "--format", "cvs"]);
    expect([wrong.code, wrong.stdout]).toEqual([2, ""]);
    expect(wrong.stderr).toBe("edgemaker: --format must be csv or json\n");
  });

  it("replays trades print by print, books with their queue, and reports the mode", async () => {
    const { folder } = folderWithCandles();
    const at = Date.UTC(2026, 0, 1);
    const prices = Array.from({ length: 400 }, (_, i) => (100 + 3 * Math.cos((i * Math.PI) / 20)).toFixed(1));
    const rows = prices.map((price, i) => `${at + i * 1000},${price},50`);
    writeFileSync(join(folder, "trades.csv"), `timestamp,price,amount\n${rows.join("\n")}\n`);
    const lines = prices.flatMap((price, i) => [
      { timestamp: at + i * 1000, bids: [[Number(price) - 5, 40]], asks: [[Number(price) + 5, 40]] },
      { timestamp: at + i * 1000, price, amount: 50 },
    ]);
    writeFileSync(join(folder, "books.jsonl"), lines.map((line) => JSON.stringify(line)).join("\n"));
    const run = async (file: string, ...more: string[]) =>
      JSON.parse(
        (await edgemaker(folder, [...WORDS, "--data", join(folder, file), "--json", ...more])).stdout,
      );
    const [prints, books] = [await run("trades.csv"), await run("books.jsonl", "--queue", "proportional")];
    expect(prints).toMatchObject({
      details: { engine: "walk" },
      bars: 400,
      tape: { prints: 400, books: 0, queue: null },
    });
    expect(prints.band.total.least).toBe(prints.total);
    expect(prints.cycles).toBeGreaterThan(10);
    expect(books.tape).toMatchObject({ prints: 400, books: 400, hasAmounts: true, queue: "proportional" });
    const report = join(folder, "report.html");
    const result = await edgemaker(folder, [
      ...WORDS,
      "--data",
      join(folder, "books.jsonl"),
      "--report",
      report,
    ]);
    expect(result.stdout).toContain("an order queues behind the amount at its price");
    expect(result.stdout).toMatch(/^band +none: trades show the price path/m);
    expect(readFileSync(report, "utf8")).toContain("400 prints, 400 books (an order queues behind");
  });

  it("tests a centered grid, by flags or by the profile of `trade`", async () => {
    const { folder, file } = folderWithCandles();
    const market = WORDS.slice(1, 5);
    const rules = ["--tick", "0.1", "--lot", "0.0001", "--maker-fee", "0.001", "--data", file, "--json"];
    const words = (...more: string[]) => ["backtest", "centered", ...market, ...rules, ...more];
    const sizes = ["--levels", "2", "--size", "100"];
    const flags = await edgemaker(folder, words(...sizes, "--spacing", "0.008"));
    expect([flags.code, flags.stderr]).toEqual([0, ""]);
    const answer = JSON.parse(flags.stdout);
    expect(answer).toMatchObject({ symbol: "BTC/USDT", bars: 600, isWhole: true });
    expect(answer.cycles).toBeGreaterThan(10);
    writeFileSync(
      join(folder, "calm.json"),
      JSON.stringify({ levels: 2, baseSpacing: 0.008, baseSize: 100 }),
    );
    const profile = await edgemaker(folder, words("--grid-profile", join(folder, "calm.json")));
    expect(JSON.parse(profile.stdout)).toEqual(answer);
    const wrong = await edgemaker(folder, words(...sizes, "--spacing", "0"));
    expect([wrong.code, JSON.parse(wrong.stderr)]).toEqual([
      2,
      expect.objectContaining({ error: "Invalid spacing" }),
    ]);
  });

  it("makes one run with --single, and compares the values of --sweep, for every definition", async () => {
    const { folder, file } = folderWithCandles();
    const run = async (...words: string[]) => {
      const { code, stdout } = await edgemaker(folder, [...words, "--data", file, "--json"]);
      expect(code).toBe(0);
      return JSON.parse(stdout);
    };
    const [band, single] = [await run(...WORDS), await run(...WORDS, "--single")];
    expect(single).toEqual({ ...band, band: null, warnings: single.warnings });
    expect(band.band.count.least).toBeGreaterThan(0);
    const swept = await run(...WORDS.filter((_, i) => i < 9 || i > 10), "--sweep", "levels=5,10,20");
    expect(swept.runs.map(({ values }: { values: object }) => values)).toHaveLength(3);
    const ten = swept.runs.find(({ values }: { values: { levels: string } }) => values.levels === "10");
    expect(ten).toMatchObject({ total: single.total, filledOrders: single.filledOrders });
    const around = ["centered", ...WORDS.slice(1, 5), ...WORDS.slice(13), "--size", "100", "--levels", "2"];
    const centered = await run("backtest", ...around, "--sweep", "spacing=0.004,0.008");
    expect(centered.count).toBe(2);
  });

  it("has the same command as `grid backtest` and `backtest grid`", async () => {
    const { folder, file } = folderWithCandles();
    const [plain, ...others] = await Promise.all(
      [["backtest"], ["backtest", "grid"], ["grid", "backtest"]].map((words) =>
        edgemaker(folder, [...words, ...WORDS.slice(1), "--data", file]),
      ),
    );
    expect(plain?.code).toBe(0);
    for (const other of others) expect(other).toEqual(plain);
  });

  it("uses the imported candles of the exchange, where no file is named", async () => {
    const { folder, file } = folderWithCandles();
    const of = ["--from", "kraken", "--symbol", "BTC/USDT"];
    const imported = await edgemaker(folder, ["candles", "import", file, ...of]);
    expect([imported.code, imported.stderr]).toEqual([0, expect.any(String)]);
    const [kept, named] = [
      await edgemaker(folder, WORDS),
      await edgemaker(folder, [...WORDS, "--data", file]),
    ];
    expect(kept).toEqual(named);
    // A server has its own candles. Nothing listens on this port.
    const elsewhere = await edgemaker(folder, [...WORDS, "--api-url", "http://127.0.0.1:1"]);
    expect([elsewhere.code, elsewhere.stdout]).toEqual([1, ""]);
    expect(elsewhere.stderr).toContain("no response from http://127.0.0.1:1");
  });

  it.each([
    ["before", "2025-12-31T23:00:00Z", "2026-01-01T02:00:00Z", 180],
    ["after", "2026-01-01T10:00:00Z", "2026-01-01T11:00:00Z", 60],
    ["within", "2026-01-01T09:00:00Z", "2026-01-01T11:00:00Z", 60],
  ])("uses stored candles only if they cover --since: %s them", async (where, since, until, bars) => {
    const { folder, file } = folderWithCandles();
    const of = ["--from", "kraken", "--symbol", "BTC/USDT", "--sandbox"];
    expect((await edgemaker(folder, ["candles", "import", file, ...of])).code).toBe(0);
    const words = [...WORDS, "--sandbox", "--since", since, "--until", until, "--json"];
    const { stdout, stderr } = await edgemaker(folder, words);
    expect(JSON.parse(stdout || stderr)).toMatchObject({ bars, fromAt: Date.parse(since) });
    // The stored prices are those of another market.
    expect(JSON.parse(stdout).startPrice < 200).toBe(where === "within");
  });

  it("reads an archive, and a file of stored candles, as the import does", async () => {
    const { folder, file } = folderWithCandles();
    const archive = join(folder, "candles.zip");
    writeFileSync(archive, zip("candles.csv", swinging(600)));
    const of = ["--from", "kraken", "--symbol", "BTC/USDT", "--json"];
    const stored = JSON.parse((await edgemaker(folder, ["candles", "import", file, ...of])).stdout).file;
    const named = await edgemaker(folder, [...WORDS, "--data", file]);
    expect(named.code).toBe(0);
    for (const other of [archive, stored])
      expect(await edgemaker(folder, [...WORDS, "--data", other])).toEqual(named);
    writeFileSync(`${archive}.CHECKSUM`, `${"0".repeat(64)}  candles.zip\n`);
    const { code, stderr } = await edgemaker(folder, [...WORDS, "--data", archive]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("download it again")]);
  });

  it("names the file and the invalid line", async () => {
    const { folder, file } = folderWithCandles();
    writeFileSync(file, `${swinging(3)}1767225960000,100,99,101,100,1\n`);
    const { code, stderr } = await edgemaker(folder, [...WORDS, "--data", file]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/candles\.csv: line 5: its high is below its low/);
  });

  it.skipIf(!hasTerminal).each([80, 120])("fits a terminal of %d columns", async (columns) => {
    const { folder, file } = folderWithCandles();
    const screen = terminal(folder, [...WORDS, "--data", file], { columns });
    expect(await screen.ended).toBe(0);
    expect(screen.isWrapped(), screen.lines().join("\n")).toBe(false);
  });
});

describe("POST /backtest", () => {
  it("accepts and rejects the same grids as a start, over the exchange's candles", async () => {
    const app = await testApp({ realTime: false });
    const post = async (path: string, body: object) => {
      const headers = { ...bearer(app.tokens.read), "content-type": "application/json" };
      const answer = await app.ask(`/api/v1${path}`, { method: "POST", headers, body: JSON.stringify(body) });
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    };
    const wide = { ...GRID, lowerPrice: 57_000, upperPrice: 63_000, orderSize: 200 };
    const where = { exchange, symbol };
    const range = await post("/backtest", { ...where, config: wide });
    expect(range).toMatchObject({ status: 200, body: { symbol: "BTC/USDT", isWhole: true } });
    const around = await post("/backtest", {
      ...where,
      config: { geometry: "centered", spacing: 0.002, levels: 3 },
    });
    expect(around).toMatchObject({ status: 200, body: { details: { engine: "walk" } } });
    const trades = await post("/backtest", { ...where, config: wide, timeframe: "trades" });
    expect(trades).toMatchObject({
      status: 200,
      body: { details: { engine: "walk" }, tape: { books: 0, queue: null } },
    });
    const refused = async (config: object, more: object = {}) =>
      (await post("/backtest", { ...where, config: { ...wide, ...config }, ...more })) as object;
    expect(await refused({ lowerPrice: 64_000 })).toMatchObject({
      status: 400,
      body: { error: "Invalid range", issues: [{ path: "config.upperPrice" }] },
    });
    expect(await refused({ orderSize: 0.01 })).toMatchObject({
      status: 400,
      body: { error: "Invalid order size" },
    });
    expect(await refused({ stopLoss: 1 })).toMatchObject({ status: 400 });
    expect(await refused({}, { gridLevels: 4 })).toMatchObject({ status: 400 });
    expect(await post("/backtest", { config: wide })).toMatchObject({
      status: 400,
      body: { error: "Invalid exchange" },
    });
  });

  it("is a tool that reports its result in a sentence", async () => {
    const client = await appClient(await testApp({ realTime: false }), "read");
    const result = await callTool(client, "backtest", {
      exchange,
      symbol,
      config: { ...GRID, lowerPrice: 57_000, upperPrice: 63_000, orderSize: 200 },
      makerFee: RULES.makerFee,
    });
    expect(textOf(result)).toContain("The strategy grid would have made");
  });
});
