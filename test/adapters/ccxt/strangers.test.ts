import { describe, expect, it, onTestFinished } from "vitest";
import { nodeLocal } from "../../../cli/host/process/node-local.ts";
import { runRound } from "../../../src/engine/pass/round.ts";
import { decimal } from "../../../src/kernel/decimal.ts";
import { appOver } from "../../support/app.ts";
import { emulatedExchanges } from "../../support/emulated.ts";
import { liveApp } from "../../support/live.ts";
import { virtualLocal } from "../../support/local.ts";
import { gridInput } from "../../support/requests.ts";
import { runOperation } from "../../support/sandbox.ts";

const candles = (exchange: string, query: string) =>
  `/api/v1/ohlcv?exchange=${exchange}&symbol=BTC/USDT&timeframe=1m&${query}`;
const ticker = (exchange: string, symbol = "BTC/USDT") =>
  `/api/v1/ticker?exchange=${exchange}&symbol=${symbol}`;

/** A live service whose budgets are refilled only when told. */
async function stillApp(name: "mexc" | "kraken") {
  const time = virtualLocal(0);
  const app = await liveApp([name], { local: { ...nodeLocal, monotonic: time.now } });
  return { ...app, time, exchange: app.venues[name] };
}

describe("anonymous requests", () => {
  it("cause no more exchange calls however they vary", async () => {
    const { ask, exchange, time } = await stillApp("mexc");
    const minute = 60_000;
    const questions = Array.from({ length: 400 }, (_, place) =>
      place % 2 === 0
        ? candles("mexc", `since=${1_700_000_000_000 + place * minute}`)
        : candles("mexc", `since=${1_600_000_000_000 + place * minute}&limit=${1 + place}`),
    );
    const statuses = await Promise.all(questions.map(async (path) => (await ask(path)).status));
    const requestCount = exchange.count();
    expect(requestCount).toBeLessThanOrEqual(31);
    expect(statuses.filter((status) => status === 429)).toHaveLength(400 - exchange.count("candles"));
    time.pass(10_000);
    await Promise.all(questions.map((path) => ask(path)));
    expect(exchange.count()).toBeLessThanOrEqual(requestCount + 30);
  });

  it("learn when to retry", async () => {
    const { ask, exchange } = await stillApp("kraken");
    let refused: Response | undefined;
    for (let place = 0; !refused; place++) {
      const answer = await ask(candles("kraken", `since=${1_700_000_000_000 + place * 60_000}`));
      if (answer.status !== 200) refused = answer;
    }
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(await refused.json()).toMatchObject({ error: "Too many requests" });
    // The list of markets counts once, and has two requests.
    expect(exchange.count()).toBeLessThanOrEqual(16);
  });

  it("share their rate with requests that have a token, and not with a pass", async () => {
    const { ask, tokens, exchange, deps } = await stillApp("kraken");
    const headers = { authorization: `Bearer ${tokens.read}` };
    const statuses: number[] = [];
    for (let place = 0; place < 20; place++) {
      const path = candles("kraken", `since=${1_700_000_000_000 + place * 60_000}`);
      statuses.push((await ask(path, place % 2 === 0 ? { headers } : {})).status);
    }
    expect(new Set(statuses.slice(15))).toEqual(new Set([429]));
    expect(exchange.count()).toBe(16);
    expect((await deps.venue("kraken").ticker("ETH/USDT")).bid > 0n).toBe(true);
  });

  it("in many forms share one exchange call where one response answers all", async () => {
    const { ask, exchange } = await stillApp("mexc");
    const since = 1_700_000_040_000;
    for (const [from, limit] of [
      [since - 1, 5],
      [since - 30_000, 100],
      [since, 1],
      [since - 59_999, 77],
    ]) {
      const answer = await (await ask(candles("mexc", `since=${from}&limit=${limit}`))).json();
      expect(answer.candles).toHaveLength(limit as number);
      expect(answer.candles[0].timestamp).toBe(since);
    }
    for (const limit of [1, 2, 50, 100]) await ask(candles("mexc", `limit=${limit}`));
    expect(exchange.count("candles")).toBe(2);
  });

  it("of one kind do not affect others when they fail", async () => {
    const { ask, exchange, time } = await stillApp("mexc");
    await ask(ticker("mexc"));
    exchange.fail({ kind: "server_error", route: "candles", times: 1000 });
    for (let place = 0; place < 8; place++)
      await ask(candles("mexc", `since=${1_700_000_000_000 + place * 60_000}`));
    expect(exchange.count("candles")).toBe(5);
    time.pass(1001);
    expect((await ask(ticker("mexc"))).status).toBe(200);
  });

  it("are answered from the last response where no call budget is left", async () => {
    const { ask, exchange, time } = await stillApp("kraken");
    await ask(ticker("kraken"));
    for (let place = 0; place < 20; place++)
      await ask(candles("kraken", `since=${1_700_000_000_000 + place * 60_000}`));
    // One more is allowed by then, and another question takes it.
    time.pass(1000);
    await ask(candles("kraken", "since=1600000020000"));
    const before = exchange.count();
    time.pass(1);
    expect((await ask(ticker("kraken"))).status).toBe(200);
    expect((await ask(ticker("kraken", "ETH/USDT"))).status).toBe(429);
    expect(exchange.count()).toBe(before);
  });
});

