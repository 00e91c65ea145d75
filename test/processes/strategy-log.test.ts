import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { edgemaker, eventually, serve } from "../support/command.ts";
import { startOf } from "../support/starts.ts";
import { tempFolder } from "../support/temp.ts";

const TALKATIVE = `import { defineStrategy, z } from "edgemaker";
export default defineStrategy({
  name: "talkative",
  config: z.object({}),
  orders({ now }) {
    for (let i = 0; i < 99; i++) console.log("line", { i, now });
    return { orders: [], state: 1, notes: { mood: "calm" }, log: ['\\n{"level":"error","message":"forged"}'] };
  },
});
`;
const PLACE = "--exchange kraken --symbol BTC/USDT --base-budget 0 --quote-budget 10 --sandbox".split(" ");

function folderWithStrategy() {
  const folder = tempFolder();
  mkdirSync(join(folder, "strategies"));
  writeFileSync(join(folder, "strategies/talkative.ts"), TALKATIVE);
  return folder;
}

it("a strategy's lines are entries of the server's log under its id, at a bounded rate", async () => {
  const folder = folderWithStrategy();
  const server = await serve(folder, [
    "--db",
    `file:${join(folder, "log.db")}`,
    "--sandbox",
    "--tick-interval",
    "1",
  ]);
  const place = { exchange: "kraken", symbol: "BTC/USDT", baseBudget: 0, quoteBudget: 10 };
  const [path, body] = startOf("talkative", place);
  const response = await server.ask(`/api/v1${path}`, { method: "POST", body: JSON.stringify(body) });
  const { id } = (await response.json()) as { id: string };
  const text = await eventually(
    async () => server.stderr(),
    (all) => all.includes("more lines of a strategy"),
  );
  const entries = text
    .split("\n")
    .filter((line) => line.includes(id))
    .map((line) => JSON.parse(line) as { message: string; line?: string; level: string; strategy: string });
  const lines = entries.filter(({ line }) => line !== undefined);
  expect(lines[0]).toMatchObject({ level: "info", message: "a line of a strategy", strategy: id });
  expect(lines[0]?.line).toMatch(/^line {"i":0,"now":\d+}$/);
  expect(lines.every(({ line }) => line?.startsWith("line"))).toBe(true);
  expect(entries.some(({ message }) => /^… \d+ more lines of a strategy$/.test(message))).toBe(true);
  expect(text).not.toContain('"message":"forged"');
});

it("a backtest shows the last notes, and counts the lines", async () => {
  const folder = folderWithStrategy();
  const backtest = [
    "strategy",
    "backtest",
    "talkative",
    "--timeframe",
    "1m",
    "--tick-interval",
    "60000",
    ...PLACE,
  ];
  const { stdout } = await edgemaker(folder, [...backtest, "--json"]);
  const { details: answer } = JSON.parse(stdout) as {
    details: { notes: object; logLines: number; log: string[]; passes: number };
  };
  expect(answer.notes).toEqual({ mood: "calm" });
  expect(answer.logLines).toBe(100 * answer.passes);
  expect(answer.log).toHaveLength(50);
  const shown = await edgemaker(folder, backtest);
  expect(shown.stdout).toContain(`${answer.logLines} lines; --json shows the last 50`);
  expect(shown.stdout).toContain("calm");
});
