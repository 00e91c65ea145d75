import { describe, expect, it, onTestFinished } from "vitest";
import { libsqlAdapterStore } from "../../../src/adapters/libsql/adapter-store.ts";
import { runRound } from "../../../src/engine/pass/round.ts";
import { decimal } from "../../../src/kernel/decimal.ts";
import { accountKey } from "../../../src/model/account.ts";
import type { Tier } from "../../../src/model/market.ts";
import { appOver } from "../../support/app.ts";
import { emulatedExchanges } from "../../support/emulated.ts";
import { buy, del, get, post } from "../../support/orders.ts";
import { gridInput } from "../../support/requests.ts";
import { runOperation } from "../../support/sandbox.ts";

async function kraken(tier: Tier) {
  const setup = await emulatedExchanges({ names: ["kraken"], tier });
  onTestFinished(() => setup.close());
  return { ...setup, venue: setup.exchange("kraken"), app: await appOver(setup.deps) };
}

const grid = (symbol: string, gridLevels: number) =>
  gridInput({
    symbol,
    lowerPrice: decimal(symbol === "BTC/USDT" ? "57000" : "2850"),
    upperPrice: decimal(symbol === "BTC/USDT" ? "63000" : "3150"),
    gridLevels,
  });

const until = async (holds: () => boolean) => {
  while (!holds()) await new Promise((after) => setTimeout(after, 2));
};

describe("a user on kraken during a pass", () => {
  it("has a cancel sent between two calls of the pass", async () => {
    const { venue, app, deps } = await kraken("pro");
    const placed = (await (await post(app, buy("kraken"))).json()) as { order: { id: string } };
    venue.latency.before = 15;
    const starting = runOperation(deps, "start_grid", grid("BTC/USDT", 20));
    await until(() => venue.count("create") > 3);
    const answer = await del(app, `/orders/${placed.order.id}?exchange=kraken&symbol=BTC/USDT`);
    expect(answer.status).toBe(200);
    const createdBefore = venue.count("create");
    await starting;
    expect(venue.count("create")).toBeGreaterThan(createdBefore);
    expect(venue.limited).toEqual([]);
  });
});

describe("a quiet pass over two grids on kraken's lowest tier", () => {
  it("requests one list of open orders, and trades only now and then", async () => {
    const { venue, deps, time } = await kraken("starter");
    for (const symbol of ["BTC/USDT", "ETH/USDT"]) {
      await runOperation(deps, "start_grid", grid(symbol, 10));
      time.pass(60_000);
    }
    for (let settled = 0; settled < 4; settled++) {
      time.pass(20_000);
      await runRound(deps);
    }
    venue.resetCounts();
    for (let passed = 0; passed < 20; passed++) {
      time.pass(5000);
      expect((await runRound(deps)).map(({ outcome }) => outcome)).toEqual(["stepped"]);
    }
    expect(venue.count("open")).toBe(20);
    expect(venue.count("order") + venue.count("closed")).toBe(0);
    for (let passed = 0; passed < 70; passed++) {
      time.pass(5000);
      await runRound(deps);
    }
    // Seven and a half minutes of two pairs, each read every five.
    expect(venue.count("fills")).toBeGreaterThanOrEqual(2);
    expect(venue.count("fills")).toBeLessThanOrEqual(4);
    expect(venue.limited).toEqual([]);
  });
});

describe("a user whose calls have used up kraken's rate limit", () => {
  it("learns when to retry, and can still cancel", async () => {
    const { venue, deps, context, app } = await kraken("starter");
    const placed = (await (await post(app, buy("kraken"))).json()) as { order: { id: string } };
    const account = accountKey(deps.venue("kraken").account);
    await libsqlAdapterStore(context).rates.exhaust(account, { burst: 20, perSecond: 0.33 });
    const requestCount = venue.count("balance");
    const answer = await get(app, "/balance?exchange=kraken");
    expect([answer.status, (await answer.json()).error]).toEqual([429, "Too many requests"]);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(8);
    expect(venue.count("balance")).toBe(requestCount);
    const cancelled = await del(app, `/orders/${placed.order.id}?exchange=kraken&symbol=BTC/USDT`);
    expect(cancelled.status).toBe(200);
  });
});

describe("a stop on kraken with orders that are seconds old", () => {
  it("makes no more calls in a pass that finds the matching engine's limit reached, and completes", async () => {
    const { venue, deps, time } = await kraken("starter");
    const { id } = await runOperation<{ id: string }>(deps, "start_grid", grid("BTC/USDT", 20));
    await runOperation(deps, "stop_strategy", { id, cancelOrders: true });
    expect(venue.open().length).toBeGreaterThan(0);
    // Two passes of the stop, each of which heard it once.
    expect(venue.limited).toEqual(["cancel", "cancel"]);
    const status = async () => (await deps.store.strategies({ id }))[0]?.strategy.status;
    let passes = 0;
    for (; (await status()) !== "stopped" && passes < 60; passes++) {
      time.pass(5000);
      await runRound(deps);
    }
    expect([await status(), venue.open().length]).toEqual(["stopped", 0]);
    expect(venue.limited.length).toBeLessThanOrEqual(passes + 2);
  });
});
