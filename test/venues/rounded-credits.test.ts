import { expect, it, onTestFinished } from "vitest";
import { kindsOf } from "../../src/engine/accounts.ts";
import { runRound } from "../../src/engine/pass/round.ts";
import { decimal, text } from "../../src/kernel/decimal.ts";
import { SECOND } from "../../src/kernel/time.ts";
import { kindsWith } from "../../src/kinds.ts";
import type { VenueName } from "../../src/model/market.ts";
import { createOperations } from "../../src/operations.ts";
import { buyer } from "../own/deeds.ts";
import { emulatedExchanges } from "../support/emulated.ts";
import { starts } from "../support/starts.ts";

const PAIR = "LTC/USDT";
const NAMES = ["kraken", "gateio", "bitget", "mexc"] as const;

interface Reported {
  readonly lastError: string | null;
  readonly refused: readonly object[];
  readonly position: number;
  readonly fees: number;
  readonly status: string;
}

/** An exchange with five decimals of an amount, which credits four of base and two of quote. */
async function roundingExchange(name: VenueName, startsWith = "1000") {
  const setup = await emulatedExchanges({ names: [name], venue: { balances: { USDT: startsWith } } });
  onTestFinished(setup.close);
  const exchange = setup.exchange(name);
  exchange.list(PAIR, { lot: decimal("0.00001"), tick: decimal("0.01"), minAmount: decimal("0.0001") });
  exchange.credit("LTC", 4);
  exchange.credit("USDT", 2);
  const deps = { ...setup.deps, kinds: kindsOf(kindsWith([buyer])) };
  const operations = createOperations(NAMES, [buyer]);
  const ask = async <T>(operation: string, input: object): Promise<T> => {
    const one = operations.find((one) => one.name === operation);
    if (!one) throw new Error(`there is no operation ${operation}`);
    return (await one.run(deps, one.input.parse(input), { actor: "test" })) as T;
  };
  const pass = async () => {
    setup.time.pass(5 * SECOND);
    await runRound(deps);
  };
  const until = async (isSo: () => boolean) => {
    for (let passes = 0; passes < 30 && !isSo(); passes++) await pass();
  };
  const sides = () => exchange.open(PAIR).map(({ side }) => side);
  /** Fills all open orders in two parts, each of which is rounded. */
  const fillAll = () => {
    for (const { id, amount } of exchange.open(PAIR)) {
      exchange.fill(id, "0.00005");
      exchange.fill(id, text(amount - decimal("0.00005")));
    }
  };
  const place = { exchange: name, symbol: PAIR };
  return { ...setup, deps, exchange, ask, pass, until, sides, fillAll, place };
}

it.each(NAMES)("a grid on %s sells all that it was credited, for many cycles", async (name) => {
  const { ask, context, exchange, until, sides, fillAll, place } = await roundingExchange(name);
  const range = { lowerPrice: 60, upperPrice: 69, gridLevels: 3, orderSize: 10 };
  const { id } = await ask<{ id: string }>("start_grid", { ...place, ...range });
  for (let cycle = 0; cycle < 8; cycle++) {
    await until(() => sides().filter((side) => side === "buy").length === 3);
    fillAll();
    exchange.move(PAIR, "60");
    await until(() => sides().filter((side) => side === "sell").length === 3);
    expect(sides()).toEqual(Array(3).fill("sell"));
    exchange.move(PAIR, "70");
  }
  await until(() => sides().filter((side) => side === "buy").length === 3);
  const { strategies } = await ask<{ strategies: [Reported] }>("get_grid_status", { id });
  expect(strategies[0]).toMatchObject({ status: "running", lastError: null, refused: [] });
  // What is left is less than the smallest order.
  expect(strategies[0].position * 60).toBeLessThan(3);
  const { rows } = await context.client.execute("SELECT message FROM events WHERE kind = 'rounded'");
  expect(rows[0]?.message).toMatch(
    /^the account has 0\.\d+ LTC less than the fills add up to, .* booked as a fee$/,
  );
});

it("a kraken order is a whole number of units in which its asset is credited", async () => {
  const { deps } = await roundingExchange("kraken");
  expect(text((await deps.venue("kraken").market(PAIR)).lot)).toBe("0.0001");
});

const POSITIONS = [
  ["quotes", "quote", { levels: 1, useOthers: false }],
  ["an own strategy", "buyer", {}],
] as const;

it.each(NAMES.flatMap((name) => POSITIONS.map((position) => [name, ...position] as const)))(
  "on %s, %s sells no more than it was credited",
  async (name, _kind, definition, more) => {
    const { ask, exchange, until, sides, fillAll, place } = await roundingExchange(name);
    const fields = { ...more, quoteBudget: 300, baseBudget: 5, spreadPercent: 2, size: 50 };
    await ask(...starts(definition, { ...place, ...fields }));
    await until(() => sides().includes("buy"));
    fillAll();
    await until(() => sides().includes("sell"));
    const sells = exchange.open(PAIR).filter(({ side }) => side === "sell");
    expect(sells.length).toBeGreaterThan(0);
    expect(sells.reduce((sum, { amount }) => sum + amount, 0n)).toBeLessThanOrEqual(exchange.total("LTC"));
  },
);
