import * as z from "zod";
import { decimal } from "../../src/kernel/decimal.ts";
import { splitPair } from "../../src/kernel/pair.ts";
import { accountKey } from "../../src/model/account.ts";
import { defineStrategy } from "../../src/own/define.ts";
import { ownStrategyKind } from "../../src/own/kind.ts";
import { newOwnStrategyState, type OwnStrategyConfig } from "../../src/own/state.ts";
import type { StrategyDefinitions } from "../../src/ports/definition.ts";
import type { Deps } from "../../src/ports/deps.ts";
import type { Deed } from "../simulation/deeds.ts";
import { TICKS } from "../simulation/shape.ts";
import { BY } from "../support/by.ts";

const config = z.object({ spreadPercent: z.number(), size: z.number() });

/** Both sides of the middle. */
export const twoSided = defineStrategy({
  name: "two-sided",
  config,
  orders({ config: { spreadPercent, size }, quote: { mid } }) {
    return [
      { id: "bid", side: "buy", price: mid.times(1 - spreadPercent / 200), quoteSize: size },
      { id: "ask", side: "sell", price: mid.times(1 + spreadPercent / 200), quoteSize: size },
    ];
  },
});

/** Ids that change, a state that counts what was filled, and everything that it holds for sale. */
export const buyer = defineStrategy<typeof config, { round: number; bought: string }>({
  name: "buyer",
  config,
  tolerance: { price: 0.002, amount: 0 },
  orders({ config: { spreadPercent, size }, quote, position, fills, state = { round: 0, bought: "0" } }) {
    const buys = fills.filter(({ side }) => side === "buy");
    const round = state.round + buys.length;
    const bought = buys.reduce((sum, { amount }) => amount.plus(sum).toString(), state.bought);
    return {
      orders: [
        { id: `buy-${round}`, side: "buy", price: quote.bid.times(1 - spreadPercent / 400), quoteSize: size },
        {
          id: `far-${round % 3}`,
          side: "buy",
          price: quote.bid.times(1 - spreadPercent / 100),
          quoteSize: size,
        },
        { id: "all", side: "sell", price: quote.ask.times(1 + spreadPercent / 200), size: position.base },
      ],
      state: { round, bought },
    };
  },
});

/** Fails in each way at random, while it is given to fail. */
const faulty = (fails: () => boolean) =>
  defineStrategy({
    name: "faulty",
    config,
    orders(view) {
      const drawn = fails() ? view.random() : 1;
      if (drawn < 0.01) throw new Error("at random");
      if (drawn < 0.015) return [{ id: "bid", side: "buy", price: Number.NaN, size: 1 }];
      if (drawn < 0.02) return [{ id: "bid", side: "buy", price: 0, size: 1 }];
      return twoSided.orders({ ...view, state: undefined });
    },
  });

/** Functions of a simulated run, one of which throws at random; once `fails` returns false it no longer does, as every other fault. */
export const simulatedDefinitions = (fails: () => boolean): StrategyDefinitions => [
  twoSided,
  buyer,
  faulty(fails),
];

const NAMES = simulatedDefinitions(() => false).map(({ name }) => name);

/** Narrow enough that the simulated walk fills it, of each function in turn. */
export const configOf = (n: number): OwnStrategyConfig => ({
  definition: NAMES[n % NAMES.length] ?? "",
  version: 1,
  options: { spreadPercent: [0.2, 0.4][n % 2] ?? 0.2, size: 60 },
  budget: { base: decimal("5"), quote: decimal("1000") },
  ...(n % 4 === 3 ? { postOnly: false } : {}),
});

/** What a person asks of a grid, asked of a function. */
export const actOnOwnStrategy =
  (configFor: (n: number) => OwnStrategyConfig = configOf) =>
  async (deps: Deps, exchange: string, deed: Deed, id?: string): Promise<void> => {
    const { store } = deps;
    const { name, version } = ownStrategyKind([]);
    if (deed.kind === "start" || deed.kind === "start_centered") {
      const { base, quote } = splitPair(deed.symbol);
      const now = await store.now();
      await store.createStrategy(
        {
          kind: name,
          version,
          config: configFor(Math.floor(now / 1000)),
          state: newOwnStrategyState(decimal("0.01") * BigInt(TICKS)),
          wants: "run",
          keepOrders: false,
          sellBase: false,
          status: "running",
          phase: "starting",
          lastError: null,
          stoppedAt: null,
          request: null,
          startedAt: now,
          prefix: `declared-${exchange}-${base}-${quote}`,
          account: accountKey(deps.venue(exchange).account),
          symbol: deed.symbol,
        },
        BY,
      );
    }
    if (id === undefined) return;
    if (deed.kind === "stop")
      await store.setWants(id, "stop", { keepOrders: deed.keep, sellBase: deed.sell ?? false }, BY);
    if (deed.kind === "pause" || deed.kind === "run")
      await store.setPaused(id, deed.kind === "pause" ? { keepOrders: false } : null, BY);
  };
