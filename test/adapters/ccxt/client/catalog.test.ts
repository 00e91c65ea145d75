import { describe, expect, it } from "vitest";
import { createCatalog, trimmed } from "../../../../src/adapters/ccxt/client/catalog.ts";
import type { Dict } from "../../../../src/adapters/ccxt/client/ccxt.ts";
import type { PublicBudget } from "../../../../src/adapters/ccxt/client/shared-reads.ts";
import { VenueError } from "../../../../src/kernel/errors.ts";
import { DAY, MINUTE, SECOND } from "../../../../src/kernel/time.ts";
import { memoryAdapterStore } from "../../../venues/adapter-store.ts";

const market = (base: string, over: Dict = {}): Dict => ({
  id: `${base}USDT`,
  symbol: `${base}/USDT`,
  base,
  quote: "USDT",
  spot: true,
  maker: "0.001",
  ...over,
});

/** A catalog over a list of BTC and ETH that is loaded from an exchange, and stored. */
function catalogOf({ budget }: { readonly budget?: PublicBudget } = {}) {
  const time = { now: 1_000_000 };
  const keeping = memoryAdapterStore(() => time.now);
  const log: unknown[][] = [];
  const listed: { rows: readonly Dict[]; error: Error | undefined } = {
    rows: [market("BTC"), market("ETH", { altname: "XETH" })],
    error: undefined,
  };
  let loads = 0;
  const create = () =>
    createCatalog({
      quirks: {
        name: "kraken",
        async markets() {
          loads++;
          await Promise.resolve();
          if (listed.error) throw listed.error;
          return listed.rows;
        },
      } as never,
      host: "host",
      keeper: keeping.markets,
      local: { monotonic: () => time.now },
      budget,
      exchange: async () => ({}) as never,
      log: (...entry) => void log.push(entry),
    });
  return { time, keeper: keeping.markets, log, listed, catalog: create(), create, loads: () => loads };
}

describe("a catalog of markets", () => {
  it("loads the list once, for every pair and every caller at a time", async () => {
    const { catalog, loads } = catalogOf();
    const [first, second] = await Promise.all([catalog.known("BTC/USDT"), catalog.fresh("BTC/USDT")]);
    expect([first.id, second.id]).toEqual(["BTCUSDT", "BTCUSDT"]);
    expect([(await catalog.known("ETH/USDT")).id, loads()]).toEqual(["ETHUSDT", 1]);
  });

  it("stores the list, and the rows of pairs that were requested", async () => {
    const { catalog, keeper, create, loads, time } = catalogOf();
    await catalog.known("BTC/USDT");
    expect((await keeper.listing("host"))?.value).toEqual({ "BTC/USDT": "BTCUSDT", "ETH/USDT": "XETH" });
    expect([
      (await keeper.market("host", "BTC/USDT"))?.value.id,
      await keeper.market("host", "ETH/USDT"),
    ]).toEqual(["BTCUSDT", undefined]);
    await catalog.known("ETH/USDT");
    expect((await keeper.market("host", "ETH/USDT"))?.value.id).toBe("ETHUSDT");
    // Another process has them by then.
    time.now += 2 * DAY;
    const other = create();
    expect([(await other.known("ETH/USDT")).id, await other.names(), loads()]).toEqual([
      "ETHUSDT",
      new Map([
        ["BTCUSDT", "BTC/USDT"],
        ["XETH", "ETH/USDT"],
      ]),
      1,
    ]);
  });

  it("stores no row of a list that is older than ten minutes", async () => {
    const { catalog, keeper, time } = catalogOf();
    await catalog.known("BTC/USDT");
    time.now += 10 * MINUTE;
    expect((await catalog.known("ETH/USDT")).id).toBe("ETHUSDT");
    expect(await keeper.market("host", "ETH/USDT")).toBeUndefined();
  });

  it("loads a market again once it is a day old, or uses the old one", async () => {
    const { catalog, time, listed, loads, log } = catalogOf();
    await catalog.fresh("BTC/USDT");
    time.now += DAY - 1;
    await catalog.fresh("BTC/USDT");
    expect(loads()).toBe(1);
    time.now += 1;
    listed.rows = [market("BTC", { maker: "0.002" })];
    expect([(await catalog.fresh("BTC/USDT")).maker, loads()]).toEqual(["0.002", 2]);
    expect((await catalog.known("BTC/USDT")).maker).toBe("0.002");
    time.now += DAY;
    listed.error = new VenueError("unavailable", "down");
    expect([(await catalog.fresh("BTC/USDT")).maker, log]).toEqual([
      "0.002",
      [["warn", "the markets of kraken could not be loaded again", { symbol: "BTC/USDT" }]],
    ]);
    expect((await catalog.known("BTC/USDT")).maker).toBe("0.002");
  });

  it("loads the list once in ten minutes while it lacks a market that is a day old", async () => {
    const { catalog, time, listed, loads } = catalogOf();
    await catalog.fresh("BTC/USDT");
    time.now += DAY;
    listed.rows = [market("ETH")];
    for (let reads = 0; reads < 5; reads++) expect((await catalog.fresh("BTC/USDT")).id).toBe("BTCUSDT");
    expect(loads()).toBe(2);
    listed.rows = [market("BTC", { maker: "0.002" })];
    time.now += 10 * MINUTE;
    expect([(await catalog.fresh("BTC/USDT")).maker, loads()]).toEqual(["0.002", 3]);
  });

  it("takes a market that another process has loaded since", async () => {
    const { catalog, keeper, time, loads } = catalogOf();
    await catalog.fresh("BTC/USDT");
    time.now += DAY;
    await keeper.keepMarkets("host", { listing: undefined, markets: [market("BTC", { maker: "0.003" })] });
    expect([(await catalog.fresh("BTC/USDT")).maker, loads()]).toEqual(["0.003", 1]);
  });

  it("loads an outdated market again, whatever its age", async () => {
    const { catalog, listed, loads } = catalogOf();
    await catalog.known("BTC/USDT");
    await catalog.spoil("BTC/USDT");
    listed.rows = [market("BTC", { maker: "0.004" })];
    expect([(await catalog.known("BTC/USDT")).maker, loads()]).toEqual(["0.004", 2]);
  });

  it("reports an unlisted pair without another request for ten minutes", async () => {
    const { catalog, time, listed, loads, create } = catalogOf();
    const unlisted = { failure: "unlisted", message: "ADA/USDT is not listed on kraken" };
    await expect(catalog.known("ADA/USDT")).rejects.toMatchObject(unlisted);
    listed.rows = [market("ADA")];
    time.now += 10 * MINUTE - 1;
    await expect(catalog.known("ADA/USDT")).rejects.toMatchObject(unlisted);
    // A new process finds the stored list, which is young as well.
    await expect(create().known("ADA/USDT")).rejects.toMatchObject(unlisted);
    expect(loads()).toBe(1);
    time.now += 2;
    expect([(await catalog.known("ADA/USDT")).id, loads()]).toEqual(["ADAUSDT", 2]);
  });

  it("lists spot pairs alone, and fails without any", async () => {
    const { catalog, listed } = catalogOf();
    listed.rows = [market("BTC", { spot: false }), market("ETH", { spot: undefined })];
    await expect(catalog.known("BTC/USDT")).rejects.toMatchObject({
      failure: "unavailable",
      message: "kraken listed no market",
    });
    listed.rows = [
      market("A", { symbol: "A/USDT:USDT" }),
      market("B", { symbol: 5 }),
      market("C", { spot: false }),
      market("BTC"),
    ];
    expect(await catalog.names()).toEqual(new Map([["BTCUSDT", "BTC/USDT"]]));
  });
});

