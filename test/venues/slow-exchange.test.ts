import { expect, it, onTestFinished } from "vitest";
import { runRound } from "../../src/engine/pass/round.ts";
import { decimal } from "../../src/kernel/decimal.ts";
import { type Millis, SECOND } from "../../src/kernel/time.ts";
import { emulatedExchanges } from "../support/emulated.ts";
import { virtualLocal } from "../support/local.ts";
import { runOperation, START } from "../support/sandbox.ts";

const GRIDS = [
  { symbol: "BTC/USDT", lowerPrice: decimal("57000"), upperPrice: decimal("63000") },
  { symbol: "ETH/USDT", lowerPrice: decimal("2850"), upperPrice: decimal("3150") },
] as const;
const SLOTS = 4;

/** Two grids of two markets on an exchange each of whose answers takes so long. */
async function slowly(millis: () => Millis) {
  const time = virtualLocal(START);
  let isSlow = false;
  const setup = await emulatedExchanges({
    names: ["mexc"],
    time,
    timing: { requestTimeout: 10_000 },
    fetch: async (url, init) => {
      const answer = await fetch(url, init);
      if (isSlow) time.pass(millis());
      return answer;
    },
  });
  onTestFinished(setup.close);
  const { deps } = setup;
  for (const { symbol } of GRIDS) await deps.venue("mexc").market(symbol);
  isSlow = true;
  for (const grid of GRIDS)
    await runOperation(deps, "start_grid", {
      exchange: "mexc",
      ...grid,
      gridLevels: SLOTS,
      orderSize: decimal("60"),
    });
  for (let pass = 0; pass < 40; pass++) {
    time.pass(5 * SECOND);
    await runRound(deps);
  }
  const { rows } = await setup.context.client.execute(
    "select count(*) as dead from orders where reason = 'not sent'",
  );
  const views = await deps.store.strategies({});
  return {
    dead: Number(rows[0]?.dead),
    open: GRIDS.map(({ symbol }) => setup.exchange("mexc").open(symbol).length),
    results: views.map(({ strategy }) => strategy.lastError),
  };
}

it("orders at an exchange with 5 to 9 s of latency take several passes, and none is recorded in vain", async () => {
  let requestCount = 0;
  const { dead, open, results } = await slowly(() => (5 + (requestCount++ % 5)) * SECOND);
  expect(open).toEqual([SLOTS, SLOTS]);
  expect(dead).toBe(0);
  expect(results).toEqual([null, null]);
});

it("an exchange too slow for any order is reported in the grid's status", async () => {
  const { dead, results } = await slowly(() => 14 * SECOND);
  expect(dead).toBe(0);
  for (const one of results) expect(one).toContain("the exchange takes about 14 s to respond");
});
