import { afterEach, describe, expect, it } from "vitest";
import { runRound } from "../../src/engine/pass/round.ts";
import { decimal } from "../../src/kernel/decimal.ts";
import { SECOND } from "../../src/kernel/time.ts";
import type { VenueName } from "../../src/model/market.ts";
import { appOver } from "../support/app.ts";
import { emulatedExchanges } from "../support/emulated.ts";
import { gridInput } from "../support/requests.ts";
import { runOperation } from "../support/sandbox.ts";

const PAIR = "BTC/USDT";

let close: () => Promise<void> = async () => {};
afterEach(() => close());

async function on(name: VenueName) {
  const setup = await emulatedExchanges({ names: [name], timing: { readLag: 5 * SECOND } });
  close = setup.close;
  const exchange = setup.exchange(name);
  const pass = async () => {
    setup.time.pass(5 * SECOND);
    await runRound(setup.deps);
  };
  const start = (over: object = {}) =>
    runOperation<{ id: string }>(
      setup.deps,
      "start_grid",
      gridInput({ exchange: name, symbol: PAIR, ...over }),
    );
  /** The first buy fills, and before its sell arrives the market is above it. */
  const overtake = async () => {
    const [buy] = exchange.open().filter(({ side }) => side === "buy");
    exchange.fill(buy?.id ?? "");
    exchange.chance((route) => {
      if (route === "create") exchange.move(PAIR, "62000");
      return undefined;
    });
    await pass();
    exchange.chance(undefined);
  };
  return { ...setup, exchange, pass, start, overtake };
}

describe.each<VenueName>(["mexc", "gateio", "bitget", "kraken"])("post-only orders on %s", (name) => {
  it("are replaced next to the market if they would take, and pay no taker fee", async () => {
    const { exchange, pass, start, overtake, deps, context } = await on(name);
    const { id } = await start();
    expect(exchange.open().map(({ force }) => force)).toEqual(Array(4).fill("maker"));
    await overtake();
    expect(exchange.open()).toHaveLength(2);
    // mexc says nothing of its own for it, so there the slot waits as after any refusal.
    for (let waited = 0; waited < (name === "mexc" ? 4 : 1); waited++) await pass();
    const { state, lastError } = (await deps.store.strategies({ id }))[0]?.strategy ?? {};
    const sells = exchange.open().filter(({ side }) => side === "sell");
    expect(sells.length).toBeGreaterThan(0);
    expect(sells.every(({ price }) => price > decimal("61999"))).toBe(true);
    expect(exchange.executions().every(({ maker }) => maker)).toBe(true);
    if (name === "mexc") return;
    expect([state?.refused, lastError]).toEqual([[], null]);
    const { rows } = await context.client.execute("select message from events where kind = 'rejected'");
    expect(rows).toEqual([]);
  });

  it("are rejected for a manual order that would take, and placed otherwise", async () => {
    const { deps, exchange } = await on(name);
    const app = await appOver(deps);
    const post = async (price: number | undefined, type = "limit") => {
      const body = { exchange: name, symbol: PAIR, side: "buy", type, amount: 0.001, price, postOnly: true };
      const response = await app.ask("/api/v1/orders", {
        method: "POST",
        headers: { authorization: `Bearer ${app.tokens.trade}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      return (await response.json()) as { error?: string; order?: { status: string } };
    };
    const taking = await post(61_000);
    // Bitget accepts it and cancels it at once.
    if (name === "bitget") expect(taking.order?.status).toBe("canceled");
    else expect(taking.error).toBe("Order failed");
    expect((await post(59_000)).order?.status).toBe("open");
    expect(exchange.executions()).toEqual([]);
    expect((await post(undefined, "market")).error).toBe("Invalid request");
  });
});

it("a grid that can take does so, at a price no worse than its level", async () => {
  const { exchange, start, overtake } = await on("kraken");
  await start({ postOnly: false });
  expect(exchange.open().map(({ force }) => force)).toEqual(Array(4).fill("gtc"));
  await overtake();
  const executions = exchange.executions().filter(({ maker }) => !maker);
  expect(executions.map(({ order }) => order.side)).toEqual(["sell"]);
});
