import { describe, expect, it } from "vitest";
import { dryVenue } from "../../src/adapters/sandbox/dry-venue.ts";
import { VenueError } from "../../src/kernel/errors.ts";
import { type Pair, splitPair } from "../../src/kernel/pair.ts";
import { SECOND } from "../../src/kernel/time.ts";
import type { NewOrder } from "../../src/model/order.ts";
import type { MarketData } from "../../src/ports/venue.ts";
import { edgemaker } from "../support/command.ts";
import { allFills } from "../support/fills.ts";
import { d, market } from "../support/grid.ts";
import { liveApp, PERMIT } from "../support/live.ts";
import { memoryBooks } from "../support/memory-books.ts";
import { runOperation, testSandbox } from "../support/sandbox.ts";
import { tempFolder } from "../support/temp.ts";

interface Reported {
  readonly id: string;
  readonly status: string;
  readonly phase: string;
}
interface Grids {
  readonly strategies: readonly {
    readonly id: string;
    readonly dryRun: boolean;
    readonly filledOrders: number;
    readonly openOrders: number;
    readonly lastError: string | null;
    readonly unexplained: { readonly assets: object };
  }[];
}

const MARKET = { exchange: "kraken", symbol: "BTC/USDT" };

describe("a dry run over sockets", () => {
  it("requests only public data from the exchange and trades on paper", async () => {
    const { ask, tokens, venues } = await liveApp(["kraken", "mexc"], { live: { keptFor: 0 } });
    const { kraken } = venues;
    kraken.move("BTC/USDT", "60000");
    const call = async <T>(method: string, path: string, body?: object): Promise<T> => {
      const response = await ask(`/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${tokens.admin}`, "content-type": "application/json" },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      const output = (await response.json()) as T;
      expect(response.status, JSON.stringify(output)).toBe(200);
      return output;
    };
    const { id } = await call<Reported>("POST", "/strategy/grid", {
      ...MARKET,
      lowerPrice: 58000,
      upperPrice: 62000,
      gridLevels: 4,
      orderSize: 100,
      dryRun: true,
      dryBalance: "USDT=1000,BTC=0.1",
      confidence: 0.5,
    });
    const status = async () => (await call<Grids>("GET", `/strategy/grid/status?id=${id}`)).strategies[0];
    expect(await status()).toMatchObject({ dryRun: true, openOrders: 4, lastError: null });
    const grids = await call<Grids>("GET", "/strategy/grid/list");
    expect(grids.strategies).toMatchObject([{ id, dryRun: true }]);

    kraken.move("BTC/USDT", "57900");
    await call("POST", "/internal/tick", {});
    expect(await status()).toMatchObject({ filledOrders: 2, unexplained: { assets: {} }, lastError: null });
    await call("POST", `/strategies/${id}/pause`);
    await call("DELETE", "/strategy/grid", { id });

    expect(kraken.orders()).toEqual([]);
    for (const venue of [kraken, venues.mexc]) {
      expect(venue.observed.length).toBeGreaterThan(0);
      expect(venue.observed.filter(({ key }) => key !== undefined && key !== "")).toEqual([]);
    }
  });
});

