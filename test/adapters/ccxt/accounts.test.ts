import { createClient } from "@libsql/client";
import { describe, expect, it, onTestFinished } from "vitest";
import { nodeLocal } from "../../../cli/host/process/node-local.ts";
import { createDeps } from "../../../src/compose/deps.ts";
import { runRound } from "../../../src/engine/pass/round.ts";
import { decimal } from "../../../src/kernel/decimal.ts";
import { heardLog } from "../../support/heard.ts";
import { liveApp, PERMIT } from "../../support/live.ts";
import { migrations } from "../../support/migrations.ts";
import { type App, buy, del, get, post } from "../../support/orders.ts";
import { eventually } from "../../support/server.ts";
import { tempFolder } from "../../support/temp.ts";

describe("orders with keys of the request", () => {
  it("are looked up by the next request with those keys, and by no tick", async () => {
    const app = await liveApp(["gateio"]);
    const venue = app.venues.gateio;
    const { key, secret, account } = venue.addKeys();
    const headers = { "x-exchange-key": key, "x-exchange-secret": secret };
    venue.fail({ kind: "drop", route: "create", acts: true });
    const { error, clientOrderId } = await (await post(app, buy("gateio"), headers)).json();
    expect(error).toBe("Order unknown");
    venue.resetCounts();
    await runRound(app.deps);
    expect(venue.count()).toBe(0);
    await get(app, "/orders?exchange=gateio&symbol=BTC/USDT");
    const row = async () =>
      (await app.deps.store.unsettledOrders()).find(({ clientId }) => clientId === clientOrderId);
    expect((await row())?.state).toBe("unknown");
    await get(app, "/orders?exchange=gateio&symbol=BTC/USDT", headers);
    const stored = await row();
    expect(stored).toMatchObject({ state: "open", exchangeId: venue.orders(account)[0]?.id });
    expect(stored?.account).toMatch(/^live:gateio#[0-9a-f]{16}:/);
    expect(venue.orders(account)).toHaveLength(1);
  });
});

describe("one Idempotency-Key with the keys of two accounts", () => {
  it("places an order on each, and reports to neither the other's order", async () => {
    const app = await liveApp(["bitget"]);
    const venue = app.venues.bitget;
    const ids = [];
    for (const { key, secret, passphrase } of [venue.addKeys(), venue.addKeys()]) {
      const headers = {
        "idempotency-key": "same",
        "x-exchange-key": key,
        "x-exchange-secret": secret,
        "x-exchange-passphrase": passphrase,
      };
      ids.push((await (await post(app, buy("bitget"), headers)).json()).order.id);
    }
    expect(new Set(ids).size).toBe(2);
    expect(venue.engine.accounts.map(({ orders }) => orders.length)).toEqual([0, 1, 1]);
  });
});

describe("one clientOrderId on two accounts", () => {
  it("names one order on each, and keeps their outcomes apart", async () => {
    const app = await liveApp(["mexc"]);
    const venue = app.venues.mexc;
    const people = [venue.addKeys(), venue.addKeys()].map(({ key, secret, account }) => ({
      headers: { "x-exchange-key": key, "x-exchange-secret": secret },
      account,
    }));
    const mine = buy("mexc", { clientOrderId: "mine1" });
    const places = async (headers: object) => (await post(app, mine, { ...headers })).json();
    const ids = [];
    for (const { headers } of people) ids.push((await places(headers)).order?.id);
    expect(ids).toEqual(people.map(({ account }) => venue.orders(account)[0]?.id));
    for (const { headers } of people)
      expect(await places(headers)).toMatchObject({
        error: "Invalid request",
        message: expect.stringContaining("was used before"),
      });

    expect(people.map(({ account }) => venue.orders(account).length)).toEqual([1, 1]);
  });

  it("is looked up only on the account that requests it", async () => {
    const app = await liveApp(["mexc"]);
    const venue = app.venues.mexc;
    const [one, two] = [venue.addKeys(), venue.addKeys()].map(({ key, secret }) => ({
      "x-exchange-key": key,
      "x-exchange-secret": secret,
    }));
    const states = async () => (await app.deps.store.unsettledOrders()).map(({ state }) => state).sort();
    for (const headers of [one, two]) {
      venue.fail({ kind: "drop", route: "create", acts: true });
      const answer = await post(app, buy("mexc", { clientOrderId: "mine1" }), headers);
      expect((await answer.json()).error).toBe("Order unknown");
    }
    expect(await states()).toEqual(["unknown", "unknown"]);
    await get(app, "/orders?exchange=mexc&symbol=BTC/USDT", one);
    expect(await states()).toEqual(["open", "unknown"]);
  });
});

describe("an exchange that does not return its markets", () => {
  it.each(["server_error", "bad_gateway", "empty", "cut", "drop"] as const)(
    "is reported as the exchange's failure (%s), and nothing is sent",
    async (kind) => {
      const app = await liveApp(["kraken"]);
      app.venues.kraken.fail({ kind, route: "markets", times: 2 });
      const answer = await post(app, buy("kraken"));
      expect([answer.status, (await answer.json()).error]).toEqual([500, "Order failed"]);
      const ticker = await app.ask("/api/v1/ticker?exchange=kraken&symbol=BTC/USDT");
      expect([ticker.status, (await ticker.json()).error]).toEqual([500, "Exchange error"]);
      expect(app.venues.kraken.count("create")).toBe(0);
    },
  );
});

describe("open orders of all pairs on mexc, which lists them by pair", () => {
  const list = async (app: App) => (await get(app, "/orders?exchange=mexc")).json();

  it("include those of traded pairs and of pairs whose base is locked", async () => {
    const app = await liveApp(["mexc"]);
    await post(app, buy("mexc"));
    await app.deps.venue("mexc").create(
      {
        clientId: "someone0else",
        symbol: "ETH/USDT",
        side: "sell",
        type: "limit",
        price: decimal("4000"),
        amount: decimal("1"),
      },
      PERMIT,
    );
    const { count, orders } = await list(app);
    expect(count).toBe(2);
    expect(orders.map(({ symbol }: { symbol: string }) => symbol).sort()).toEqual(["BTC/USDT", "ETH/USDT"]);
    const cancelled = await del(app, "/orders?exchange=mexc");
    expect(await cancelled.json()).toMatchObject({ success: true, cancelled: 2 });
    expect(app.venues.mexc.open()).toEqual([]);
  });

  it("are returned with a note if an order on an unknown pair is missing", async () => {
    const app = await liveApp(["mexc"]);
    await app.deps.venue("mexc").create(
      {
        clientId: "someone0else",
        symbol: "ADA/USDT",
        side: "buy",
        type: "limit",
        price: decimal("0.4"),
        amount: decimal("100"),
      },
      PERMIT,
    );
    expect(await list(app)).toMatchObject({
      orders: [],
      unreadable: [{ id: null, reason: expect.stringContaining("name the pair") }],
    });
    expect(await (await del(app, "/orders?exchange=mexc")).json()).toMatchObject({
      error: "Cancel failed",
      message: expect.stringContaining("name the pair"),
      cancelled: 0,
    });
  });
});

describe("open orders on a pair that the stored list lacks", () => {
  it("are listed and canceled: the list is read again", async () => {
    const url = `file:${tempFolder()}/listed.db`;
    const client = () => createClient({ url, concurrency: 1 });
    const app = await liveApp(["gateio"], { client: client() });
    const order = { symbol: "ADA/USDT", side: "buy", type: "limit" } as const;
    const terms = { clientId: "someone0else", price: decimal("0.4"), amount: decimal("100") };
    await app.deps.venue("gateio").create({ ...order, ...terms }, PERMIT);
    // The exchange has listed the pair since the list was stored an hour ago.
    const database = client();
    const lacking = `update listings set names = json_remove(names, '$."ADA/USDT"'), loaded_at = loaded_at - 3600000`;
    await database.batch([lacking, "delete from markets where symbol = 'ADA/USDT'"], "write");
    database.close();
    const other = await createDeps(app.config, {
      client: client(),
      migrations,
      local: nodeLocal,
      log: heardLog,
      readCandles: () => Promise.reject(new Error("none")),
    });
    onTestFinished(() => other.close());
    const venue = other.venue("gateio");
    const open = await venue.openOrders();
    expect(open.map(({ symbol }) => symbol)).toEqual(["ADA/USDT"]);
    for (const one of open) await venue.cancel(one, PERMIT);
    expect(app.venues.gateio.open()).toEqual([]);
  });
});

describe("two processes with one kraken key", () => {
  it("take turns, so that nonces arrive in order", async () => {
    const url = `file:${tempFolder()}/turns.db`;
    const client = () => createClient({ url, concurrency: 1 });
    const app = await liveApp(["kraken"], { client: client(), tier: "pro" });
    app.venues.kraken.latency.before = 3;
    const other = await createDeps(app.config, {
      client: client(),
      migrations,
      local: nodeLocal,
      log: heardLog,
      readCandles: () => Promise.reject(new Error("none")),
    });
    onTestFinished(() => other.close());
    const reads = Array.from({ length: 6 }, (_, place) =>
      (place % 2 ? other : app.deps).venue("kraken").balances(),
    );
    await Promise.all(reads);
    const requests = app.venues.kraken.observed.filter(({ route }) => route === "balance");
    expect(requests.map(({ status }) => status)).toEqual(Array(6).fill(200));
    // A pass takes the same lease, and its holder does not wait for itself.
    await post(app, buy("kraken"));
    const outcomes = await eventually(
      async () =>
        (await Promise.all([runRound(app.deps), runRound(other)])).flat().map(({ outcome }) => outcome),
      (all) => all.includes("stepped") || all.includes("failed"),
    );
    expect(outcomes).not.toContain("failed");
  });
});

describe("a machine whose clock is wrong", () => {
  it("sends no order, and reports the clock", async () => {
    const app = await liveApp(["kraken"]);
    await app.deps.venue("kraken").market("BTC/USDT");
    const date = Date.now;
    onTestFinished(() => {
      Date.now = date;
    });
    // The server's Date header is this machine's too, so ours is set off.
    Date.now = () => date() + 1_000_000;
    const answer = await post(app, buy("kraken"));
    expect(await answer.json()).toMatchObject({
      error: "Order failed",
      message: expect.stringMatching(/differ by (9\d\d|1000) s/),
    });
    expect(app.venues.kraken.count("create")).toBe(0);
  });
});
