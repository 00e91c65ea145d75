import { expect } from "vitest";
import { kindsOf } from "../../src/engine/accounts.ts";
import { kindsWith } from "../../src/kinds.ts";
import { createOperations } from "../../src/operations.ts";
import { twoSided } from "../own/deeds.ts";
import { EXCHANGES, testSandbox } from "../support/sandbox.ts";
import { starts } from "../support/starts.ts";

const MARKET = { exchange: "kraken", symbol: "BTC/USDT" };
const BUDGET = { quoteBudget: 1000, baseBudget: 0.05 };

/** A grid, quotes, one of your own, and quotes on paper: started in this order. */
export async function startedOfEach() {
  const { deps, ...box } = await testSandbox();
  const kinds = kindsOf(kindsWith([twoSided]));
  const own = { ...deps, kinds };
  const operations = createOperations(EXCHANGES, [twoSided]);
  const ask = async <T>(name: string, input: object = {}): Promise<T> => {
    const operation = operations.find((one) => one.name === name);
    if (!operation) throw new Error(`there is no operation ${name}`);
    const answer = await operation.run(own, operation.input.parse(input), { actor: "test" });
    // It has the fields of its schema, and no others.
    expect(operation.output.parse(answer)).toEqual(answer);
    return answer as T;
  };
  const start = async (name: string, input: object) => {
    box.time.pass(1000);
    return (await ask<{ readonly id: string }>(name, input)).id;
  };
  const grid = { lowerPrice: 57_000, upperPrice: 63_000, gridLevels: 4, orderSize: 100 };
  const quotes = { spreadPercent: 1, size: 100, ...BUDGET };
  const ids = {
    grid: await start("start_grid", { ...MARKET, ...grid, stopLossPrice: 50_000 }),
    quote: await start(...starts("quote", { exchange: "mexc", symbol: "BTC/USDT", ...quotes, name: "desk" })),
    own: await start(...starts("two-sided", { ...MARKET, spreadPercent: 2, size: 100, ...BUDGET })),
    paper: await start(...starts("quote", { ...MARKET, ...quotes, dryRun: true })),
  };
  return { ...box, deps: own, ask, ids };
}
