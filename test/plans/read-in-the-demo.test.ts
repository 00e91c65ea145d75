import { expect, it } from "vitest";
import example from "../../examples/two-sided.ts";
import { kindsOf } from "../../src/engine/accounts.ts";
import { AppError } from "../../src/kernel/errors.ts";
import { SECOND } from "../../src/kernel/time.ts";
import { kindsWith } from "../../src/kinds.ts";
import { createOperations } from "../../src/operations.ts";
import { EXCHANGES, testSandbox } from "../support/sandbox.ts";
import { previews, starts } from "../support/starts.ts";

const MARKET = { exchange: "kraken", symbol: "BTC/USDT" };
const RANGE = { ...MARKET, lowerPrice: 55_000, upperPrice: 65_000, gridLevels: 20, orderSize: 100 };
const BUDGET = { baseBudget: 0.05, quoteBudget: 3000 };

/** The demo: its prices, which pass 600 times as fast, and its grid. */
async function demo() {
  const { deps, time, store } = await testSandbox({ speed: 600, origin: Date.parse("2026-01-01T00:00:00Z") });
  const own = { ...deps, kinds: kindsOf(kindsWith([example])) };
  const operations = createOperations(EXCHANGES, [example]);
  const ask = async <T>(name: string, input: object = {}): Promise<T> => {
    const operation = operations.find((one) => one.name === name);
    if (!operation) throw new Error(`there is no operation ${name}`);
    return (await operation.run(own, operation.input.parse(input), { actor: "local" })) as T;
  };
  const grid = { ...MARKET, lowerPrice: 58_000, upperPrice: 62_000, gridLevels: 20, orderSize: 500 };
  await ask("start_grid", grid);
  return {
    ask,
    store,
    /** Reads for 20 seconds, in which the passes go on. */
    async read() {
      for (let seconds = 0; seconds < 20; seconds += 5) {
        time.pass(5 * SECOND);
        await ask("tick");
      }
    },
  };
}

const TRIES = 10;

async function conflicts(try_: () => Promise<unknown>): Promise<number> {
  let count = 0;
  for (let at = 0; at < TRIES; at++) {
    try {
      await try_();
    } catch (error) {
      if (!(error instanceof AppError && error.label === "Conflict")) throw error;
      count++;
    }
  }
  return count;
}

it.each([
  ["a grid", "grid", RANGE],
  ["a centered grid", "centered", MARKET],
  ["quotes", "quote", { ...MARKET, ...BUDGET, spreadPercent: 1, levels: 2, size: 200 }],
  ["an own strategy", "two-sided", { ...MARKET, ...BUDGET, spreadPercent: 1, size: 200 }],
])(
  "the demo starts the shown plan of %s after 20 seconds, each of 10 times",
  async (_, definition, request) => {
    const { ask, read } = await demo();
    const found = await conflicts(async () => {
      const { planHash } = await ask<{ planHash: string }>(...previews(definition, request));
      await read();
      const { id } = await ask<{ id: string }>(...starts(definition, { ...request, planHash }));
      await ask("stop_strategy", { id });
    });
    expect(found).toBe(0);
  },
  120_000,
);

it.each([
  ["a grid", "grid", RANGE, (at: number) => ({ orderSize: 101 + at })],
  [
    "quotes",
    "quote",
    { ...MARKET, ...BUDGET, spreadPercent: 1, levels: 2, size: 200 },
    (at: number) => ({ size: 201 + at }),
  ],
])(
  "the demo makes the shown change of %s after 20 seconds, each of 10 times",
  async (_, definition, request, change) => {
    const { ask, read } = await demo();
    const { id } = await ask<{ id: string }>(...starts(definition, request));
    let at = 0;
    const found = await conflicts(async () => {
      const changed = { id, config: change(at++) };
      const { planHash } = await ask<{ planHash: string }>("preview_edit", changed);
      await read();
      await ask("edit_strategy", { ...changed, planHash });
    });
    expect(found).toBe(0);
  },
  120_000,
);
