import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { VenueName } from "../../src/model/market.ts";
import { ccxtClient } from "./ccxt-client.ts";
import { type EmulatedVenue, startVenue } from "./index.ts";

const NAMES: readonly VenueName[] = ["mexc", "gateio", "bitget", "kraken"];
const PAIR = "BTC/USDT";
const ID = "em1abcdefgh1234567";
/** What each exchange wants beside the client id. */
const PARAMS: Record<VenueName, object> = { mexc: {}, gateio: {}, bitget: {}, kraken: { oflags: "fciq" } };

describe.each(NAMES)("ccxt's %s class on the emulated exchange", (name) => {
  let venue: EmulatedVenue;
  let client: ReturnType<typeof ccxtClient>;

  beforeAll(async () => {
    venue = await startVenue(name);
    const keyless = ccxtClient(name, { url: venue.url });
    const markets = await keyless.loadMarkets();
    client = ccxtClient(name, venue);
    client.setMarkets(markets);
    if (name === "kraken") client.options.marketsByAltname = keyless.options.marketsByAltname;
  });
  afterAll(() => venue.close());
  beforeEach(() => venue.rest());

  it("reads public data", async () => {
    const market = client.market(PAIR);
    expect(market.active).toBe(true);
    expect(Number(market.precision.price)).toBeGreaterThan(0);
    const ticker = await client.fetchTicker(PAIR);
    expect(Number(ticker.bid)).toBeLessThan(60000);
    expect(Number(ticker.ask)).toBeGreaterThan(60000);
    const book = await client.fetchOrderBook(PAIR, 20);
    expect([book.bids.length, book.asks.length]).toEqual([20, 20]);
    const trades = await client.fetchTrades(PAIR, undefined, 30);
    expect(trades).toHaveLength(30);
    const candles = await client.fetchOHLCV(PAIR, "1m", undefined, 50);
    expect(candles).toHaveLength(50);
    expect(venue.observed.every(({ key }) => key === undefined)).toBe(true);
  });

  it("places, looks up, lists and cancels", async () => {
    const params = { ...PARAMS[name], clientOrderId: ID };
    const placed = await client.createOrder(PAIR, "limit", "buy", 0.001, 59000, params);
    expect(venue.open().map(({ id }) => id)).toEqual([placed.id]);
    const observed = await client.fetchOrder(String(placed.id), PAIR);
    expect([observed.status, Number(observed.amount), Number(observed.price)]).toEqual([
      "open",
      0.001,
      59000,
    ]);
    const open = await client.fetchOpenOrders(PAIR);
    expect(open.map(({ clientOrderId }) => clientOrderId)).toEqual([name === "gateio" ? `t-${ID}` : ID]);
    const balance = await client.fetchBalance();
    expect(Number(balance.USDT?.used)).toBeGreaterThanOrEqual(59);
    await client.cancelOrder(String(placed.id), PAIR);
    expect(venue.open()).toEqual([]);
    const after = await client.fetchOrder(String(placed.id), PAIR);
    expect(after.status).toBe("canceled");
    await expect(client.cancelOrder(String(placed.id), PAIR)).rejects.toThrow();
  });

  it("looks up by client id", async () => {
    const byId = await lookUp(client, name, ID);
    expect(byId).toEqual(name === "gateio" ? [] : ["canceled"]);
    expect(await lookUp(client, name, "em1neverexisted000")).toEqual([]);
  });

  it("fills at the price, with a fee in the right asset", async () => {
    const placed = await client.createOrder(PAIR, "limit", "buy", 0.001, 59000, PARAMS[name]);
    venue.fill(String(placed.id), "0.0004");
    const part = await client.fetchOrder(String(placed.id), PAIR);
    expect([part.status, Number(part.filled)]).toEqual(["open", 0.0004]);
    venue.move(PAIR, "58900");
    const whole = await client.fetchOrder(String(placed.id), PAIR);
    expect([whole.status, Number(whole.filled), Number(whole.cost)]).toEqual(["closed", 0.001, 59]);
    const trades = await client.fetchMyTrades(PAIR);
    const own = trades.filter(({ order }) => order === placed.id);
    expect(own.map(({ amount }) => Number(amount)).sort()).toEqual([0.0004, 0.0006]);
    const fee = own[0]?.fee ?? (own[0] as { fees?: { currency?: string }[] } | undefined)?.fees?.[0];
    expect(fee?.currency).toBe(["kraken", "mexc"].includes(name) ? "USDT" : "BTC");
    venue.move(PAIR, "60000");
  });

  it("fills what is available, and no more, with an immediate order", async () => {
    const placed = await client.createOrder(PAIR, "limit", "buy", 0.002, 60600, {
      ...PARAMS[name],
      timeInForce: "IOC",
    });
    const observed = await client.fetchOrder(String(placed.id), PAIR);
    expect([observed.status, Number(observed.filled)]).toEqual(["closed", 0.002]);
    const none = await client.createOrder(PAIR, "limit", "buy", 0.002, 59000, {
      ...PARAMS[name],
      timeInForce: "IOC",
    });
    expect((await client.fetchOrder(String(none.id), PAIR)).status).toBe("canceled");
    expect(venue.open()).toEqual([]);
  });

  it("sells at the market", async () => {
    const before = venue.total("BTC");
    const placed = await client.createOrder(PAIR, "market", "sell", 0.002, undefined, PARAMS[name]);
    const observed = await client.fetchOrder(String(placed.id), PAIR);
    expect([observed.status, Number(observed.filled)]).toEqual(["closed", 0.002]);
    expect(before - venue.total("BTC")).toBe(2_000_000_000_000_000n);
  });

  it("returns the account's fee", async () => {
    const fee = await client.fetchTradingFee(PAIR);
    const rates = { mexc: ["0", "0.0005"], gateio: ["0.002", "0.002"], bitget: ["0.001", "0.001"] };
    expect([String(fee.maker), String(fee.taker)]).toEqual(
      name === "kraken" ? ["0.0025", "0.004"] : rates[name],
    );
  });

  it("returns a key's rights", async () => {
    const withdraws = venue.addKeys({ account: venue.account, may: { withdraw: true } });
    const tell = async (keys: typeof venue.keys) =>
      JSON.stringify(await permissions(ccxtClient(name, { url: venue.url, keys }), name));
    const word = { mexc: '"canWithdraw":true', bitget: "wwow", kraken: "withdraw-funds", gateio: '"mode":1' }[
      name
    ];
    expect(await tell(withdraws)).toContain(word);
    if (name !== "gateio") expect(await tell(venue.keys)).not.toContain(word);
  });

  it("rejects wrong secrets, unknown keys and too small orders", async () => {
    const wrong = ccxtClient(name, { url: venue.url, keys: { ...venue.keys, secret: btoa("wrong") } });
    wrong.setMarkets(client.markets);
    await expect(wrong.fetchBalance()).rejects.toThrow(/signature|700002|40009/i);
    const unknown = ccxtClient(name, { url: venue.url, keys: { ...venue.keys, key: "nobody" } });
    unknown.setMarkets(client.markets);
    await expect(unknown.fetchBalance()).rejects.toThrow(/key|10072/i);
    const small = client.createOrder(PAIR, "limit", "buy", 0.000001, 59000, PARAMS[name]);
    await expect(small).rejects.toThrow(/minimum|30002|too small|45110|not met/i);
    expect(venue.open()).toEqual([]);
  });
});

type Client = ReturnType<typeof ccxtClient>;

/** Each exchange's own way to an order by its client id: the statuses found. */
async function lookUp(client: Client, name: VenueName, clientOrderId: string) {
  const statuses = (orders: readonly { status?: unknown }[]) => orders.map(({ status }) => status);
  if (name !== "kraken") {
    try {
      return statuses([await client.fetchOrder("", PAIR, { clientOrderId })]);
    } catch (error) {
      expect(String(error)).toMatch(/-2013|NOT_FOUND|could not find/);
      return [];
    }
  }
  return [
    ...statuses(await client.fetchOpenOrders(PAIR, undefined, undefined, { clientOrderId })),
    ...statuses(await client.fetchClosedOrders(PAIR, undefined, undefined, { clientOrderId })),
  ];
}

function permissions(client: Client, name: VenueName): Promise<unknown> {
  const implicit = client as unknown as Record<string, (params?: object) => Promise<unknown>>;
  const call = {
    mexc: "spotPrivateGetAccount",
    gateio: "privateAccountGetDetail",
    bitget: "privateSpotGetV2SpotAccountInfo",
    kraken: "privatePostGetApiKeyInfo",
  }[name];
  return (implicit[call] as (params?: object) => Promise<unknown>)({});
}
