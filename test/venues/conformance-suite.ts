import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { decimal, ONE, sum, text, wire, ZERO } from "../../src/kernel/decimal.ts";
import { DAY, MINUTE, type Millis, SECOND } from "../../src/kernel/time.ts";
import type { VenueName } from "../../src/model/market.ts";
import type { NewOrder } from "../../src/model/order.ts";
import type { Permit, Venue, VenueOrder } from "../../src/ports/venue.ts";
import { allFills } from "../support/fills.ts";
import { heardVenue } from "../support/heard.ts";
import type { Connection } from "./adapter.ts";
import { type Listing, listingsOf } from "./catalog.ts";
import { type EmulatedVenue, startVenue } from "./index.ts";
import { REFUSAL_CODES } from "./refusal-codes.ts";

const PAIR = "BTC/USDT";
const START = Date.UTC(2026, 0, 2, 3, 4, 5);
const ID = "em1a2b3c4d5e6f7g8h";

/** What differs on purpose; everything else has to be alike. */
interface Expected {
  readonly feeOfBuy: "BTC" | "USDT";
  /** What a second order with the id of an open one, and with that of a filled one, comes to. */
  readonly again: { readonly open: "accepted" | "unknown"; readonly filled: "accepted" | "unknown" };
  /** A page of the open list and of trades, and one more. */
  readonly more: { readonly open: number; readonly trades: number };
  /** How long ago executions may be that it tells. */
  readonly reach: Millis;
  /** The unit of its trades' times. */
  readonly instant: Millis;
  /** A request that came too late. */
  readonly outOfTime: "rejected" | "unknown";
  /** How an order by market is sent. */
  readonly marketBuy: "market" | "limit";
}

const DEFAULT_CASES = {
  outOfTime: "rejected",
  feeOfBuy: "BTC",
  instant: 1,
  reach: Number.POSITIVE_INFINITY,
  again: { open: "accepted", filled: "accepted" },
  marketBuy: "limit",
} as const;

const EXCHANGES: Record<VenueName, Expected> = {
  mexc: {
    ...DEFAULT_CASES,
    feeOfBuy: "USDT",
    more: { open: 120, trades: 101 },
    instant: SECOND,
    reach: 7 * DAY,
    marketBuy: "market",
  },
  gateio: { ...DEFAULT_CASES, more: { open: 101, trades: 1001 } },
  bitget: {
    ...DEFAULT_CASES,
    reach: 90 * DAY,
    more: { open: 101, trades: 101 },
    again: { open: "unknown", filled: "accepted" },
  },
  kraken: {
    outOfTime: "unknown",
    feeOfBuy: "USDT",
    instant: 1,
    reach: Number.POSITIVE_INFINITY,
    again: { open: "unknown", filled: "accepted" },
    more: { open: 120, trades: 51 },
    marketBuy: "market",
  },
};

interface Case {
  readonly name: VenueName;
  readonly unified: boolean;
}

/** Two of them have accounts of two kinds, which are asked by other calls. */
const CASES: readonly (readonly [string, Case])[] = [
  ...(Object.keys(EXCHANGES) as VenueName[]).map((name) => [name, { name, unified: false }] as const),
  ["bitget, a unified account", { name: "bitget", unified: true }],
  ["gateio, a unified account", { name: "gateio", unified: true }],
];

export interface Runner {
  venue(connection: Connection, clock: () => Millis): Venue;
  close(): Promise<void>;
}

const permit = (now: Millis): Permit => ({ mayLeave: () => true, sendBy: now + 10_000 });

const order = (over: Partial<NewOrder> = {}): NewOrder => ({
  clientId: ID,
  symbol: PAIR,
  side: "buy",
  type: "limit",
  price: decimal("59000"),
  amount: decimal("0.001"),
  ...over,
});

