import { createClient } from "@libsql/client";
import { describe, expect, it } from "vitest";
import { nodeLocal } from "../../../cli/host/process/node-local.ts";
import { createDeps } from "../../../src/compose/deps.ts";
import { DAY, MINUTE } from "../../../src/kernel/time.ts";
import { emulatedExchanges } from "../../support/emulated.ts";
import { heardLog } from "../../support/heard.ts";
import { liveApp, PERMIT } from "../../support/live.ts";
import { migrations } from "../../support/migrations.ts";
import { buy, get, post } from "../../support/orders.ts";
import { runOperation } from "../../support/sandbox.ts";
import { tempFolder } from "../../support/temp.ts";

const BOTH = ["bitget", "gateio"] as const;
const ORDER = { symbol: "BTC/USDT", side: "buy", type: "limit" } as const;

describe.each(BOTH)("the kind of an account on %s", (name) => {
  it.each([false, true])("is requested once, not in each pass (unified: %s)", async (unified) => {
    const folder = tempFolder();
    const client = () => createClient({ url: `file:${folder}/kinds.db` });
    const app = await liveApp([name], { unified, client: client() });
    const exchange = app.venues[name];
    for (let pass = 0; pass < 3; pass++) {
      await app.deps.venue(name).balances();
      expect(await app.deps.venue(name).openOrders()).toEqual([]);
    }
    expect(exchange.count("kind")).toBe(1);
    // Another process with the same database and key.
    const deps = await createDeps(app.config, {
      client: client(),
      migrations,
      local: nodeLocal,
      log: heardLog,
      readCandles: () => Promise.reject(new Error()),
    });
    await deps.venue(name).balances();
    deps.close();
    expect(exchange.count("kind")).toBe(1);
  });

  it("is not inferred from a failed request", async () => {
    const app = await liveApp([name], { unified: true });
    const exchange = app.venues[name];
    for (const kind of ["server_error", "bad_gateway", "cut", "rate_limit"] as const) {
      exchange.fail({ kind, route: "kind" });
      await expect(app.deps.venue(name).balances()).rejects.toMatchObject({ name: "VenueError" });
    }
    expect(exchange.observed.every(({ route }) => route === "kind" || route === "markets")).toBe(true);
    expect((await app.deps.venue(name).balances()).length).toBeGreaterThan(0);
  });

  it("does not leave an order unknown that was not sent because the kind cannot be read", async () => {
    const app = await liveApp([name]);
    const exchange = app.venues[name];
    // The read of the fees needs the kind as well, and goes on without it.
    for (let reads = 0; reads < 2; reads++) exchange.fail({ kind: "server_error", route: "kind" });
    const { error } = await (await post(app, buy(name))).json();
    expect([error, exchange.count("create")]).toEqual(["Order failed", 0]);
    expect(await app.deps.store.unsettledOrders()).toEqual([]);
    expect(exchange.count("kind")).toBe(2);
  });

  it("is requested for each key sent with a request, and cached without the key", async () => {
    const app = await liveApp([name]);
    const exchange = app.venues[name];
    const accounts = [false, true].map((unified) => exchange.addKeys({ unified }));
    for (const round of [1, 2]) {
      for (const { key, secret, passphrase, account } of accounts) {
        const headers = {
          "x-exchange-key": key,
          "x-exchange-secret": secret,
          "x-exchange-passphrase": passphrase,
        };
        expect((await post(app, buy(name), headers)).status).toBe(200);
        expect(exchange.orders(account)).toHaveLength(round);
        const { balances } = await (await get(app, `/balance?exchange=${name}`, headers)).json();
        expect(balances.length).toBeGreaterThan(0);
      }
    }
    expect(exchange.count("kind")).toBe(2);
  });

  it("is requested again for another key of the same account id", async () => {
    const folder = tempFolder();
    const client = () => createClient({ url: `file:${folder}/kinds.db` });
    const app = await liveApp([name], { client: client() });
    const exchange = app.venues[name];
    await app.deps.venue(name).balances();
    const other = exchange.addKeys({ unified: true });
    const exchanges = app.config.exchanges.map((one) => ({ ...one, keys: other }));
    const deps = await createDeps(
      { ...app.config, exchanges },
      {
        client: client(),
        migrations,
        local: nodeLocal,
        log: heardLog,
        readCandles: () => Promise.reject(new Error()),
      },
    );
    expect((await deps.venue(name).balances()).length).toBeGreaterThan(0);
    deps.close();
    expect(exchange.count("kind")).toBe(2);
  });
});

