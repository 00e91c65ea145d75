import { describe, expect, it, onTestFinished } from "vitest";
import { libsqlAdapterStore } from "../../src/adapters/libsql/adapter-store.ts";
import { runRound } from "../../src/engine/pass/round.ts";
import { decimal, roundToStep, sum } from "../../src/kernel/decimal.ts";
import { type Millis, SECOND } from "../../src/kernel/time.ts";
import type { Tier } from "../../src/model/market.ts";
import { emulatedExchanges } from "../support/emulated.ts";
import { gridInput } from "../support/requests.ts";
import { askingOf, runOperation } from "../support/sandbox.ts";
import type { Order } from "./order.ts";

const TICK: Millis = 5 * SECOND;
const isSale = ({ side, force }: Order) => side === "sell" && force === "ioc";

/** A grid on kraken that has just placed its orders, and holds about 0.05 BTC. */
async function holdingGrid(tier: Tier) {
  const setup = await emulatedExchanges({ names: ["kraken"], tier });
  onTestFinished(() => setup.close());
  const { time } = setup;
  const deps = { ...setup.deps, interval: TICK };
  const exchange = setup.exchange("kraken");
  const stop = { stopLossPrice: decimal("56000"), stopAtOnce: true };
  const { id } = await runOperation<{ id: string }>(
    deps,
    "start_grid",
    gridInput({ gridLevels: 8, orderSize: decimal("375"), ...stop }),
  );
  const round = async () => {
    time.pass(TICK);
    await runRound(deps);
  };
  const strategy = async () => (await deps.store.strategies({ id }))[0]?.strategy;
  for (let rounds = 0; exchange.open().length < 8 && rounds < 20; rounds++) await round();
  expect(exchange.open()).toHaveLength(8);
  return {
    ...setup,
    deps,
    exchange,
    round,
    sales: () => exchange.orders().filter(isSale),
    /** Makes passes until the grid has stopped, and returns the time that it took. */
    async stopped(): Promise<Millis> {
      const began = time.now();
      while ((await strategy())?.status !== "stopped" && time.now() - began < 780 * SECOND) await round();
      return time.now() - began;
    },
  };
}

describe("an exit on kraken that needs several orders", () => {
  it("sells until nothing is left on the lowest tier, while the book is thin", async () => {
    const { exchange, sales, stopped } = await holdingGrid("starter");
    exchange.thin("BTC/USDT", 1);
    exchange.move("BTC/USDT", "55900");
    expect(await stopped()).toBeLessThanOrEqual(60 * SECOND);
    expect(sales().length).toBeGreaterThan(1);
    const sold = roundToStep(sum(sales().map(({ filled }) => filled)), decimal("0.00000001"), "down");
    expect(sold).toBe(sales()[0]?.amount);
    expect(exchange.limited).toEqual([]);
  });

  it("places all parts of a split sale on the middle tier, also with a used-up rate limit", async () => {
    const { exchange, round, sales, stopped, deps, context } = await holdingGrid("intermediate");
    await askingOf(deps).ask("set_limits", { orderNotional: "USDT=1000" });
    exchange.move("BTC/USDT", "55900");
    await round();
    await libsqlAdapterStore(context).rates.exhaust("live:kraken:api.kraken.com", {
      burst: 19,
      perSecond: 0.5,
    });
    expect(await stopped()).toBeLessThanOrEqual(60 * SECOND);
    expect(sales().map(({ status }) => status)).toEqual(["filled", "filled", "filled"]);
    expect(exchange.limited).toEqual([]);
  });
});
