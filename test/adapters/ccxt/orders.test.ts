import { describe, expect, it } from "vitest";
import { runRound } from "../../../src/engine/pass/round.ts";
import { accountKey } from "../../../src/model/account.ts";
import { canary, canarySecret } from "../../support/canary.ts";
import { liveApp } from "../../support/live.ts";
import { buy, del, get, post } from "../../support/orders.ts";
import { most } from "../../support/whole.ts";

const PARALLEL_REQUESTS = most(50, 12);
const NAMES = ["mexc", "gateio", "bitget", "kraken"] as const;

describe.each(NAMES)("manual orders on %s", (name) => {
  it(`places one order for ${PARALLEL_REQUESTS} parallel requests with one Idempotency-Key`, async () => {
    const app = await liveApp([name]);
    const answers = await Promise.all(
      Array.from({ length: PARALLEL_REQUESTS }, () => post(app, buy(name), { "idempotency-key": "once" })),
    );
    const placed = app.venues[name].orders();
    expect(placed).toHaveLength(1);
    // On a machine so busy that the first takes 10 s, the contract lets the others answer 409 instead of the same.
    const results = await Promise.all(answers.map(async (one) => [one.status, (await one.json()).order?.id]));
    expect(results).toContainEqual([200, placed[0]?.id]);
    expect(results.filter(([status, id]) => status !== 409 && id !== placed[0]?.id)).toEqual([]);
  });

  it("resolves an order with a lost response at the next tick, without any strategy", async () => {
    const app = await liveApp([name]);
    app.venues[name].fail({ kind: "drop", route: "create", acts: true });
    const answer = await post(app, buy(name));
    expect(answer.status).toBe(500);
    const { error, clientOrderId } = await answer.json();
    expect(error).toBe("Order unknown");
    const account = accountKey(app.deps.venue(name).account);
    const row = () => app.deps.store.orderByClientId(account, clientOrderId);
    expect((await row())?.state).toBe("unknown");
    await runRound(app.deps);
    const [placed] = app.venues[name].orders();
    expect(await row()).toMatchObject({
      state: "open",
      exchangeId: placed?.id,
    });
    expect(app.venues[name].orders()).toHaveLength(1);
  });

  it("separates the requests of two keys sent in headers", async () => {
    const app = await liveApp([name]);
    const venue = app.venues[name];
    const pairs = [
      venue.addKeys({ balances: { USDT: "111" } }),
      venue.addKeys({ balances: { USDT: "222" } }),
    ];
    const headers = pairs.map(({ key, secret, passphrase }) => ({
      "x-exchange-key": key,
      "x-exchange-secret": secret,
      "x-exchange-passphrase": passphrase,
    }));
    venue.latency.before = 1;
    // As many as kraken's counter of each key has room for.
    const count = name === "kraken" ? 28 : most(200, 40);
    // Twenty at once: a busy machine would keep two hundred waiting beyond their time.
    const totals: unknown[] = [];
    for (let first = 0; first < count; first += 20) {
      const some = Array.from({ length: Math.min(20, count - first) }, async (_, place) => {
        const answer = await get(app, `/balance?exchange=${name}&asset=USDT`, headers[place % 2]);
        const { balances, error } = await answer.json();
        return balances?.[0]?.total ?? error;
      });
      totals.push(...(await Promise.all(some)));
    }
    expect(totals).toEqual(Array.from({ length: count }, (_, place) => (place % 2 ? "222" : "111")));
    const signed = venue.observed.filter(({ route }) => route === "balance");
    expect(signed.filter(({ key, status }) => key === pairs[0]?.key && status === 200)).toHaveLength(
      count / 2,
    );
    expect(signed.filter(({ key, status }) => key === pairs[1]?.key && status === 200)).toHaveLength(
      count / 2,
    );
  });

  it("buys at market by amount, and returns a market order with its average price", async () => {
    const app = await liveApp([name]);
    const answer = await post(app, {
      exchange: name,
      symbol: "BTC/USDT",
      side: "buy",
      type: "market",
      amount: 0.001,
    });
    const { order } = await answer.json();
    expect(order).toMatchObject({
      type: "market",
      price: 60003,
      filled: 0.001,
      remaining: 0,
      status: "filled",
    });
    expect(app.venues[name].total("BTC") > 0n).toBe(true);
  });

  it("cancels all of its orders of one pair and counts them", async () => {
    const app = await liveApp([name]);
    for (const price of [50000, 50100, 50200]) await post(app, buy(name, { price }));
    await post(app, buy(name, { symbol: "ETH/USDT", price: 2000, amount: 0.01 }));
    const answer = await del(app, `/orders?exchange=${name}&symbol=BTC/USDT`);
    expect(await answer.json()).toMatchObject({
      success: true,
      cancelled: 3,
      message: "the exchange accepted 3 cancels",
    });
    expect(app.venues[name].open().map(({ listing }) => listing.symbol)).toEqual(["ETH/USDT"]);
    expect(app.venues[name].count("cancelAll")).toBe(0);
  });

  it("reports an accepted cancel as accepted, and a filled order as not canceled", async () => {
    const app = await liveApp([name]);
    const ids = [];
    for (const price of [50000, 50100])
      ids.push((await (await post(app, buy(name, { price }))).json()).order.id as string);
    app.venues[name].fill(ids[1] as string);
    const answers = [];
    for (const id of ids)
      answers.push(
        await (await del(app, `/orders/${encodeURIComponent(id)}?exchange=${name}&symbol=BTC/USDT`)).json(),
      );
    expect(answers).toMatchObject([
      { success: true, message: expect.stringMatching(/^the exchange accepted the cancel; request/) },
      { error: "Cancel failed", message: "the order was not canceled: it is filled" },
    ]);
  });

  it("answers 401 where the exchange rejects the keys, and stores no order", async () => {
    const app = await liveApp([name]);
    const headers = {
      "x-exchange-key": canary("nobody"),
      "x-exchange-secret": canarySecret("nobody"),
      "x-exchange-passphrase": canary("nobody"),
    };
    const answer = await post(app, buy(name), headers);
    expect([answer.status, (await answer.json()).error]).toEqual([401, "Invalid credentials"]);
    expect(app.venues[name].orders()).toHaveLength(0);
  });

  it("refuses an amount below the minimum before anything is sent", async () => {
    const app = await liveApp([name]);
    const answer = await post(app, buy(name, { amount: 0.000001 }));
    expect([answer.status, (await answer.json()).error]).toEqual([400, "Invalid amount"]);
    expect(app.venues[name].count("create")).toBe(0);
  });
});
