import { describe, expect, it, onTestFinished } from "vitest";
import type { PrivateRate } from "../../src/adapters/ccxt/client/quirks.ts";
import { bitget } from "../../src/adapters/ccxt/exchanges/bitget.ts";
import { gateio } from "../../src/adapters/ccxt/exchanges/gateio.ts";
import { kraken } from "../../src/adapters/ccxt/exchanges/kraken.ts";
import { mexc } from "../../src/adapters/ccxt/exchanges/mexc.ts";
import { libsqlAdapterStore } from "../../src/adapters/libsql/adapter-store.ts";
import { kindsOf } from "../../src/engine/accounts.ts";
import { runRound } from "../../src/engine/pass/round.ts";
import { decimal, sum, ZERO } from "../../src/kernel/decimal.ts";
import type { Pair } from "../../src/kernel/pair.ts";
import { type Millis, SECOND } from "../../src/kernel/time.ts";
import { kindsWith } from "../../src/kinds.ts";
import { accountKey } from "../../src/model/account.ts";
import type { Tier, VenueName } from "../../src/model/market.ts";
import { createOperations } from "../../src/operations.ts";
import { twoSided } from "../own/deeds.ts";
import { alertsOf } from "../support/alerts.ts";
import { emulatedExchanges } from "../support/emulated.ts";
import { gridInput } from "../support/requests.ts";
import { askingOf, EXCHANGES, runOperation } from "../support/sandbox.ts";
import { starts } from "../support/starts.ts";
import type { Order } from "./order.ts";

const TICK: Millis = 5 * SECOND;

interface Listed {
  readonly strategies: readonly { readonly notices: readonly { readonly code: string }[] }[];
}

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
    /** Makes passes until one finds the stop price reached. */
    async reached() {
      for (let rounds = 0; !(await strategy())?.state.exit && rounds < 20; rounds++) await round();
    },
    /** Uses up the calls of the account. */
    useUp: () =>
      libsqlAdapterStore(setup.context).rates.exhaust(
        accountKey(deps.venue("kraken").account),
        tierRate("kraken", tier),
      ),
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
  it("shows how long it waits for the rate limit, and sends one alert", async () => {
    const { deps, exchange, reached, round, stopped, useUp, context, time } = await holdingGrid("starter");
    const alerts = await alertsOf({ context, local: time.local });
    const { ask } = askingOf(deps);
    await ask("set_limits", { orderNotional: "USDT=1000" });
    exchange.move("BTC/USDT", "55900");
    await reached();
    await useUp();
    await round();
    const { strategies } = await ask<Listed>("get_grid_status", {});
    const message = expect.stringMatching(/^its exit waits 1\d s for the rate limit of kraken$/);
    expect(strategies[0]?.notices).toContainEqual({ code: "exit", message });
    await stopped();
    const waits = (await alerts()).filter((line) => line.includes("its exit"));
    expect(waits).toEqual([expect.stringContaining("exit: its exit waits 1")]);
  });

  it("sells until nothing is left on the lowest tier, while the book is thin", async () => {
    const { exchange, sales, stopped } = await holdingGrid("starter");
    exchange.thin("BTC/USDT", 1);
    exchange.move("BTC/USDT", "55900");
    expect(await stopped()).toBeLessThanOrEqual(60 * SECOND);
    expect(sales().length).toBeGreaterThan(1);
    // Less than an order can have is left.
    const sold = sum(sales().map(({ filled }) => filled));
    expect((sales()[0]?.amount ?? ZERO) - sold).toBeLessThan(decimal("0.000001"));
    expect(exchange.limited).toEqual([]);
  });

  it("places all parts of a split sale on the middle tier, also with a used-up rate limit", async () => {
    const { exchange, reached, useUp, sales, stopped, deps } = await holdingGrid("intermediate");
    await askingOf(deps).ask("set_limits", { orderNotional: "USDT=1000" });
    exchange.move("BTC/USDT", "55900");
    await reached();
    await useUp();
    expect(await stopped()).toBeLessThanOrEqual(60 * SECOND);
    expect(sales().map(({ status }) => status)).toEqual(["filled", "filled", "filled"]);
    expect(exchange.limited).toEqual([]);
  });
});

describe("a stop price that is reached while calls for a routine pass are lacking", () => {
  it.each([
    ["no pass was postponed before", 0],
    ["the last pass was postponed", 1],
  ])("is found by a public price, and sold with the calls of one exit: %s", async (_, postponed) => {
    const { deps, exchange, round, sales, stopped, time, useUp } = await holdingGrid("starter");
    await useUp();
    for (let rounds = 0; rounds < postponed; rounds++) await round();
    // The calls of an exit are back, those of a routine pass beside an exit are not.
    time.pass(18 * SECOND);
    exchange.move("BTC/USDT", "55900");
    const began = time.now();
    while (sales().length === 0 && time.now() - began < 60 * SECOND) await round();
    expect(time.now() - began).toBeLessThanOrEqual(2 * TICK);
    expect(exchange.limited).toEqual([]);
    expect(await stopped()).toBeLessThanOrEqual(60 * SECOND);
    expect((await deps.store.strategies({}))[0]?.accountError).toBeNull();
  });

  it("leaves the reserved calls alone while the price is above the stop price", async () => {
    const { exchange, round, time, useUp } = await holdingGrid("starter");
    await useUp();
    time.pass(18 * SECOND);
    exchange.resetCounts();
    await round();
    expect(exchange.observed.filter(({ key }) => key !== undefined)).toEqual([]);
    expect(exchange.observed.length).toBeGreaterThan(0);
  });
});