describe("the list of markets", () => {
  it("is loaded once for the first requests about every pair", async () => {
    const { ask, exchange } = await stillApp("kraken");
    const pairs = ["BTC/USDT", "BTC/USD", "ETH/USDT", "LTC/USDT", "ADA/USDT"];
    const first = await Promise.all(pairs.map(async (pair) => (await ask(ticker("kraken", pair))).status));
    expect(first).toEqual(pairs.map(() => 200));
    for (const pair of ["ADA/USD", "BTC/EUR", "NO/SUCH", "NOT/HERE"]) await ask(ticker("kraken", pair));
    expect(exchange.count("markets")).toBe(1);
  });

  it("is requested again some seconds after a failure, not at every request", async () => {
    const { ask, exchange, time } = await stillApp("kraken");
    exchange.fail({ kind: "server_error", route: "markets", times: 1000 });
    for (let place = 0; place < 6; place++)
      expect((await ask(ticker("kraken", place % 2 === 0 ? "BTC/USDT" : "ETH/USDT"))).status).toBe(500);
    expect(exchange.count("markets")).toBe(1);
    exchange.heal();
    time.pass(5001);
    expect((await ask(ticker("kraken"))).status).toBe(200);
    expect(exchange.count("markets")).toBe(2);
  });

  it("is loaded for a tick, whatever anonymous requests received", async () => {
    const { ask, exchange, deps } = await stillApp("kraken");
    exchange.fail({ kind: "server_error", route: "markets" });
    expect((await ask(ticker("kraken"))).status).toBe(500);
    expect((await deps.venue("kraken").market("BTC/USDT")).active).toBe(true);
  });
});

describe.each(["mexc", "kraken"] as const)("a stop price on %s", (name) => {
  it("is watched while anonymous requests use all they can and all of them fail", async () => {
    const setup = await emulatedExchanges({ names: [name] });
    onTestFinished(() => setup.close());
    const { deps, time } = setup;
    const exchange = setup.exchange(name);
    const { ask } = await appOver(deps);
    await runOperation(
      deps,
      "start_grid",
      gridInput({ exchange: name, gridLevels: 6, stopLossPrice: decimal("56000") }),
    );
    const total = exchange.total("BTC");
    exchange.fail({ kind: "bad_gateway", route: ["candles", "book", "trades"], times: 1_000_000 });
    exchange.move("BTC/USDT", "55000");
    const attack = async (round: number) => {
      for (let place = 0; place < 40; place++)
        await ask(candles(name, `since=${(round * 40 + place) * 60_000}`));
      await ask(`/api/v1/orderbook?exchange=${name}&symbol=BTC/USDT`);
      await ask(`/api/v1/trades?exchange=${name}&symbol=BTC/USDT`);
    };
    for (let round = 0; round < 6; round++) {
      time.pass(5000);
      await attack(round);
      await runRound(deps);
    }
    const [view] = await deps.store.strategies({});
    expect(view?.strategy).toMatchObject({ phase: "done", status: "stopped" });
    // First base was the account's own, and is sold with what was bought on the way down.
    expect(exchange.total("BTC") < total).toBe(true);
  });
});
