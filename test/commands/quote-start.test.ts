import { expect, it } from "vitest";
import { edgemaker } from "../support/command.ts";
import { hasTerminal, terminal } from "../support/terminal.ts";
import { waves } from "../support/waves.ts";

const [ENTER, RIGHT] = ["\r", "\x1b[C"];
const REQUEST = [
  "--sandbox",
  "--exchange",
  "kraken",
  "--symbol",
  "BTC/USDT",
  "--spread-percent",
  "1",
  "--size",
  "100",
  "--quote-budget",
  "2000",
  "--base-budget",
  "0.0333",
];

const quotes = async (folder: string): Promise<number> => {
  const { stdout } = await edgemaker(folder, ["quote", "list", "--sandbox", "--json"]);
  return (JSON.parse(stdout) as { count: number }).count;
};

it.skipIf(!hasTerminal).each([80, 0])(
  "quote start in a terminal that reports %s columns shows the plan, starts exactly that plan on Yes, and nothing on Cancel",
  async (columns) => {
    const folder = await waves();
    const start = async (answer: string) => {
      const screen = terminal(folder, ["quote", "start", ...REQUEST], { columns });
      await screen.until(/Start quotes on both sides of a market\?[\s\S]*Cancel/);
      const shown = screen.lines().join(" ").replace(/\s+/g, " ");
      expect(Math.max(...screen.lines().map(({ length }) => length))).toBeLessThanOrEqual(80);
      screen.type(answer);
      return { shown, code: await screen.ended };
    };
    const canceled = await start(`${RIGHT}${ENTER}`);
    expect(canceled.code).toBe(1);
    expect(canceled.shown).toMatch(
      /at most .* market quote on BTC\/USDT at kraken orders .* price .* bids .* asks .* worst case .* Start quotes/,
    );
    expect(await quotes(folder)).toBe(0);
    expect((await start(ENTER)).code).toBe(0);
    expect(await quotes(folder)).toBe(1);
  },
);

it("quote start refuses to start from a script without --yes, and starts with it", async () => {
  const folder = await waves();
  const { code, stdout, stderr } = await edgemaker(folder, ["quote", "start", ...REQUEST, "--json"]);
  expect([code, stdout]).toEqual([2, ""]);
  expect(JSON.parse(stderr)).toMatchObject({ message: expect.stringContaining("--yes") });
  expect(await quotes(folder)).toBe(0);
  expect((await edgemaker(folder, ["quote", "start", ...REQUEST, "--yes"])).code).toBe(0);
  expect(await quotes(folder)).toBe(1);
});