const PAIRS = {
  "BTC/USDT": 60_000,
  "ETH/USDT": 3000,
  "LTC/USDT": 70,
  "ADA/USDT": 0.5,
} as const satisfies Partial<Record<Pair, number>>;
type TestedPair = keyof typeof PAIRS;

const KINDS = ["grid", "quote", "strategy"] as const;

/** The input of a start that holds base of the pair. */
const startOf = (kind: (typeof KINDS)[number], exchange: VenueName, symbol: TestedPair) => {
  const price = PAIRS[symbol];
  const where = { exchange, symbol };
  const budget = { baseBudget: 3000 / price, quoteBudget: 3000, spreadPercent: 2, size: 120 };
  if (kind === "quote") return { ...where, ...budget, useOwn: false, fixedPrice: price };
  if (kind === "strategy") return { ...where, ...budget };
  return { ...where, lowerPrice: 0.95 * price, upperPrice: 1.05 * price, gridLevels: 4, orderSize: 100 };
};
const DEFINITIONS = { grid: "grid", quote: "quote", strategy: "two-sided" } as const;

/** Stops a strategy of each pair, and sells, on an account whose calls are used up. Returns the time to the last sale. */
async function sellAll(
  exchange: VenueName,
  tier: Tier,
  { kind, pairs }: { readonly kind: (typeof KINDS)[number]; readonly pairs: readonly TestedPair[] },
) {
  const setup = await emulatedExchanges({ names: [exchange], tier });
  onTestFinished(() => setup.close());
  const { time, context } = setup;
  const deps = { ...setup.deps, interval: TICK, kinds: kindsOf(kindsWith([twoSided])) };
  const venue = setup.exchange(exchange);
  const operations = createOperations(EXCHANGES, [twoSided]);
  const ask = async (name: string, input: object) => {
    const found = operations.find((one) => one.name === name);
    if (!found) throw new Error(`there is no operation ${name}`);
    return (await found.run(deps, found.input.parse(input), { actor: "local" })) as { readonly id: string };
  };
  const round = async (millis = TICK) => {
    time.pass(millis);
    await runRound(deps);
  };
  const ids: string[] = [];
  for (const symbol of pairs) {
    ids.push((await ask(...starts(DEFINITIONS[kind], startOf(kind, exchange, symbol)))).id);
    for (let rounds = 0; venue.open(symbol).length < 2 && rounds < 20; rounds++) await round(20 * SECOND);
  }
  const rate = tierRate(exchange, tier);
  await libsqlAdapterStore(context).rates.exhaust(accountKey(deps.venue(exchange).account), rate);
  const sold = () =>
    new Set(
      venue
        .orders()
        .filter(isSale)
        .map(({ listing }) => listing.symbol),
    ).size;
  const began = time.now();
  for (const id of ids) await ask("stop_strategy", { id, sellBase: true });
  expect(venue.open()).toEqual([]);
  for (let rounds = 0; sold() < pairs.length && rounds < 40; rounds++) await round();
  const most = ((rate.pass ?? rate.perSecond) / rate.perSecond) * SECOND + TICK;
  return { took: time.now() - began, most, sold: sold(), limited: venue.limited };
}

function tierRate(exchange: VenueName, tier: Tier): PrivateRate {
  const { rate, tiers } = { mexc, gateio, bitget, kraken }[exchange];
  return tiers?.[tier] ?? rate;
}

const CASES = KINDS.flatMap((kind) => [
  ...(["starter", "intermediate", "pro"] as const).map((tier) => ["kraken", tier, kind] as const),
  ...(["mexc", "gateio", "bitget"] as const).map((exchange) => [exchange, "pro", kind] as const),
]);

describe.each(CASES)("stops on %s (%s) of a %s whose account has no calls left", (exchange, tier, kind) => {
  it.each([
    ["one pair", ["BTC/USDT"]],
    ["four pairs", ["BTC/USDT", "ETH/USDT", "LTC/USDT", "ADA/USDT"]],
  ] as const)("sell %s, each as soon as the calls of a pass are back", async (_, pairs) => {
    const { took, most, sold, limited } = await sellAll(exchange, tier, { kind, pairs });
    expect({ sold, limited }).toEqual({ sold: pairs.length, limited: [] });
    expect(took).toBeLessThanOrEqual(pairs.length * most);
  });
});
