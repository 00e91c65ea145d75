import { describe, expect, it, onTestFinished } from "vitest";
import { kindsOf } from "../../src/engine/accounts.ts";
import { runRound } from "../../src/engine/pass/round.ts";
import { type Decimal, decimal, mul } from "../../src/kernel/decimal.ts";
import { MINUTE } from "../../src/kernel/time.ts";
import { kindsWith } from "../../src/kinds.ts";
import { createOperations } from "../../src/operations.ts";
import { twoSided } from "../own/deeds.ts";
import { emulatedExchanges } from "../support/emulated.ts";
import { EXCHANGES } from "../support/sandbox.ts";
import { starts } from "../support/starts.ts";

const PAIR = "BTC/USDT";
const MARKET = { exchange: "bitget", symbol: PAIR };
const KINDS = {
  grid: {
    definition: "grid",
    input: {
      lowerPrice: 58_000,
      upperPrice: 60_000,
      gridLevels: 3,
      orderSize: 500,
      useOwnBase: false,
    },
  },
  quote: {
    definition: "quote",
    input: { spreadPercent: 2, size: 490, quoteBudget: 3000, useOwn: false, fixedPrice: 60_000 },
  },
  strategy: {
    definition: "two-sided",
    input: { spreadPercent: 2, size: 490, quoteBudget: 3000 },
  },
} as const;
type KindName = keyof typeof KINDS;

/** A strategy on an emulated exchange whose price is 60,000, with bids of at most 500 USDT below it. */
async function running(name: KindName) {
  const box = await emulatedExchanges({ names: ["bitget"], timing: { readLag: 0 } });
  onTestFinished(box.close);
  const deps = { ...box.deps, interval: 5000, kinds: kindsOf(kindsWith([twoSided])) };
  const venue = box.exchange("bitget");
  const operations = createOperations(EXCHANGES, [twoSided]);
  const ask = async <T>(operation: string, input: object): Promise<T> => {
    const found = operations.find((one) => one.name === operation);
    if (!found) throw new Error(`there is no operation ${operation}`);
    return (await found.run(deps, found.input.parse(input), { actor: "local" })) as T;
  };
  const pass = async (times = 3) => {
    for (let at = 0; at < times; at++) {
      box.time.pass(MINUTE);
      await runRound(deps);
    }
  };
  const { definition, input } = KINDS[name];
  await ask(...starts(definition, { ...MARKET, ...input }));
  await pass();
  const asks = () => venue.open().filter(({ side }) => side === "sell");
  const bids = () => venue.open().filter(({ side }) => side === "buy");
  const base = () => {
    return decimal(venue.holdings().BTC?.total ?? "0");
  };
  return { ask, venue, pass, asks, bids, base };
}

const notionalOf = ({ price, amount }: { readonly price: Decimal; readonly amount: Decimal }) =>
  mul(price, amount, "up");

describe.each(Object.keys(KINDS) as KindName[])("a %s that has bought", (name) => {
  it("sells what it bought at an order limit, in orders within it", async () => {
    const { ask, venue, pass, asks, bids, base } = await running(name);
    const before = base();
    const most = decimal("300");
    expect(bids().length).toBeGreaterThan(0);
    venue.move(PAIR, "58500");
    await ask("set_limits", { orderNotional: "USDT=300" });
    await pass();
    expect(base()).toBeGreaterThan(before);
    expect(asks().length).toBeGreaterThan(0);
    for (let at = 0; at < 6; at++) {
      for (const one of asks()) expect(notionalOf(one)).toBeLessThanOrEqual(most);
      venue.move(PAIR, String(62_000 + 1000 * at));
      await pass();
      venue.move(PAIR, "60600");
      await pass();
    }
    // All of it is sold, down to less than the exchange's minimum.
    expect(base() - before).toBeLessThan(decimal("0.00002"));
  });

  it("sells what it bought when the limit of the day is used up", async () => {
    const { ask, venue, pass, asks } = await running(name);
    venue.move(PAIR, "58500");
    await ask("set_limits", { dayNotional: "USDT=1" });
    await pass();
    expect(asks().length).toBeGreaterThan(0);
  });
});
