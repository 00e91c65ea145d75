import { expect, it } from "vitest";
import { runRound } from "../../src/engine/pass/round.ts";
import { decimal } from "../../src/kernel/decimal.ts";
import { mixHash, pseudorandomShare } from "../../src/kernel/hash.ts";
import { SECOND } from "../../src/kernel/time.ts";
import type { VenueName } from "../../src/model/market.ts";
import { emulatedExchanges } from "../support/emulated.ts";
import { runOperation } from "../support/sandbox.ts";
import { readStarts } from "../support/starts.ts";
import { isWhole, most } from "../support/whole.ts";

const PAIR = "BTC/USDT";
const BETWEEN = 5 * SECOND;
const SEED = 20;

/** A market that walks and trades, a thin and random book, and an exchange of which one call in a hundred fails: what rests, as it tells itself. */
async function upOf(name: VenueName, ticks: number) {
  const setup = await emulatedExchanges({
    names: [name],
    seed: SEED,
    timing: { backoff: { first: BETWEEN, max: BETWEEN } },
  });
  let drawn = 0;
  const random = () => pseudorandomShare(mixHash(SEED, 1), ++drawn);
  try {
    const { deps, time } = setup;
    const exchange = setup.exchange(name);
    const request = {
      exchange: name,
      symbol: PAIR,
      spreadPercent: 1,
      levels: 2,
      size: 100,
      quoteBudget: 2000,
      baseBudget: 0.03,
      useOthers: false,
    };
    await runOperation(deps, ...readStarts("quote", request));
    exchange.thin(PAIR, SEED);
    exchange.chance(() => (random() < 0.01 ? { kind: "server_error", acts: random() < 0.5 } : undefined));
    let [up, price] = [0, 60_000];
    for (let at = 0; at < ticks; at++) {
      price += (random() - 0.5) * 120;
      exchange.move(PAIR, String(Math.round(price)));
      time.pass(BETWEEN);
      exchange.advance();
      await runRound(deps);
      const sides = new Set(exchange.open().map(({ side }) => side));
      if (sides.size === 2) up++;
    }
    return { up: up / ticks, orders: exchange.orders().length };
  } finally {
    await setup.close();
  }
}

it.each<VenueName>(isWhole ? ["kraken", "mexc", "bitget", "gateio"] : ["kraken", "gateio"])(
  "on %s both sides of the quotes stay open nearly all of the time",
  async (name) => {
    const { up, orders } = await upOf(name, most(500, 30));
    expect(up).toBeGreaterThanOrEqual(0.99);
    // It has followed the market, and not only been left alone.
    expect(orders).toBeGreaterThan(8);
  },
);

/** Requests of ten passes over a market that lies still, once everything rests. */
async function quietCalls(name: VenueName, start: string, request: object): Promise<number> {
  const setup = await emulatedExchanges({ names: [name], seed: SEED });
  try {
    const { deps, time } = setup;
    const exchange = setup.exchange(name);
    await runOperation(deps, start, { exchange: name, symbol: PAIR, ...request });
    const pass = async () => {
      time.pass(BETWEEN);
      exchange.advance();
      await runRound(deps);
    };
    for (let at = 0; at < 6; at++) await pass();
    exchange.resetCounts();
    for (let at = 0; at < 10; at++) await pass();
    return exchange.count();
  } finally {
    await setup.close();
  }
}

it.each<VenueName>(["kraken", "mexc", "bitget", "gateio"])(
  "a quiet pass over quotes sends %s no more requests than a grid's",
  async (name) => {
    const range = { lowerPrice: decimal("59000"), upperPrice: decimal("61000"), gridLevels: 4 };
    const grid = await quietCalls(name, "start_grid", { ...range, orderSize: decimal("100") });
    const given = {
      spreadPercent: 1,
      levels: 2,
      size: 100,
      quoteBudget: 2000,
      baseBudget: 0.03,
      useOthers: false,
    };
    const request = { exchange: name, symbol: PAIR, ...given };
    const quote = await quietCalls(name, ...readStarts("quote", request));
    expect(quote).toBeGreaterThan(0);
    expect(quote).toBeLessThanOrEqual(grid);
  },
);

it("quotes follow the market with funds for one order per side", async () => {
  const setup = await emulatedExchanges({ names: ["gateio"], seed: SEED });
  try {
    const { deps, time } = setup;
    const exchange = setup.exchange("gateio");
    const request = {
      exchange: "gateio",
      symbol: PAIR,
      spreadPercent: 1,
      size: 100,
      useOthers: false,
      quoteBudget: 101,
      baseBudget: 0.0017,
    };
    await runOperation(deps, ...readStarts("quote", request));
    const before = exchange.open().find(({ side }) => side === "buy");
    // In steps that no ask of half a percent above the market fills.
    for (let price = 60_100; price <= 60_900; price += 100) {
      exchange.move(PAIR, String(price));
      for (let at = 0; at < 5; at++) {
        time.pass(BETWEEN);
        exchange.advance();
        await runRound(deps);
      }
    }
    const after = exchange.open().filter(({ side }) => side === "buy");
    // The bid moves by as much as the market, 900.
    expect(after).toHaveLength(1);
    expect(Number(after[0]?.price) - Number(before?.price)).toBeGreaterThan(800);
  } finally {
    await setup.close();
  }
});
