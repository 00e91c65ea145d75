import { describe, expect, it } from "vitest";
import { edgemaker } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";
import { hasTerminal, terminal } from "../support/terminal.ts";
import { waves } from "../support/waves.ts";

const [ENTER, DOWN] = ["\r", "\x1b[B"];
const SANDBOX = ["--sandbox", "--exchange", "kraken"];

const grids = async (folder: string): Promise<readonly { upperPrice: number }[]> => {
  const { stdout } = await edgemaker(folder, ["grid", "status", "--sandbox", "--json"]);
  return (JSON.parse(stdout) as { strategies: { upperPrice: number }[] }).strategies;
};

const masked = (lines: readonly string[]): string => lines.join("\n").replace(/\d/g, "0");

describe.skipIf(!hasTerminal).each([80, 120])("grid new in a terminal of %d columns", (columns) => {
  it("prompts, shows the plan with an if, starts exactly that plan on Yes, and nothing on Cancel", async () => {
    const folder = await waves();
    const countRequests = async (answer: string) => {
      const screen = terminal(folder, ["grid", "new", ...SANDBOX], { columns });
      await screen.until(/Which pair/);
      screen.type(`btc/usdt${ENTER}`);
      await screen.until(/How much USDT can it use in total\? \d+ are free/);
      screen.type(`500${ENTER}`);
      await screen.until(/How wide should the range be/);
      screen.type(ENTER);
      await screen.until(/if the price leaves the range[\s\S]*Stop/);
      screen.type(`${DOWN}${DOWN}${ENTER}`);
      await screen.until(/Start a grid between two prices\?[\s\S]*Cancel/);
      const shown = screen.lines();
      expect(Math.max(...shown.map(({ length }) => length))).toBeLessThanOrEqual(columns);
      screen.type(answer);
      return { shown, code: await screen.ended, output: screen.lines().join("\n") };
    };
    const cancelled = await countRequests(`${DOWN}${DOWN}${ENTER}`);
    expect(cancelled.code).toBe(1);
    expect(cancelled.output).toContain("Nothing was started.");
    expect(cancelled.shown.join(" ").replace(/\s+/g, " ")).toMatch(
      /break-even if the price crosses its levels as in the last 7 days/,
    );
    await expect(masked(cancelled.shown)).toMatchFileSnapshot(`screens/grid-new-${columns}.txt`);
    expect(await grids(folder)).toEqual([]);
    const started = await countRequests(ENTER);
    expect(started.code).toBe(0);
    expect(started.output).toMatch(/is running and its orders are\s+placed/);
    expect((await grids(folder))[0]?.upperPrice).toBeGreaterThan(62_000);
    const { stdout } = await edgemaker(folder, ["grid", "withdraw-plan", ...SANDBOX, "--json"]);
    const { balances } = JSON.parse(stdout) as {
      balances: Record<"asset" | "kept" | "canWithdraw", string>[];
    };
    const quote = balances.find(({ asset }) => asset === "USDT");
    expect(Number(quote?.kept)).toBeGreaterThan(0);
    const next = terminal(folder, ["grid", "new", ...SANDBOX, "--symbol", "BTC/USDT"], { columns });
    await next.until(/in total\? [\d.]+ are free/);
    expect(next.lines().join("\n")).toContain(`in total? ${quote?.canWithdraw} are free`);
    next.type("\x03");
    await next.ended;
  });
});

describe("grid new without a terminal", () => {
  const FLAGS = ["--symbol", "BTC/USDT", "--budget", "500"];

  it("prints the plan and starts nothing, as text and as JSON", async () => {
    const folder = await waves();
    const text = await edgemaker(folder, ["grid", "new", ...SANDBOX, ...FLAGS]);
    expect([text.code, text.stderr]).toEqual([
      0,
      "Nothing was started. To start without a question, add --yes.\n",
    ]);
    expect(text.stdout).toMatch(
      /^at most +[\d.]+ USDT in use\nmarket +grid on BTC\/USDT at kraken\norders +\d+ buys/,
    );
    const json = await edgemaker(folder, ["grid", "new", ...SANDBOX, ...FLAGS, "--json"]);
    expect([json.code, json.stderr]).toEqual([0, ""]);
    expect(JSON.parse(json.stdout)).toMatchObject({
      start: { config: { useOwnBase: false } },
      plan: { orders: {} },
    });
    expect(await grids(folder)).toEqual([]);
  });

  it("starts the grid with --yes and warns that no server answers its fills", async () => {
    const folder = await waves();
    const { code, stdout, stderr } = await edgemaker(folder, [
      "grid",
      "new",
      ...SANDBOX,
      ...FLAGS,
      "--yes",
      "--json",
    ]);
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ status: "running" });
    expect(stderr).toContain("so nothing watches it");
    expect(await grids(folder)).toHaveLength(1);
  });

  it("lists all missing values by their flags", async () => {
    const { code, stderr } = await edgemaker(tempFolder(), ["grid", "new", ...SANDBOX]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/--symbol must be[\s\S]*--budget must be/);
  });
});
