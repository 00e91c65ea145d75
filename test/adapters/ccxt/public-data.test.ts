import { createClient } from "@libsql/client";
import { describe, expect, it, onTestFinished } from "vitest";
import { nodeLocal } from "../../../cli/host/process/node-local.ts";
import { libsqlAdapterStore } from "../../../src/adapters/libsql/adapter-store.ts";
import { NO_STORED_KEYS } from "../../../src/adapters/stored-keys.ts";
import { createDeps } from "../../../src/compose/deps.ts";
import { liveVenues } from "../../../src/compose/live.ts";
import { decimal } from "../../../src/kernel/decimal.ts";
import { openDatabase } from "../../../src/storage/client/safe-client.ts";
import { heardLog } from "../../support/heard.ts";
import { liveApp } from "../../support/live.ts";
import { virtualLocal } from "../../support/local.ts";
import { migrations } from "../../support/migrations.ts";
import { orderRequest } from "../../support/requests.ts";
import { tempFolder } from "../../support/temp.ts";

const SYMBOL = "BTC/USDT";
const ticker = (exchange: string, symbol = SYMBOL) => `/api/v1/ticker?exchange=${exchange}&symbol=${symbol}`;
const labelOf = async (answer: Response) => (await answer.json()).error as string;

describe("public data", () => {
  it("requests the exchange once for simultaneous requests, and not again within a second", async () => {
    const { ask, venues } = await liveApp(["kraken"]);
    await Promise.all(Array.from({ length: 100 }, () => ask(ticker("kraken"))));
    await ask(ticker("kraken"));
    expect(venues.kraken.count("ticker")).toBe(1);
  });

  it("requests the exchange again after a second", async () => {
    const time = virtualLocal(0);
    const { ask, venues } = await liveApp(["kraken"], { local: { ...nodeLocal, monotonic: time.now } });
    await ask(ticker("kraken"));
    time.pass(999);
    await ask(ticker("kraken"));
    expect(venues.kraken.count("ticker")).toBe(1);
    time.pass(1);
    await ask(ticker("kraken"));
    expect(venues.kraken.count("ticker")).toBe(2);
  });

  it("caches no failure: the next request calls the exchange again", async () => {
    const { ask, venues } = await liveApp(["gateio"]);
    await ask(ticker("gateio"));
    venues.gateio.fail({ kind: "bad_gateway", route: "book" });
    const path = "/api/v1/orderbook?exchange=gateio&symbol=BTC/USDT";
    expect(await labelOf(await ask(path))).toBe("Exchange error");
    expect((await ask(path)).status).toBe(200);
  });

  it("pauses calls to an exchange that keeps failing, reports it, and retries once after the pause", async () => {
    const time = virtualLocal(0);
    const { ask, venues } = await liveApp(["mexc"], { local: { ...nodeLocal, monotonic: time.now } });
    await ask(ticker("mexc"));
    venues.mexc.fail({ kind: "server_error", times: 1000 });
    for (let request = 0; request < 8; request++) {
      time.pass(1001);
      await ask(ticker("mexc"));
    }
    expect(venues.mexc.count("ticker")).toBe(1 + 5);
    const answer = await ask(ticker("mexc"));
    expect(answer.status).toBe(500);
    expect((await answer.json()).message).toMatch(/has failed 5 times in a row; edgemaker retries in \d s/);
    venues.mexc.heal();
    time.pass(5000);
    expect((await ask(ticker("mexc"))).status).toBe(200);
    expect((await ask("/api/v1/orderbook?exchange=mexc&symbol=BTC/USDT")).status).toBe(200);
  });

  it("does not count an unlisted pair as a failure of the exchange", async () => {
    const { ask, venues } = await liveApp(["bitget"]);
    for (let request = 0; request < 8; request++)
      expect(await labelOf(await ask(ticker("bitget", "NOPE/USDT")))).toBe("Invalid symbol");
    expect((await ask(ticker("bitget"))).status).toBe(200);
    // Loaded once, in two requests: symbols and margin currencies.
    expect(venues.bitget.count("markets")).toBe(2);
  });

  it("returns a ticker with one exchange call in a new process", async () => {
    const client = () => createClient({ url, concurrency: 1 });
    const url = `file:${tempFolder()}/markets.db`;
    const first = await liveApp(["kraken"], { client: client() });
    await first.ask(ticker("kraken"));
    first.venues.kraken.resetCounts();
    const second = await createDeps(first.config, {
      client: client(),
      migrations,
      local: nodeLocal,
      log: heardLog,
      readCandles: () => Promise.reject(new Error("none")),
    });
    onTestFinished(() => second.close());
    await second.venue("kraken").ticker(SYMBOL);
    expect(first.venues.kraken.count()).toBe(1);
  });

  it("loads the markets without a key, and again when they are older than a day", async () => {
    const client = createClient({ url: `file:${tempFolder()}/markets.db`, concurrency: 1 });
    const { venues, config } = await liveApp(["kraken"], { client });
    const { kraken } = venues;
    const market = async () => {
      const keeping = libsqlAdapterStore(
        await openDatabase({ client, local: nodeLocal, migrations, kind: "live" }),
      );
      const venue = liveVenues(config, {
        keeping,
        credentials: NO_STORED_KEYS,
        local: nodeLocal,
        log: heardLog,
      }).venue("kraken");
      return venue.market(SYMBOL);
    };
    await market();
    await client.execute("update markets set loaded_at = loaded_at - 86300000");
    await market();
    expect(kraken.count("markets")).toBe(1);
    await client.execute("update markets set loaded_at = loaded_at - 100001");
    kraken.list(SYMBOL, { minAmount: decimal("0.5") });
    expect((await market()).minAmount).toBe(decimal("0.5"));
    expect(kraken.count("markets")).toBe(2);
    const keyed = kraken.observed.filter(({ route, key }) => route === "markets" && key !== undefined);
    expect(keyed).toEqual([]);
  });

  it("reloads a market when the exchange rejects an order that its stored rules allow", async () => {
    const app = await liveApp(["kraken"]);
    const post = () =>
      app.ask("/api/v1/orders", {
        method: "POST",
        headers: { authorization: `Bearer ${app.tokens.trade}`, "content-type": "application/json" },
        body: JSON.stringify(orderRequest({ symbol: SYMBOL })),
      });
    await app.deps.venue("kraken").market(SYMBOL);
    app.venues.kraken.list(SYMBOL, { minAmount: decimal("0.5") });
    expect(await labelOf(await post())).toBe("Order failed");
    expect(await labelOf(await post())).toBe("Invalid amount");
    expect(app.venues.kraken.count("create")).toBe(1);
  });

  it.each(["BTC%2FUSDT%2F..", "../x", "BTC@evil/USDT", "BTC/USDT%0d%0aHost:evil"])(
    "sends no request for the symbol %s",
    async (symbol) => {
      const { ask, venues } = await liveApp(["gateio"]);
      expect((await ask(`/api/v1/ticker?exchange=gateio&symbol=${symbol}`)).status).toBe(400);
      expect(venues.gateio.count()).toBe(0);
    },
  );
});
