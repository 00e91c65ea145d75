import fc from "fast-check";
import { expect, it } from "vitest";
import * as z from "zod";
import { shock } from "../../src/adapters/libsql/sandbox-books.ts";
import { kindsOf } from "../../src/engine/accounts.ts";
import { runPassNow } from "../../src/engine/pass/round.ts";
import { bookTrade, positionAccounts, withFirstBase } from "../../src/engine/position/position.ts";
import { mul, text, ZERO } from "../../src/kernel/decimal.ts";
import { kindsWith } from "../../src/kinds.ts";
import { createOperations } from "../../src/operations.ts";
import { defineStrategy } from "../../src/own/define.ts";
import { newOwnStrategyState } from "../../src/own/state.ts";
import { d } from "../support/grid.ts";
import { EXCHANGES, testSandbox } from "../support/sandbox.ts";
import { previews, starts } from "../support/starts.ts";

const still = defineStrategy({ name: "still", config: z.object({}), orders: () => [] });
const PLACE = { exchange: "kraken", symbol: "BTC/USDT" };

async function startable() {
  const box = await testSandbox();
  const deps = { ...box.deps, kinds: kindsOf(kindsWith([still])) };
  const operations = createOperations(EXCHANGES, [still]);
  const call = async <T>(name: string, input: object) => {
    const operation = operations.find((one) => one.name === name);
    return (await operation?.run(deps, operation.input.parse(input), { actor: "local" })) as T;
  };
  return { ...box, deps, call };
}

interface Status {
  readonly strategies: readonly { readonly totalProfit: number; readonly position: string }[];
}

it.each([0.8, 1.2])(
  "earns and loses nothing without a trade when the price moves by factor %d",
  async (factor) => {
    const { deps, call, context, time } = await startable();
    await call(...starts("still", { ...PLACE, baseBudget: 1, quoteBudget: 100 }));
    await shock(context, { symbol: "BTC/USDT", factor, at: time.now() });
    time.pass(10_000);
    await runPassNow(deps, deps.venue("kraken"));
    const { strategies } = await call<Status>("list_strategies", {});
    expect(strategies).toMatchObject([{ position: "1", totalProfit: "0", profit: "0" }]);
  },
);

it("shows first what a strategy without a budget may use, before and after its start", async () => {
  const { call } = await startable();
  type Warned = { readonly warnings: readonly { readonly code: string; readonly message: string }[] };
  const all = {
    code: "whole_balance",
    message: "it may use all of the free 2 BTC and 100000 USDT; set a budget to use less",
  };
  for (const asked of [previews, starts]) {
    expect((await call<Warned>(...asked("still", PLACE))).warnings[0]).toEqual(all);
    const half = await call<Warned>(...asked("still", { ...PLACE, quoteBudget: 0, baseBudget: 0.1 }));
    expect(half.warnings).toEqual([]);
  }
});

const START = d("100");
const trades = fc.array(
  fc.record({
    isBuy: fc.boolean(),
    amount: fc.integer({ min: 1, max: 5 }),
    price: fc.integer({ min: 50, max: 150 }),
  }),
  { maxLength: 12 },
);

it("counts base of the account at the start price until it is sold, after what was bought", () => {
  fc.assert(
    fc.property(trades, fc.integer({ min: 50, max: 150 }), (all, at) => {
      const fresh = { ...newOwnStrategyState(START), unsold: ZERO };
      let state = withFirstBase(fresh, d("3"));
      let [cash, bought, own] = [ZERO, ZERO, d("3")];
      for (const { isBuy, amount: lots, price: quoted } of all) {
        const [amount, price] = [d(String(lots)), d(String(quoted))];
        if (!isBuy && amount > bought + own) continue;
        const notional = mul(amount, price, "up");
        state = bookTrade(state, "BTC/USDT", { side: isBuy ? "buy" : "sell", amount, notional, fees: [] });
        const ofBought = isBuy || amount < bought ? amount : bought;
        bought += isBuy ? amount : -ofBought;
        // What it sells beyond its own is worth the start price to the account.
        const beyond = isBuy ? ZERO : amount - ofBought;
        own -= beyond;
        cash += (isBuy ? -notional : notional) - mul(beyond, START, "up");
      }
      const mark = d(String(at));
      const { total, realized, unrealized } = positionAccounts({ symbol: "BTC/USDT", state }, mark);
      expect(text(total)).toBe(text(cash + mul(bought, mark, "up")));
      expect(realized + unrealized).toBe(total);
    }),
  );
});