it.each(BOTH)(
  "requests the kind of an account on %s again after a day, and uses the old one if that fails",
  async (name) => {
    const setup = await emulatedExchanges({ names: [name], venue: { unified: true } });
    const exchange = setup.exchange(name);
    await setup.deps.venue(name).balances();
    setup.time.pass(DAY);
    exchange.fail({ kind: "bad_gateway", route: "kind" });
    expect(await setup.deps.venue(name).openOrders()).toEqual([]);
    expect(exchange.count("kind")).toBe(2);
    await setup.deps.venue(name).openOrders();
    expect(exchange.count("kind")).toBe(2);
    setup.time.pass(10 * MINUTE);
    await setup.deps.venue(name).openOrders();
    await setup.deps.venue(name).openOrders();
    expect(exchange.count("kind")).toBe(3);
    await setup.close();
  },
);

describe("an account whose kind has changed", () => {
  it.each([true, false])(
    "on bitget is checked again, and its order placed once (unified: %s)",
    async (unified) => {
      const app = await liveApp(["bitget"], { unified: !unified });
      const exchange = app.venues.bitget;
      await app.deps.venue("bitget").balances();
      exchange.unify(unified);
      expect((await post(app, buy("bitget"))).status).toBe(200);
      expect(exchange.orders()).toHaveLength(1);
      expect(exchange.count("kind")).toBe(2);
      await app.deps.venue("bitget").openOrders();
      expect(exchange.count("kind")).toBe(2);
    },
  );

  it("on bitget is reported once, whatever it responds", async () => {
    const app = await liveApp(["bitget"]);
    const exchange = app.venues.bitget;
    await app.deps.venue("bitget").balances();
    exchange.unify();
    exchange.fail({ kind: "server_error", route: "kind" });
    await expect(app.deps.venue("bitget").balances()).rejects.toMatchObject({ name: "VenueError" });
    expect((await app.deps.venue("bitget").balances()).length).toBeGreaterThan(0);
  });

  it("on gateio counts as classic for a key that can only trade spot", async () => {
    const app = await liveApp(["gateio"]);
    const exchange = app.venues.gateio;
    for (const [code, kinds] of [
      ["INVALID_KEY", 1],
      ["FORBIDDEN", 2],
    ] as const) {
      exchange.fail({ kind: "says", route: "kind", code, text: "Request forbidden" });
      const rows = await app.deps
        .venue("gateio")
        .balances()
        .catch(() => undefined);
      expect([code, rows?.length, exchange.count("kind")]).toEqual([
        code,
        code === "FORBIDDEN" ? 8 : undefined,
        kinds,
      ]);
    }
    expect((await post(app, buy("gateio"))).status).toBe(200);
    expect(exchange.count("kind")).toBe(2);
  });

  it("on gateio is detected by its empty balances", async () => {
    const app = await liveApp(["gateio"], { unified: true });
    const exchange = app.venues.gateio;
    await app.deps.venue("gateio").balances();
    exchange.unify(false);
    expect((await app.deps.venue("gateio").balances()).length).toBeGreaterThan(0);
    expect(exchange.count("kind")).toBe(2);
  });

  it("on gateio is detected by an insufficient-funds error, and within a day in any case", async () => {
    const setup = await emulatedExchanges({ names: ["gateio"] });
    const exchange = setup.exchange("gateio");
    const venue = () => setup.deps.venue("gateio");
    const place = (clientId: string) =>
      venue().create({ ...ORDER, clientId, price: 59_000n * 10n ** 18n, amount: 10n ** 15n }, PERMIT);
    await venue().balances();
    exchange.unify();
    expect(await place("em1aaaaaaaaaaaaaaa")).toMatchObject({ result: "rejected" });
    expect(await venue().balances()).toEqual([]);
    setup.time.pass(10 * MINUTE);
    expect(await place("em1aaaaaaaaaaaaaab")).toMatchObject({ result: "rejected" });
    expect(await place("em1aaaaaaaaaaaaaac")).toMatchObject({ result: "accepted" });
    exchange.unify(false);
    exchange.unify(true);
    setup.time.pass(DAY);
    exchange.resetCounts();
    await venue().balances();
    expect(exchange.count("kind")).toBe(1);
    await setup.close();
  });
});

it("takes a unified account's fee from its fills, not from its published rate", async () => {
  const app = await liveApp(["bitget"], { unified: true, live: { keptFor: 0 } });
  const exchange = app.venues.bitget;
  const before = exchange.total("BTC");
  await runOperation(app.deps, "create_order", {
    exchange: "bitget",
    ...ORDER,
    price: 61_000n * 10n ** 18n,
    amount: 10n ** 15n,
  });
  const {
    fills: [fill],
  } = await app.deps.venue("bitget").fills("BTC/USDT", { from: Date.now() - MINUTE });
  expect(fill?.fees).toEqual([
    { asset: "BTC", amount: before + (fill?.amount ?? 0n) - exchange.total("BTC") },
  ]);
  const [order] = exchange.orders();
  const output = await app.deps.venue("bitget").order({ symbol: "BTC/USDT", id: order?.id });
  expect(output?.fees).toEqual(fill?.fees);
});
