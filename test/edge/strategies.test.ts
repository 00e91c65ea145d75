import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { workerStrategies } from "../../cli/host/worker-strategies.ts";
import { bearer } from "../contract/suite.ts";
import { root } from "../support/bundle.ts";
import { edgeApp } from "../support/edge.ts";
import { previewOf, startOf } from "../support/starts.ts";
import { tempFolder } from "../support/temp.ts";
import { workerWith } from "../support/worker-with.ts";

it("the worker runs a custom strategy that is deployed with it", async () => {
  const folder = tempFolder();
  cpSync(join(root, "examples/two-sided.ts"), join(folder, "two-sided.ts"));
  const edge = await edgeApp({}, { path: await workerWith(folder) });
  try {
    const headers = { ...bearer(edge.tokens.admin), "content-type": "application/json" };
    const call = async (path: string, init: object = {}) =>
      (await edge.ask(`/api/v1${path}`, { ...init, headers })).json() as Promise<{
        strategies: { id: string }[];
      }>;
    const fields = { exchange: "kraken", symbol: "BTC/USDT", spreadPercent: 0.2, size: 100 };
    const [path, body] = startOf("two-sided", fields);
    expect(await call(path, { method: "POST", body: JSON.stringify(body) })).toMatchObject({
      status: "running",
      definition: "two-sided",
    });
    const { strategies } = await call("/strategies");
    expect(await call(`/strategies/${strategies[0]?.id}`)).toMatchObject({
      lastError: null,
      orders: [{ id: "bid" }, { id: "ask" }],
    });
  } finally {
    await edge.close();
  }
});

/** A strategy whose function has this body. */
const own = (name: string, body: string) => `import { defineStrategy, z } from "edgemaker";
export default defineStrategy({ name: "${name}", config: z.object({}),
  orders({ quote }) { ${body} } });
`;

it("ends what never ends, and has no clock, randomness or network", async () => {
  const folder = tempFolder();
  const bodies = {
    endless: "for (;;);",
    clock: "Date.now();",
    dated: "return [new Date().getTime()];",
    chance: "Math.random();",
    network: "fetch('https://example.com');",
    global: "globalThis.fetch('https://example.com');",
  };
  for (const [name, body] of Object.entries(bodies))
    writeFileSync(join(folder, `${name}.ts`), own(name, `${body} return [];`));
  writeFileSync(
    join(folder, "fine.ts"),
    own("fine", "return Math.max(1, 2) === 2 && new Date(0).getTime() === 0 ? [] : 7;"),
  );
  const edge = await edgeApp({}, { path: await workerWith(folder) });
  try {
    const headers = { ...bearer(edge.tokens.admin), "content-type": "application/json" };
    const preview = async (name: string) => {
      const budgets = { baseBudget: 1, quoteBudget: 1000 };
      const [path, body] = previewOf(name, { exchange: "kraken", symbol: "BTC/USDT", ...budgets });
      const response = await edge.ask(`/api/v1${path}`, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
      });
      const { warnings } = (await response.json()) as { warnings: { message: string }[] };
      return warnings.map(({ message }) => message).join();
    };
    expect(await preview("fine")).toBe("");
    expect(await preview("endless")).toMatch(/endless\.ts:3: its loops ran more than 5000000 times/);
    expect(await preview("clock")).toContain("the clock is absent");
    expect(await preview("dated")).toContain("the clock is absent");
    expect(await preview("chance")).toContain("Math.random is absent");
    expect(await preview("network")).toContain("the network is absent");
    expect(await preview("global")).toContain("fetch");
  } finally {
    await edge.close();
  }
});

it("the worker build fails for a strategy with a mistake", () => {
  const folder = tempFolder();
  writeFileSync(join(folder, "broken.ts"), 'import { z } from "edgemaker";\nexport default 7 +;\n');
  expect(() => workerStrategies(folder)).toThrow("broken.ts:2:19");
});
