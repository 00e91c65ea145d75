import { beforeAll, describe, expect, it } from "vitest";
import { edgemaker } from "../support/command.ts";
import { makeFolder } from "../support/temp.ts";
import { hasTerminal, terminal } from "../support/terminal.ts";

const MARKET = ["--exchange", "kraken", "--symbol", "BTC/USDT"];
const BOUNDS = ["--lower", "40000", "--upper", "80000", "--levels", "6", "--size", "100"];

/** A grid whose ids, orders and events the tables have. */
async function withGrid() {
  const made = makeFolder();
  const { stdout, stderr } = await edgemaker(made.path, [
    "grid",
    "start",
    "--sandbox",
    ...MARKET,
    ...BOUNDS,
    "--use-own-base",
    "--yes",
    "--json",
  ]);
  const { id } = JSON.parse(stdout || stderr) as { id: string };
  return { ...made, id };
}

describe.skipIf(!hasTerminal)("a table that is wider than the terminal", () => {
  let box: Awaited<ReturnType<typeof withGrid>>;
  beforeAll(async () => {
    box = await withGrid();
    return box.remove;
  });

  const readOutput = async (args: readonly string[], columns: number) => {
    const screen = terminal(box.path, [...args, "--sandbox"], { columns });
    expect(await screen.ended).toBe(0);
    await screen.until(/\S/);
    expect(screen.isWrapped(), screen.lines().join("\n")).toBe(false);
    return screen.lines();
  };
  const headOf = (lines: readonly string[], table: string) =>
    (lines[lines.indexOf(table) + 1] ?? "").trim().split(/ +/);

  it("keeps six rows, drops the least important columns, and names them", async () => {
    const lines = await readOutput(["orders", "list", ...MARKET], 80);
    expect(headOf(lines, "orders")).toEqual([
      "id",
      "side",
      "price",
      "amount",
      "filled",
      "status",
      "timestamp",
    ]);
    expect(lines.filter((line) => /\b(buy|sell)\b/.test(line))).toHaveLength(6);
    expect(lines.join(" ").replace(/ +/g, " ")).toContain(
      "left out: symbol, type, remaining, clientOrderId (--columns all shows them)",
    );
  });

  it("shows more columns in a wider terminal", async () => {
    const head = headOf(await readOutput(["orders", "list", ...MARKET], 120), "orders");
    expect(head).toEqual([
      "id",
      "symbol",
      "side",
      "type",
      "price",
      "amount",
      "filled",
      "remaining",
      "status",
      "timestamp",
    ]);
  });

  it("remains a table in 40 columns", async () => {
    const lines = await readOutput(["orders", "list", ...MARKET], 40);
    expect(headOf(lines, "orders")).toEqual(["id", "side", "price", "amount"]);
  });

  it("drops columns without information first", async () => {
    const lines = await readOutput(["grid", "orders", box.id], 100);
    expect(headOf(lines, "orders")).not.toContain("reason");
    expect(headOf(lines, "orders")).toContain("timestamp");
  });

  it("shows the requested columns in their order", async () => {
    const lines = await readOutput(["orders", "list", ...MARKET, "--columns", "clientOrderId,price,id"], 80);
    expect(headOf(lines, "orders")).toEqual(["clientOrderId", "price", "id"]);
  });

  it("wraps long sentences within their column", async () => {
    const lines = await readOutput(["grid", "events", box.id], 60);
    expect(headOf(lines, "events")).toContain("message");
  });
});

describe("--columns", () => {
  it("lists the available columns after an unknown one", async () => {
    const { path, remove } = await withGrid();
    const { code, stderr } = await edgemaker(path, [
      "orders",
      "list",
      ...MARKET,
      "--sandbox",
      "--columns",
      "id,prize",
    ]);
    expect(code).toBe(2);
    expect(stderr).toContain("--columns: there is no column prize; choose from id, symbol, side,");
    remove();
  });

  it.each([["--json"], ["--format", "csv"]])(
    "applies only to text output: %s has every column",
    async (...other) => {
      const { path, remove } = makeFolder();
      const { code, stderr } = await edgemaker(path, ["report", "--sandbox", "--columns", "id", ...other]);
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining("--columns works only for tables in a terminal"),
      ]);
      remove();
    },
  );

  it("drops no columns when the output is piped", async () => {
    const { path, remove } = await withGrid();
    const { stdout } = await edgemaker(path, ["orders", "list", ...MARKET, "--sandbox"]);
    expect(stdout).toMatch(/^ +id +symbol .*clientOrderId$/m);
    remove();
  });
});

describe("numbers in text output", () => {
  it.each([
    ["ticker", /^spread +[\d.]+\n/m, /^spread percent +\d(?:\.\d{1,4})?$/m],
    ["orderbook", /^mid price/m, /^spread percent +\d(?:\.\d{1,4})?$/m],
    ["trades", /avgPrice \d+(?:\.\d{1,2})?,/, /vwap\s+\d+(?:\.\d{1,2})?$/m],
  ])("use no more digits than the market's prices: %s", async (command, ...result) => {
    const { path, remove } = makeFolder();
    const { stdout } = await edgemaker(path, [command, "--sandbox", ...MARKET]);
    for (const one of result) expect(stdout).toMatch(one);
    expect(stdout).not.toMatch(/\d\.\d{9,}/);
    remove();
  });
});
