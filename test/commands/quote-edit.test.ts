import { describe, expect, it } from "vitest";
import { edgemaker } from "../support/command.ts";
import { hasTerminal, terminal } from "../support/terminal.ts";
import { waves } from "../support/waves.ts";

const [ENTER, RIGHT] = ["\r", "\x1b[C"];
const MARKET = ["--exchange", "kraken", "--symbol", "BTC/USDT"];
const BUDGET = ["--quote-budget", "2000", "--base-budget", "0.0333"];

describe.skipIf(!hasTerminal)("quote edit in a terminal", () => {
  it("shows which quotes stay, go and are placed; applies exactly that on Yes, nothing on No", async () => {
    const folder = await waves();
    const requests = [...MARKET, ...BUDGET, "--spread-percent", "1", "--size", "100", "--levels", "2"];
    const started = await edgemaker(folder, ["quote", "start", "--sandbox", ...requests, "--yes", "--json"]);
    expect(started.code, started.stderr).toBe(0);
    const { id } = JSON.parse(started.stdout) as { id: string };
    const levels = async () => {
      const { stdout } = await edgemaker(folder, ["quote", "status", id, "--sandbox", "--json"]);
      return (JSON.parse(stdout) as { details: { levels: number } }).details.levels;
    };
    const edit = async (answer: string) => {
      const screen = terminal(folder, ["quote", "edit", id, "--levels", "1", "--sandbox"], { columns: 80 });
      await screen.until(/Change \S+\?[\s\S]*No/);
      const lines = screen.lines();
      expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
      screen.type(answer);
      return { output: lines.join(" ").replace(/\s+/g, " "), code: await screen.ended };
    };
    const refused = await edit(`${RIGHT}${ENTER}`);
    expect(refused.code).toBe(1);
    expect(refused.output).toMatch(/changes levels from 2 to 1/);
    expect(refused.output).toMatch(/canceled \d orders; \d stay orders none at first/);
    expect(await levels()).toBe(2);
    expect((await edit(ENTER)).code).toBe(0);
    expect(await levels()).toBe(1);
  });
});
