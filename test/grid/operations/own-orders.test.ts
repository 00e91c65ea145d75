import { expect, it } from "vitest";
import type { Deps } from "../../../src/ports/deps.ts";
import { REQUEST } from "../../support/grid.ts";
import { askingOf, testSandbox } from "../../support/sandbox.ts";
import { previews, starts } from "../../support/starts.ts";

const QUOTES = {
  exchange: "kraken",
  symbol: "ETH/USDT",
  spreadPercent: 1,
  levels: 1,
  size: 100,
  baseBudget: 0.1,
  quoteBudget: 300,
};

it("reading own orders skips other accounts' open orders, however many there are", async () => {
  const { deps } = await testSandbox();
  const { ask } = askingOf(deps);
  const { id } = await ask<{ id: string }>("start_grid", { ...REQUEST, useOwnBase: false });
  const quotes = await ask<{ id: string }>(...starts("quote", QUOTES));
  const requests: unknown[] = [];
  const store: Deps["store"] = {
    ...deps.store,
    unsettledOrders: (account) => {
      requests.push(account);
      return deps.store.unsettledOrders(account);
    },
  };
  const { exchange } = REQUEST;
  await ask(...previews("grid", { ...REQUEST, symbol: "ETH/USDT", lowerPrice: 2000, upperPrice: 4000 }), {
    store,
  });
  await ask("preview_edit", { id, config: { orderSize: 210 } }, { store });
  await ask("get_balance", { exchange, withdrawable: true }, { store });
  await ask("get_strategy", { id: quotes.id }, { store });
  await ask("preview_edit", { id: quotes.id, config: { spreadPercent: 2 } }, { store });
  expect(requests.length).toBeGreaterThanOrEqual(5);
  expect(new Set(requests).size).toBe(1);
  expect(requests[0]).toMatch(/^\w+:kraken:/);
});