describe("a catalog for callers without a token", () => {
  it("reports a failure for five seconds, and an account's request does not wait", async () => {
    const { catalog, listed, time, loads } = catalogOf();
    listed.error = new VenueError("unavailable", "down");
    const failing = () => expect(catalog.forAnyone.known("BTC/USDT")).rejects.toThrow("down");
    await failing();
    time.now += 5 * SECOND - 1;
    await failing();
    expect(loads()).toBe(1);
    time.now += 1;
    await failing();
    expect(loads()).toBe(2);
    listed.error = undefined;
    expect((await catalog.known("BTC/USDT")).id).toBe("BTCUSDT");
    expect((await catalog.forAnyone.fresh("BTC/USDT")).id).toBe("BTCUSDT");
  });

  it("takes a call of the rate limit for the list, unless it is being loaded", async () => {
    const refusal = new VenueError("too_many", "none is left");
    const { catalog, loads } = catalogOf({ budget: { refusal: () => refusal } });
    await expect(catalog.forAnyone.known("BTC/USDT")).rejects.toBe(refusal);
    expect(loads()).toBe(0);
    const [own, anyone] = await Promise.all([catalog.known("BTC/USDT"), catalog.forAnyone.known("BTC/USDT")]);
    expect([own.id, anyone.id, loads()]).toEqual(["BTCUSDT", "BTCUSDT", 1]);
  });
});

it("a stored market has the needed fields alone", () => {
  const full = market("BTC", {
    baseId: "XXBT",
    quoteId: "USDT",
    active: false,
    taker: null,
    altname: "XBT",
    swap: true,
    precision: { amount: "0.1", price: "0.2", cost: "1" },
    limits: { amount: { min: "1", max: "2" }, cost: { min: "3" }, price: {} },
    info: { wsname: "XBT/USDT", other: 1 },
  });
  expect(trimmed(full)).toEqual({
    id: "BTCUSDT",
    symbol: "BTC/USDT",
    base: "BTC",
    quote: "USDT",
    baseId: "XXBT",
    quoteId: "USDT",
    active: false,
    maker: "0.001",
    altname: "XBT",
    type: "spot",
    spot: true,
    contract: false,
    precision: { amount: "0.1", price: "0.2" },
    limits: { amount: { min: "1" }, cost: { min: "3" } },
    info: { wsname: "XBT/USDT" },
  });
  expect(trimmed(market("BTC"))).toMatchObject({ info: {}, limits: { amount: { min: undefined } } });
});