describe("a paper trading account", () => {
  /** The venue's books, a quote that tests set, and one buy and one sell. */
  async function resting() {
    let quote = { bid: d("99.99"), ask: d("100.01"), at: 1000 };
    const delisted = new Set<string>();
    const prices: { error: VenueError | undefined } = { error: undefined };
    const data = {
      async market(symbol: Pair) {
        if (delisted.has(symbol)) throw new VenueError("unlisted", `${symbol} is not listed`);
        return { ...market(), ...splitPair(symbol), symbol };
      },
      async ticker() {
        if (prices.error) throw prices.error;
        return { ...quote, last: quote.bid, baseVolume: 0n, quoteVolume: 0n };
      },
      book: async () => ({
        bids: [{ price: quote.bid, amount: d("3") }],
        asks: [{ price: quote.ask, amount: d("3") }],
        at: quote.at,
      }),
    } as unknown as MarketData;
    const holdings = { USDT: { total: d("1000"), used: 0n }, BTC: { total: d("1"), used: 0n } };
    const { books } = memoryBooks(() => 0, { settledAt: 0, holdings });
    const venue = dryVenue({ account: { exchange: "kraken", kind: "dry", host: "x" }, data, books });
    const order = (side: "buy" | "sell", price: string, symbol: Pair): NewOrder => ({
      clientId: `c${side}${price}`,
      symbol,
      side,
      type: "limit",
      price: d(price),
      amount: d("1"),
    });
    const move = (bid: string, ask: string) => {
      quote = { bid: d(bid), ask: d(ask), at: quote.at + 5 * SECOND };
    };
    const place = (side: "buy" | "sell", price: string, symbol: Pair = "BTC/USDT") =>
      venue.create(order(side, price, symbol), PERMIT);
    const fills = () => allFills(venue, "BTC/USDT", 0);
    return { venue, move, place, fills, delisted, prices };
  }

  it("fills a buy once the ask passes its price, not when the ask touches it", async () => {
    const { place, move, fills, venue } = await resting();
    await place("buy", "99");
    move("98.98", "99");
    expect(await fills()).toEqual([]);
    move("98.97", "98.99");
    expect(await fills()).toMatchObject([{ price: d("99"), amount: d("1"), notional: d("99") }]);
    expect(await venue.openOrders()).toEqual([]);
    const balances = Object.fromEntries((await venue.balances()).map(({ asset, free }) => [asset, free]));
    expect(balances).toEqual({ USDT: d("900.901"), BTC: d("2") });
  });

  it("shows a book with two sides while others offer at the price of its order", async () => {
    const { place, move, venue } = await resting();
    const level = (price: string, amount: string) => ({ price: d(price), amount: d(amount) });
    await place("buy", "99");
    await place("buy", "98");
    move("98.98", "99");
    expect(await venue.book("BTC/USDT", 5)).toMatchObject({
      bids: [level("98.98", "3"), level("98", "1")],
      asks: [level("99", "3")],
    });
    expect(await venue.openOrders()).toHaveLength(2);
  });

  it("fills a sell once the bid passes its price", async () => {
    const { place, move, fills } = await resting();
    await place("sell", "101");
    move("101", "101.02");
    expect(await fills()).toEqual([]);
    move("101.01", "101.03");
    expect(await fills()).toMatchObject([{ side: "sell", price: d("101") }]);
  });

  it("fills an order that crosses the market on arrival at the observed ask or bid", async () => {
    const { place, fills } = await resting();
    await place("buy", "105");
    await place("sell", "95");
    expect((await fills()).map(({ side, price }) => [side, price])).toEqual([
      ["buy", d("100.01")],
      ["sell", d("99.99")],
    ]);
  });

  it("continues without a pair that is no longer listed, and cancels the order on it", async () => {
    const { place, move, fills, venue, delisted } = await resting();
    await place("buy", "99");
    const gone = await place("buy", "98", "ETH/USDT");
    if (gone.result !== "accepted") throw new Error(gone.result);
    delisted.add("ETH/USDT");
    move("98.97", "98.99");
    expect(await fills()).toMatchObject([{ price: d("99") }]);
    expect(await venue.openOrders()).toMatchObject([{ symbol: "ETH/USDT" }]);
    expect(await venue.cancel({ symbol: "ETH/USDT", id: gone.id }, PERMIT)).toEqual({ result: "accepted" });
    const balances = await venue.balances();
    expect(balances.find(({ asset }) => asset === "USDT")).toMatchObject({ free: d("900.901"), used: 0n });
  });

  it("sends nothing while the exchange limits the rate of its prices", async () => {
    const { place, prices, venue } = await resting();
    prices.error = new VenueError("rate_limited", "kraken: too many requests");
    expect(await place("buy", "99")).toEqual({ result: "not_sent" });
    prices.error = undefined;
    const placed = await place("buy", "99");
    if (placed.result !== "accepted") throw new Error(placed.result);
    prices.error = new VenueError("rate_limited", "kraken: too many requests");
    const order = { symbol: "BTC/USDT", id: placed.id } as const;
    expect(await venue.cancel(order, PERMIT)).toEqual({ result: "not_sent" });
    expect(await place("sell", "101")).toEqual({ result: "not_sent" });
    prices.error = undefined;
    expect(await venue.openOrders()).toMatchObject([{ id: placed.id }]);
  });

  it("rejects an order that it cannot pay for", async () => {
    const { place } = await resting();
    expect(await place("buy", "99")).toMatchObject({ result: "accepted" });
    expect(await place("sell", "101")).toMatchObject({ result: "accepted" });
    expect(await place("sell", "102")).toMatchObject({ result: "rejected" });
  });
});

