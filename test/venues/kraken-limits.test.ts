import { describe, expect, it, onTestFinished } from "vitest";
import { SECOND } from "../../src/kernel/time.ts";
import type { Tier } from "../../src/model/market.ts";
import { ccxtClient } from "./ccxt-client.ts";
import { startVenue } from "./index.ts";
import { TIERS } from "./kraken-limits.ts";

const PAIR = "BTC/USDT";
const TIER_NAMES = Object.keys(TIERS) as Tier[];

// More than one call leaves in a millisecond.
let last = Date.now();
const nonce = () => ++last;

async function connected(tier: Tier) {
  let now = Date.now();
  const venue = await startVenue("kraken", { tier, clock: () => now });
  onTestFinished(() => venue.close());
  const client = ccxtClient("kraken", venue);
  await client.loadMarkets();
  client.nonce = nonce;
  const until = async (refusal: RegExp, call: () => Promise<unknown>): Promise<number> => {
    for (let made = 0; ; made++) {
      try {
        await call();
      } catch (error) {
        expect(String(error)).toMatch(refusal);
        return made;
      }
    }
  };
  const pass = (seconds: number) => {
    now += seconds * SECOND;
  };
  return { venue, client, until, pass };
}

describe.each(TIER_NAMES)("the rate counters of a kraken account at tier %s", (tier) => {
  const { calls, orders } = TIERS[tier];

  it("refuse calls beyond the maximum, and free room over time", async () => {
    const { venue, client, until, pass } = await connected(tier);
    const balance = () => client.fetchBalance();
    expect(await until(/EAPI:Rate limit exceeded/, balance)).toBe(calls.most);
    pass(10);
    expect(await until(/EAPI:Rate limit exceeded/, balance)).toBe(Math.floor(10 * calls.decay));
    expect(venue.limited).toEqual(["balance", "balance"]);
  });

  it("count a call of the trade history twice, and each key separately", async () => {
    const { venue, client, until } = await connected(tier);
    const trades = () => client.fetchMyTrades(PAIR);
    expect(await until(/EAPI:Rate limit exceeded/, trades)).toBe(Math.floor(calls.most / 2));
    const second = ccxtClient("kraken", { url: venue.url, keys: venue.addKeys({ account: venue.account }) });
    second.setMarkets(client.markets);
    second.nonce = nonce;
    await second.fetchBalance();
  });

  it("count placing and canceling separately, and a cancel by the order's age", async () => {
    const { client, until, pass } = await connected(tier);
    const placed = async () => String((await client.createOrder(PAIR, "limit", "buy", 0.001, 59000)).id);
    const hasty = async () => client.cancelOrder(await placed(), PAIR);
    expect(await until(/EOrder:Rate limit exceeded/, hasty)).toBe(Math.floor(orders.most / 9));
    pass(300);
    const old = await placed();
    pass(300);
    for (let made = 0; made < orders.most; made++) await placed();
    await expect(placed()).rejects.toThrow(/EOrder:Rate limit exceeded/);
    await client.cancelOrder(old, PAIR);
    await client.fetchBalance();
  });
});

it("a full counter returns the error of the counter that the call belongs to", async () => {
  const { venue, client } = await connected("pro");
  const calls = {
    open: () => client.fetchOpenOrders(PAIR),
    balance: () => client.fetchBalance(),
    create: () => client.createOrder(PAIR, "limit", "buy", 0.001, 50000),
    cancel: () => client.cancelOrder("OAAAAA-AAAAA-AAAAAA", PAIR),
  } as const;
  const said: string[] = [];
  for (const [route, call] of Object.entries(calls)) {
    venue.fail({ kind: "rate_limit", route: route as keyof typeof calls });
    said.push(
      await call().then(String, (error) => /E\w+:Rate limit exceeded/.exec(String(error))?.[0] ?? ""),
    );
  }
  const [api, order] = ["EAPI:Rate limit exceeded", "EOrder:Rate limit exceeded"];
  expect(said).toEqual([api, api, order, order]);
});
