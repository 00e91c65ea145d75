import { describe, expect, it } from "vitest";
import { edgemaker } from "../support/command.ts";
import { hasTerminal, terminal } from "../support/terminal.ts";
import { waves } from "../support/waves.ts";

const [ENTER, RIGHT] = ["\r", "\x1b[C"];
const START = ["--exchange", "kraken", "--symbol", "BTC/USDT", "--levels", "6", "--size", "100"];

interface Grid {
  readonly id: string;
  readonly upperPrice: number;
  readonly profit: number;
}

describe.skipIf(!hasTerminal).each([80, 120])("grid edit in a terminal of %d columns", (columns) => {
  it("shows which orders are canceled, placed and unchanged; applies exactly that on Yes, nothing on No", async () => {
    const folder = await waves();
    const bounds = ["--lower", "57000", "--upper", "63000"];
    const started = await edgemaker(folder, [
      "grid",
      "start",
      "--sandbox",
      ...START,
      ...bounds,
      "--yes",
      "--json",
    ]);
    expect(started.code, started.stderr).toBe(0);
    const { id } = JSON.parse(started.stdout) as Grid;
    const grid = async () => {
      const { stdout } = await edgemaker(folder, ["grid", "status", "--sandbox", "--json"]);
      return (JSON.parse(stdout) as { strategies: [Grid] }).strategies[0];
    };
    const countRequests = async (answer: string) => {
      const args = ["grid", "edit", id, "--upper", "66000", "--stop-loss-price", "50000", "--sandbox"];
      const screen = terminal(folder, args, { columns });
      await screen.until(/Change \S+\?[\s\S]*No/);
      const lines = screen.lines();
      expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(columns);
      screen.type(answer);
      const code = await screen.ended;
      const answered = screen.lines().join(" ").replace(/\s+/g, " ");
      return { output: lines.join(" ").replace(/\s+/g, " "), code, answered };
    };
    const refused = await countRequests(`${RIGHT}${ENTER}`);
    expect(refused.code).toBe(1);
    expect(refused.output).toMatch(
      /changes upperPrice from 63000 to 66000.*stopLossPrice from none to 50000/,
    );
    expect(refused.output).toMatch(/canceled \d orders; 0 stay orders \d buys at/);
    expect(refused.output).toMatch(/keeps 0 USDT realized, and 0 BTC/);
    expect(refused.output).toMatch(
      /worst case [\d.]+ USDT lost at 57000; [\d.]+ USDT lost at 50000; [\d.]+ USDT lost if the price falls to 0/,
    );
    expect((await grid()).upperPrice).toBe(63_000);
    const changed = await countRequests(ENTER);
    expect(changed.code).toBe(0);
    expect(changed.answered).toMatch(
      /message grid-\S+ is changed changes upperPrice from 63000 to 66000; (\S+ from \S+ to \S+; )*stopLossPrice from none to 50000/,
    );
    expect(changed.answered).not.toMatch(/\b(success|made|phase|warnings)\b/);
    expect((await grid()).upperPrice).toBe(66_000);
    const sale = ["--lower", "62000", "--upper", "66000", "--stop-loss-price", "61000", "--sandbox"];
    const screen = terminal(folder, ["grid", "edit", id, ...sale], { columns });
    await screen.until(/Change \S+\?[\s\S]*No/);
    const lines = screen.lines();
    expect(lines.filter((line) => line.startsWith("sells at once  the market is at"))).toHaveLength(1);
    expect(lines.join("\n")).not.toContain("sells nothing");
    screen.type(ENTER);
    expect(await screen.ended).toBe(1);
    expect((await grid()).upperPrice).toBe(66_000);
    const { stdout } = await edgemaker(folder, ["grid", "status", "--sandbox", "--json"]);
    expect(stdout).not.toContain("61000");
  });
});
