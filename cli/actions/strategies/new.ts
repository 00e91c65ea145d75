import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isStrategyName } from "../../../src/declared/define.ts";
import { readSettings } from "../../host/settings.ts";
import type { Values } from "../../terminal/arguments.ts";
import { print } from "../../terminal/output.ts";
import { UsageError } from "../../terminal/usage-error.ts";
import { COMPILER_OPTIONS } from "./check.ts";

/** Settings of TypeScript for the whole project. */
const TYPE_SETTINGS = "tsconfig.json";

/**
 * Writes a starter and its test into the folder of strategies, and the settings of TypeScript if there are none.
 * Throws UsageError rather than replace a file.
 */
export async function writeStrategy(values: Values): Promise<number> {
  const name = String(values.name ?? "");
  if (!isStrategyName(name))
    throw new UsageError(
      name
        ? `${name} is not a name for a strategy; use a-z, 0-9 and -, at most 31 characters`
        : "name the strategy, for example: edgemaker strategy new my-strategy",
    );
  const folder = readSettings(values, process.env).config.strategies;
  const texts = { [`${name}.ts`]: starterText(name), [`${name}.test.ts`]: starterTest(name) };
  const files = Object.keys(texts).map((file) => join(folder, file));
  const existing = files.find((file) => existsSync(file));
  if (existing) throw new UsageError(`${existing} exists already; choose another name`);
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of Object.entries(texts)) writeFileSync(join(folder, file), text, { flag: "wx" });
  const isNew = !existsSync(TYPE_SETTINGS);
  if (isNew) writeFileSync(TYPE_SETTINGS, settingsText);
  const market = "--exchange kraken --symbol BTC/USDT --spread 0.002 --size 100";
  return print(values, {
    ...{ strategy: files[0], test: files[1], ...(isNew ? { settings: TYPE_SETTINGS } : {}) },
    "to check": "edgemaker strategy check",
    "to run its test": "npm install --save-dev vitest typescript, then npx tsc and npx vitest run",
    "to test": `edgemaker strategy test ${name} --spread 0.002 --size 100`,
    "to start": `edgemaker strategy start ${name} ${market} --sandbox`,
  });
}

const settingsText = `${JSON.stringify({ compilerOptions: { ...COMPILER_OPTIONS, noEmit: true } }, null, 2)}\n`;

const starterText = (name: string): string => `import { defineStrategy, z } from "edgemaker";

/** Quotes both sides of the middle of the market. */
export default defineStrategy({
  name: "${name}",
  summary: "Quote both sides of a market",
  config: z.object({
    spread: z.number().gt(0).lt(1).describe("Full spread, as a fraction"),
    size: z.number().gt(0).describe("Quote per order"),
  }),
  orders({ config, quote }) {
    const half = config.spread / 2;
    return [
      { id: "bid", side: "buy", price: quote.mid.times(1 - half), quoteSize: config.size },
      { id: "ask", side: "sell", price: quote.mid.times(1 + half), quoteSize: config.size },
    ];
  },
});
`;

const starterTest = (name: string): string => `import { backtest, simulate } from "edgemaker/testing";
import { expect, it } from "vitest";
import strategy from "./${name}.ts";

it("buys below the market and sells above it", () => {
  const { fills, error } = backtest(strategy, {
    config: { spread: 0.01, size: 100 },
    prices: [60_000, 60_000, 59_600, 60_000, 60_400, 60_400],
    base: 1,
    quote: 10_000,
    tickInterval: 60_000,
  });
  expect(error).toBeNull();
  expect(fills.map(({ side, price }) => \`\${side} \${price}\`)).toEqual(["buy 59700", "sell 60300"]);
});

it("survives crashes, lost responses and failed reads", { timeout: 60_000 }, async () => {
  const { problems, fills } = await simulate(strategy, { config: { spread: 0.004, size: 100 } });
  expect(problems).toEqual([]);
  expect(fills).toBeGreaterThan(0);
});
`;
