import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@libsql/client";
import { describe, expect, it } from "vitest";
import { edgemaker, placed } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";
import { hasTerminal, type Screen, terminal } from "../support/terminal.ts";

const MARKET = ["--exchange", "kraken", "--symbol", "BTC/USDT", "--sandbox"];
const MINUTE = 60_000;

/** A sandbox whose price stands still, so that only times and ids differ from run to run. */
async function still(): Promise<string> {
  const folder = tempFolder();
  const file = join(folder, "still.csv");
  const first = Date.UTC(2026, 0, 1);
  const rows = Array.from(
    { length: 90 },
    (_, place) => `${first + place * MINUTE},60000,60000,60000,60000,1`,
  );
  writeFileSync(file, `timestamp,open,high,low,close,volume\n${rows.join("\n")}\n`);
  const { code, stderr } = await edgemaker(folder, ["sandbox", "reset", "--replay", file]);
  if (code !== 0) throw new Error(stderr);
  return folder;
}

/** What differs between two runs is a 0: figures of times, ids and of what rests in a book. */
const masked = (screen: Screen): string =>
  screen
    .lines()
    .join("\n")
    .replace(/(running for +)[\d dhms]+$/m, "$10s")
    .replace(/\d/g, "0");

const fits = (screen: Screen, columns: number): void => {
  expect(screen.isWrapped(), screen.lines().join("\n")).toBe(false);
  for (const line of screen.lines()) expect(line.length).toBeLessThanOrEqual(columns);
};

describe.skipIf(!hasTerminal).each([80, 40])("screens in a terminal of %d columns", (columns) => {
  it("orderbook shows both sides with the best prices next to each other", async () => {
    const screen = terminal(await still(), ["orderbook", ...MARKET, "--limit", "5"], { columns });
    expect(await screen.ended).toBe(0);
    fits(screen, columns);
    const prices = screen
      .lines()
      .flatMap((line) => /^ +(\d+(?:\.\d+)?) +\d/.exec(line)?.[1] ?? [])
      .map(Number);
    expect(prices).toHaveLength(10);
    expect(prices).toEqual([...prices].sort((a, b) => b - a));
    await expect(masked(screen)).toMatchFileSnapshot(`screens/orderbook-${columns}.txt`);
  });

  it("grid status --watch redraws a grid in place", async () => {
    const folder = await still();
    const bounds = ["--lower", "57000", "--upper", "63000", "--levels", "12", "--size", "100"];
    expect((await edgemaker(folder, ["grid", "start", ...MARKET, ...bounds, "--yes"])).code).toBe(0);
    await placed(folder);
    const screen = terminal(folder, ["grid", "status", "--watch", "--sandbox"], { columns });
    await screen.drawn(2);
    await screen.until(/running, active.*last pass/s);
    fits(screen, columns);
    expect(screen.lines().filter((line) => line.includes("grid-kraken"))).toHaveLength(1);
    await expect(masked(screen).replace(/-0+$/gm, "-0")).toMatchFileSnapshot(
      `screens/grid-status-${columns}.txt`,
    );
    screen.type("\x03");
    expect(await screen.ended).toBe(0);
  });

  it("trade --dry-run shows a simulated grid without risking funds", async () => {
    const args = ["trade", "--strategy", "grid", ...MARKET, "--dry-run", "--dry-balance", "USDT=1000"];
    const screen = terminal(await still(), args, { columns });
    await screen.until(/running, active.*last pass/s);
    fits(screen, columns);
    expect(screen.lines().join(" ")).toMatch(/10 +slots +of 50 USDT/);
    await expect(masked(screen)).toMatchFileSnapshot(`screens/trade-dry-run-${columns}.txt`);
    screen.type("\x03");
    expect(await screen.ended).toBe(0);
  });

  it("grid start shows its plan, uses existing base only if chosen twice, and starts nothing on Cancel", async () => {
    const folder = await still();
    const bounds = ["--lower", "57000", "--upper", "63000", "--levels", "12", "--size", "100"];
    const args = ["grid", "start", ...MARKET, ...bounds, "--stop-loss-price", "55000"];
    const ids = async () => {
      const { stdout } = await edgemaker(folder, ["grid", "status", "--sandbox", "--json"]);
      return (JSON.parse(stdout) as { strategies: { openOrders: number }[] }).strategies;
    };
    const cancelled = terminal(folder, args, { columns });
    await cancelled.until(/Cancel/);
    fits(cancelled, columns);
    await expect(masked(cancelled)).toMatchFileSnapshot(`screens/grid-start-${columns}.txt`);
    cancelled.type("\x1b[B\x1b[B\r");
    expect(await cancelled.ended).toBe(1);
    expect(await ids()).toEqual([]);
    const own = terminal(folder, args, { columns });
    await own.until(/● Yes(.|\n)*With my BTC(.|\n)*Cancel/);
    own.type("\x1b[B\r");
    await own.until(/● Without my BTC(.|\n)*Yes, and sell 0\.\d+/);
    own.type("\x1b[B\r");
    expect(await own.ended).toBe(0);
    await placed(folder);
    expect(await ids()).toMatchObject([{ openOrders: 12 }]);
  });

  it("trade shows its plan and the live grid, and lists the open orders on Ctrl-C", async () => {
    const folder = await still();
    const args = ["trade", "--strategy", "grid", ...MARKET, "--tick-interval", "500"];
    const screen = terminal(folder, args, { columns });
    await screen.until(/Cancel/);
    screen.type("\r");
    await screen.until(/running, active.*last pass/s);
    fits(screen, columns);
    await expect(masked(screen)).toMatchFileSnapshot(`screens/trade-${columns}.txt`);
    screen.type("\x03");
    expect(await screen.ended).toBe(0);
    expect(screen.lines().join("").replace(/\s/g, "")).toMatch(/5ordersofgrid-\S+stayopenonkraken/);
  });
});

describe.skipIf(!hasTerminal)("colors", () => {
  const BOLD = "\x1b[1m";

  it("appear only in a terminal without NO_COLOR", async () => {
    const shown = async (over: Record<string, string>) => {
      const screen = terminal(tempFolder(), ["grid", "--help"], { columns: 80, over });
      await screen.ended;
      return screen.written();
    };
    expect(await shown({})).toContain(BOLD);
    expect(await shown({ NO_COLOR: "1" })).not.toContain("\x1b");
    expect((await edgemaker(tempFolder(), ["grid", "--help"], { NO_COLOR: "" })).stdout).not.toContain(
      "\x1b",
    );
  });

  it("highlight a grid without ticks in red", async () => {
    const folder = tempFolder();
    const db = `file:${join(folder, "stalled.db")}`;
    const bounds = ["--lower", "57000", "--upper", "63000", "--levels", "4", "--size", "100"];
    expect((await edgemaker(folder, ["grid", "start", ...MARKET, ...bounds, "--yes", "--db", db])).code).toBe(
      0,
    );
    const client = createClient({ url: db });
    await client.execute("update accounts set stepped_at = stepped_at - 3600000");
    client.close();
    const shown = async (over: Record<string, string>) => {
      const screen = terminal(folder, ["grid", "status", "--sandbox", "--db", db], { columns: 80, over });
      expect(await screen.ended).toBe(3);
      await screen.until(/stalled/);
      return screen.written();
    };
    expect(await shown({})).toContain("\x1b[31mstalled ");
    expect(await shown({ NO_COLOR: "1" })).toMatch(/^ *stalled /m);
  });
});