/** One table for all exchanges; what the adapter says is held against what the emulated exchange really has. */
export function conformance(title: string, start: () => Promise<Runner>) {
  describe.each(CASES)(`${title}: %s`, (_title, { name, unified }) => {
    const expected = EXCHANGES[name];
    let runner: Runner | undefined;
    let exchange: EmulatedVenue;
    let venue: Venue;
    let now = START;
    const pass = (millis: Millis) => {
      now += millis;
    };
    const place = async (over: Partial<NewOrder> = {}) => {
      const outcome = await venue.create(order(over), permit(now));
      expect(outcome).toMatchObject({ result: "accepted" });
      return outcome.result === "accepted" ? outcome.id : "";
    };

    beforeEach(async () => {
      runner ??= await start();
      now = START;
      exchange = await startVenue(name, { clock: () => now, unified });
      venue = heardVenue(runner.venue({ name, url: exchange.url, keys: exchange.keys }, () => now));
    });
    afterEach(() => exchange.close());
    afterAll(() => runner?.close());

    it("places an order with our client id, and finds it by that id while it is open", async () => {
      const id = await place();
      expect(exchange.byClient(ID).map((one) => one.id)).toEqual([id]);
      const found = await venue.order({ symbol: PAIR, clientId: ID });
      expect(found).toMatchObject({
        id,
        clientId: ID,
        status: "open",
        side: "buy",
        type: "limit",
        filled: ZERO,
      });
      expect([found?.price, found?.amount]).toEqual([decimal("59000"), decimal("0.001")]);
    });

    it("reads the account's fees, and assumes the published ones while the exchange does not show them", async () => {
      exchange.fail({ kind: "server_error", route: "fee" });
      const listed = await venue.market(PAIR);
      expect(listed.assumedFees?.names).toEqual(["maker", "taker"]);
      pass(10 * MINUTE);
      const { maker, taker } = listingsOf(name).get(PAIR) as Listing;
      expect(await venue.market(PAIR)).toMatchObject({ maker, taker });
      expect([listed.maker, listed.taker]).toEqual([maker, taker]);
    });

    it("sends no order after its send deadline", async () => {
      const late = { ...permit(now), sendBy: now - 2_000 };
      expect(await venue.create(order(), late)).toMatchObject({ result: "not_sent" });
      expect(exchange.byClient(ID)).toEqual([]);
      expect(await venue.create(order(), { ...late, sendBy: now })).toMatchObject({ result: "accepted" });
    });

    it("finds it by our client id when it is partly filled and when it is filled", async () => {
      const id = await place();
      exchange.fill(id, "0.0004");
      const part = await venue.order({ symbol: PAIR, clientId: ID });
      expect(part).toMatchObject({ status: "partially_filled", filled: decimal("0.0004") });
      expect(part?.notional).toBe(decimal("23.6"));
      exchange.fill(id);
      pass(3 * 3_600_000);
      const whole = await venue.order({ symbol: PAIR, clientId: ID });
      expect(whole).toMatchObject({ id, clientId: ID, status: "filled", filled: decimal("0.001") });
      expect(whole?.notional).toBe(decimal("59"));
    });

    it("finds it by our id and by the exchange's id when it is canceled", async () => {
      const id = await place();
      exchange.fill(id, "0.0004");
      expect(await venue.cancel({ symbol: PAIR, id }, permit(now))).toEqual({ result: "accepted" });
      pass(3 * 3_600_000);
      for (const key of [{ clientId: ID }, { id }, { id, clientId: ID }]) {
        const found = await venue.order({ symbol: PAIR, ...key });
        expect(found).toMatchObject({ id, status: "canceled", filled: decimal("0.0004") });
      }
    });

    it("reports that an order that never existed does not exist", async () => {
      await place();
      expect(await venue.order({ symbol: PAIR, clientId: "em1neverexisted000" })).toBeUndefined();
      expect(await venue.order({ symbol: PAIR, id: "O00000-00000-0ZZZZA" })).toBeUndefined();
    });

    it("cancels by id, and looks the order up on a second cancel", async () => {
      const id = await place();
      const other = await place({ clientId: "em1other0000000000", price: decimal("58000") });
      expect(await venue.cancel({ symbol: PAIR, id }, permit(now))).toEqual({ result: "accepted" });
      expect(await venue.cancel({ symbol: PAIR, id }, permit(now))).toEqual({ result: "look" });
      exchange.fill(other);
      expect(await venue.cancel({ symbol: PAIR, id: other }, permit(now))).toEqual({ result: "look" });
      expect(exchange.open()).toEqual([]);
    });

    it("lists open orders beyond one page, without duplicates, and only of the requested pair", async () => {
      const prices = Array.from({ length: expected.more.open }, (_, place) => String(59000 - place));
      const amount = "0.0001";
      for (const price of prices) {
        exchange.own({ symbol: PAIR, side: "buy", price, amount, clientId: clientIdOn(name, price) });
        pass(1);
      }
      exchange.own({ symbol: "ETH/USDT", side: "buy", price: "2900", amount: "0.01" });
      const open = await venue.openOrders(PAIR);
      expect(open.map(({ price }) => text(price)).sort()).toEqual([...prices].sort());
      expect(open.every(({ symbol, clientId }) => symbol === PAIR && clientId?.startsWith("em1"))).toBe(true);
      expect(await venue.openOrders("LTC/USDT")).toEqual([]);
      if (name !== "mexc") expect(await venue.openOrders()).toHaveLength(prices.length + 1);
    });

    it("lists orders closed since a time, beyond one page and without duplicates", async () => {
      const old = await place({ clientId: "em1old000000000000" });
      exchange.fill(old);
      pass(3 * 3_600_000);
      const since = now;
      const ids: string[] = [];
      for (let place = 0; place < expected.more.open; place++) {
        const clientId = clientIdOn(name, String(10_000 + place));
        ids.push(exchange.own({ symbol: PAIR, side: "buy", price: "59000", amount: "0.0001", clientId }).id);
        exchange.fill(ids.at(-1) ?? "");
        pass(1000);
      }
      const open = await place();
      const part = await place({ clientId: "em1part00000000000" });
      exchange.fill(part, "0.0004");
      await venue.cancel({ symbol: PAIR, id: part }, permit(now));
      exchange.fill(exchange.own({ symbol: "ETH/USDT", side: "buy", price: "2900", amount: "0.01" }).id);
      pass(1000);
      const listed: VenueOrder[] = [];
      let page: string | undefined;
      do {
        const answer = await venue.endedOrders?.(PAIR, since, page);
        listed.push(...(answer?.orders ?? []));
        page = answer?.next;
      } while (page !== undefined);
      const ended = listed.map(({ id }) => id);
      expect(new Set(ended)).toEqual(new Set([...ids, part]));
      expect(ended).toHaveLength(ids.length + 1);
      expect(ended).not.toContain(open);
      expect(listed.find(({ id }) => id === part)).toMatchObject({ filled: decimal("0.0004") });
      expect(listed.every(({ clientId }) => clientId?.startsWith("em1"))).toBe(true);
    });

    it("reads each trade once, even if a page ends in the middle of one timestamp", async () => {
      const id = await place({ price: decimal("59000"), amount: decimal("0.2") });
      const part = "0.0001";
      const more = expected.more.trades;
      // Two instants of trades, so that the border of a page lies inside one of them.
      for (let trade = 0; trade < more; trade++) {
        if (trade === Math.floor(more / 2)) pass(expected.instant);
        exchange.fill(id, part);
      }
      exchange.own({ symbol: "ETH/USDT", side: "buy", price: "3100", amount: "0.01" });
      pass(60_000);
      const fills = await allFills(venue, PAIR, START);
      expect(fills).toHaveLength(more);
      expect(new Set(fills.map((fill) => fill.id)).size).toBe(more);
      expect(new Set(fills.map(({ orderId }) => orderId))).toEqual(new Set([id]));
      expect(sum(fills.map(({ amount }) => amount))).toBe(BigInt(more) * decimal(part));
      const truth = exchange.executions().filter((one) => one.order.id === id);
      expect(fills.map((fill) => fill.id).sort()).toEqual(truth.map((one) => one.id).sort());
      expect((await allFills(venue, PAIR, START)).map((fill) => fill.id).sort()).toEqual(
        fills.map((fill) => fill.id).sort(),
      );
      expect(await allFills(venue, PAIR, now)).toEqual([]);
    });

    it("returns executions as far back as the exchange has them, and requests none beyond without error", async () => {
      const ids: string[] = [];
      for (const days of [0, 4, 26, 59]) {
        pass(days * DAY);
        const id = await place({ clientId: `em1days${days}00000000000`.slice(0, 18) });
        exchange.fill(id);
        ids.push(id);
      }
      pass(6 * DAY);
      const shown = ids.filter((_id, place) => ([95, 91, 65, 6][place] as number) * DAY < expected.reach);
      const venueFills = await allFills(venue, PAIR, START - 100 * DAY);
      expect(venueFills.map(({ orderId }) => orderId)).toEqual(shown);
      const { fills } = await venue.fillsOf(PAIR, ids, START);
      expect(fills.map(({ orderId }) => orderId)).toEqual(shown);
    });

    it("reports a row that it cannot read, and reads the others", async () => {
      const [good, bad] = [await place(), await place({ clientId: "em1bad000000000000" })];
      for (const id of [bad, good]) exchange.fill(id);
      exchange.tellFees(bad, false);
      pass(1000);
      const { fills, unreadable } = await venue.fills(PAIR, { from: START });
      expect(fills.map(({ orderId }) => orderId)).toEqual([good]);
      expect(unreadable).toMatchObject([{ orderId: bad, reason: expect.stringContaining("fee") }]);
      expect((await venue.fillsOf(PAIR, [bad], START)).unreadable).toMatchObject([{ orderId: bad }]);
      expect((await venue.order({ symbol: PAIR, id: bad }))?.fees).toBeUndefined();
    });

    it("returns each fee in the asset in which it was charged, to the last unit", async () => {
      const buy = await place({ price: decimal("61000") });
      const sell = await place({ clientId: "em1sell00000000000", side: "sell", price: decimal("59000") });
      pass(1);
      const fills = await allFills(venue, PAIR, START);
      for (const [id, asset] of [
        [buy, expected.feeOfBuy],
        [sell, "USDT"],
      ]) {
        const results = fills.filter(({ orderId }) => orderId === id).flatMap(({ fees }) => fees);
        const executions = exchange.executions().filter((one) => one.order.id === id);
        expect(new Set(results.map((fee) => fee.asset))).toEqual(new Set([asset]));
        expect(sum(results.map(({ amount }) => amount))).toBe(sum(executions.map(({ fee }) => fee.amount)));
      }
      const balances = new Map((await venue.balances()).map(({ asset, ...balance }) => [asset, balance]));
      for (const [asset, { total, used }] of Object.entries(exchange.holdings())) {
        const balance = balances.get(asset);
        expect([asset, (balance?.free ?? ZERO) + (balance?.used ?? ZERO), balance?.used ?? ZERO]).toEqual([
          asset,
          decimal(total),
          decimal(used),
        ]);
      }
    });

    it("reads a fee charged in a third asset", async () => {
      // Kraken has no such deduction.
      if (name === "kraken") return;
      const asset = { mexc: "MX", gateio: "GT", bitget: "BGB" }[name];
      exchange.deduct({ asset, price: "5" });
      exchange.deposit(asset, "10");
      const id = await place({ price: decimal("61000") });
      pass(1);
      const fees = (await allFills(venue, PAIR, START)).flatMap((fill) => fill.fees);
      const executions = exchange.executions().filter((one) => one.order.id === id);
      expect(fees.every((fee) => fee.asset === asset)).toBe(true);
      expect(sum(fees.map(({ amount }) => amount))).toBe(sum(executions.map(({ fee }) => fee.amount)));
    });

    it("counts rewards holdings as their spendable asset, and ignores locked ones", async () => {
      // Only kraken tells such holdings under another name.
      if (name !== "kraken") return;
      const before = await balanceOf(venue, "LTC");
      exchange.earn("LTC");
      exchange.earn("BTC");
      for (const locked of ["LTC.S", "LTC.M", "LTC.B"]) exchange.deposit(locked, "7");
      expect(await balanceOf(venue, "LTC")).toEqual(before);
      await place({ clientId: "em1sell00000000000", side: "sell", price: decimal("61000") });
      const balances = await venue.balances();
      expect(balances.map(({ asset }) => asset).filter((asset) => asset.startsWith("LTC"))).toEqual(
        expect.arrayContaining(["LTC", "LTC.S", "LTC.M", "LTC.B"]),
      );
      expect(balances.some(({ asset }) => asset.endsWith(".F"))).toBe(false);
      expect(await balanceOf(venue, "BTC")).toEqual({ free: decimal("1.999"), used: decimal("0.001") });
    });

    it("reads the market's steps and minimums, and the exchange rejects orders below them", async () => {
      const market = await venue.market(PAIR);
      const listing = exchange.engine.listings.get(PAIR);
      for (const rule of ["tick", "lot", "minAmount", "minNotional", "maker", "taker", "active"] as const)
        expect([rule, market[rule]]).toEqual([rule, listing?.[rule]]);
      const outcome = await venue.create(
        order({ price: decimal("20000"), amount: listing?.lot ?? 0n }),
        permit(now),
      );
      expect(outcome).toMatchObject({ result: "rejected" });
      expect(exchange.orders()).toEqual([]);
    });

    it("reports a definite rejection if funds are insufficient", async () => {
      const outcome = await venue.create(order({ amount: decimal("20") }), permit(now));
      expect(outcome).toMatchObject({ result: "rejected" });
      expect(exchange.orders()).toEqual([]);
    });

    it("passes on the exchange's words, and is definite only if no order was placed", async () => {
      await venue.market(PAIR);
      for (const { code, text: words, result } of REFUSAL_CODES[name]) {
        exchange.fail({ kind: "says", route: "create", code, text: words });
        const outcome = await venue.create(order(), permit(now));
        expect([code, outcome]).toMatchObject([code, { result, reason: expect.stringContaining(code) }]);
        expect("reason" in outcome && outcome.reason).toContain(words);
        pass(2000);
      }
      expect(exchange.orders()).toEqual([]);
    });

    it("places nothing while its clock differs from the exchange's", async () => {
      await venue.market(PAIR);
      exchange.skew(95_000);
      const outcome = await venue.create(order(), permit(now));
      expect(outcome.result).toBe(expected.outOfTime);
      expect(exchange.orders()).toEqual([]);
    });

    it("reports the exchange's own result for a second order with the same id", async () => {
      const id = await place();
      const again = await venue.create(order(), permit(now));
      expect(again.result).toBe(expected.again.open);
      for (const one of exchange.open()) if (one.id !== id) exchange.engine.cancel(exchange.account, one.id);
      exchange.fill(id);
      const after = await venue.create(order(), permit(now));
      expect(after.result).toBe(expected.again.filled);
    });

    it("buys the amount at the market, at most 1 % above the ask", async () => {
      const { ask } = await venue.ticker(PAIR);
      const before = exchange.total("BTC");
      const id = await place({ type: "market", price: ask, amount: decimal("0.01") });
      const [bought] = exchange.orders();
      expect([bought?.id, bought?.type, bought?.filled]).toEqual([id, expected.marketBuy, decimal("0.01")]);
      expect(bought?.price ?? ZERO).toBeLessThanOrEqual((ask * 101n) / 100n);
      const feeInBase = expected.feeOfBuy === "BTC" ? (bought?.fee ?? ZERO) : ZERO;
      expect(exchange.total("BTC") - before).toBe(decimal("0.01") - feeInBase);
      const found = await venue.order({ symbol: PAIR, clientId: ID });
      expect(found).toMatchObject({ status: "filled", filled: decimal("0.01") });
    });

    it("sells the amount at the market", async () => {
      await place({ type: "market", side: "sell", price: ZERO, amount: decimal("0.01") });
      expect(exchange.orders().map(({ type, filled }) => [type, filled])).toEqual([
        ["market", decimal("0.01")],
      ]);
    });

    it("fills an immediate-or-cancel order at once or not at all", async () => {
      const id = await place({ price: decimal("59000"), timeInForce: "ioc" });
      expect(exchange.open()).toEqual([]);
      expect(await venue.order({ symbol: PAIR, id })).toMatchObject({ status: "canceled", filled: ZERO });
    });

    it("leaves a post-only order open or rejects it, without a fill", async () => {
      const taking = order({ price: decimal("61000"), timeInForce: "post_only" });
      const outcome = await venue.create(taking, permit(now));
      // One accepts such an order and cancels it; the others refuse it, one of them without saying why.
      if (name === "bitget") expect(outcome).toMatchObject({ result: "accepted" });
      else expect(outcome).toMatchObject({ result: "rejected", wouldTake: name !== "mexc" });
      expect(exchange.open()).toEqual([]);
      const id = await place({ clientId: "em1rests0000000000", timeInForce: "post_only" });
      expect(exchange.open().map((one) => one.id)).toEqual([id]);
      expect(exchange.executions()).toEqual([]);
    });

    it("requests self-trade prevention where the exchange supports it", async () => {
      await place({ side: "sell", price: decimal("60001") });
      await place({ clientId: "em1meets0000000000", price: decimal("60001") });
      // Gate does so for accounts in a group alone: there only our own rule does.
      expect(exchange.selfTrades()).toHaveLength(name === "gateio" ? 1 : 0);
    });

    it("reads prices, depth, trades and candles without a key", async () => {
      const keyless = runner?.venue({ name, url: exchange.url }, () => now) as Venue;
      exchange.resetCounts();
      const ticker = await keyless.ticker(PAIR);
      expect(wire(ticker.last ?? 0n)).toBe(60000);
      const book = await keyless.book(PAIR, 50);
      expect([book.bids.length, book.asks.length]).toEqual([50, 50]);
      expect([ticker.bid, ticker.ask]).toEqual([book.bids[0]?.price, book.asks[0]?.price]);
      const trades = await keyless.trades(PAIR, 20);
      expect(trades).toHaveLength(20);
      expect(trades.every(({ amount, price }) => amount > ZERO && price === 60000n * ONE)).toBe(true);
      const candles = await keyless.candles(PAIR, { span: 60_000, limit: 30 });
      expect(candles).toHaveLength(30);
      expect(exchange.observed.every(({ key }) => key === undefined)).toBe(true);
    });
  });
}

async function balanceOf(venue: Venue, name: string): Promise<{ free: bigint; used: bigint } | undefined> {
  const found = (await venue.balances()).find(({ asset }) => asset === name);
  return found && { free: found.free, used: found.used };
}

/** Our id as the exchange carries it, of an order that did not come through the adapter. */
const clientIdOn = (name: VenueName, place: string): string =>
  `${name === "gateio" ? "t-" : ""}em1${place.padStart(15, "0")}`;