describe("a dry run in the sandbox", () => {
  const GRID = { lowerPrice: d("59000"), upperPrice: d("61000"), gridLevels: 4, orderSize: d("100") };

  it("leaves the exchange's account unchanged and has separate balances", async () => {
    const { deps, venue, time } = await testSandbox();
    const before = await venue("kraken").balances();
    const { id } = await runOperation<Reported>(deps, "start_grid", { ...MARKET, ...GRID, dryRun: true });
    for (let minutes = 0; minutes < 60; minutes += 5) {
      time.pass(300_000);
      await runOperation(deps, "tick", {});
    }
    expect(await venue("kraken").balances()).toEqual(before);
    expect(await venue("kraken").openOrders()).toEqual([]);
    const [grid] = (await runOperation<Grids>(deps, "get_grid_status", { id })).strategies;
    expect(grid).toMatchObject({ dryRun: true, lastError: null, unexplained: { assets: {} } });
    const paper = await deps.dry?.venue("kraken").balances();
    const total = paper?.find(({ asset }) => asset === "USDT");
    expect((total?.free ?? 0n) + (total?.used ?? 0n)).toBeLessThanOrEqual(d("10000"));
  });

  it("keeps its balances while one of its grids is active, and accepts new ones after that", async () => {
    const { deps } = await testSandbox();
    const start = (over: object) =>
      runOperation<Reported>(deps, "start_grid", { ...MARKET, ...GRID, ...over });
    const funds = { dryRun: true, dryBalance: { USDT: d("1000") } };
    await expect(start({ dryBalance: { USDT: d("1000") } })).rejects.toMatchObject({
      label: "Invalid request",
    });
    const { id } = await start(funds);
    await expect(start(funds)).rejects.toMatchObject({ label: "Conflict" });
    await runOperation(deps, "stop_strategy", { id, cancelOrders: true, sellBase: false });
    await start({ dryRun: true, dryBalance: { USDT: d("500") } });
    const [balance] = (await deps.dry?.venue("kraken").balances()) ?? [];
    expect((balance?.free ?? 0n) + (balance?.used ?? 0n)).toBe(d("500"));
  });
});

describe("the dry-run flag", () => {
  const START =
    "grid start --exchange kraken --symbol BTC/USDT --lower 57000 --upper 63000 --levels 4 --size 100";

  it.each([
    ["before the sub-command", ["--dry-run", ...START.split(" ")]],
    ["misspelled", [...START.split(" "), "--dryrun"]],
  ])("is an error %s, and nothing starts", async (_name, args) => {
    const folder = tempFolder();
    const { code, stdout } = await edgemaker(folder, [...args, "--sandbox"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    const list = await edgemaker(folder, ["grid", "list", "--sandbox", "--json"]);
    expect(JSON.parse(list.stdout)).toMatchObject({ count: 0 });
  });

  it("starts a paper trading run with separate balances", async () => {
    const folder = tempFolder();
    const args = [...START.split(" "), "--dry-run", "--dry-balance", "USDT=1000,BTC=0.1", "--sandbox"];
    const started = await edgemaker(folder, args);
    expect(started.code, started.stderr).toBe(0);
    const list = await edgemaker(folder, ["grid", "list", "--sandbox", "--json"]);
    expect(JSON.parse(list.stdout)).toMatchObject({ count: 1, strategies: [{ dryRun: true }] });
  });
});
