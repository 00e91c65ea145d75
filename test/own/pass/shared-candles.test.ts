import { expect, it } from "vitest";
import { kindsOf } from "../../../src/engine/accounts.ts";
import { runPass } from "../../../src/engine/pass/pass.ts";
import { VenueError } from "../../../src/kernel/errors.ts";
import { HOUR, MINUTE, SECOND } from "../../../src/kernel/time.ts";
import { kindsWith } from "../../../src/kinds.ts";
import { createOperations } from "../../../src/operations.ts";
import { defineStrategy, type StrategyCandle, z } from "../../../src/own/package.ts";
import type { AnyStrategyDefinition } from "../../../src/ports/definition.ts";
import type { Venue } from "../../../src/ports/venue.ts";
import { EXCHANGES, testSandbox } from "../../support/sandbox.ts";
import { startBody } from "../../support/starts.ts";

/** Records the candles of each call, and buys nothing. */
function recorder(name: string, count: number) {
  const calls: (readonly StrategyCandle[])[] = [];
  const definition = defineStrategy({
    name,
    config: z.object({}),
    candles: { timeframe: "5m", count },
    orders({ candles }) {
      calls.push(candles);
      return [];
    },
  });
  return { calls, definition: definition as AnyStrategyDefinition };
}

/** A sandbox account whose candle reads are listed, and whose books of some pairs can fail. */
async function withRecorders(...recorders: readonly ReturnType<typeof recorder>[]) {
  const definitions = recorders.map(({ definition }) => definition);
  const { deps, venue, time } = await testSandbox();
  const kraken = venue("kraken");
  const reads: string[] = [];
  const failing = new Set<string>();
  const counted: Venue = {
    ...kraken,
    candles(symbol, range) {
      reads.push(`${range.limit} of ${symbol}`);
      return kraken.candles(symbol, range);
    },
    book: async (symbol, limit) => {
      if (failing.has(symbol)) throw new VenueError("unavailable", "no book");
      return kraken.book(symbol, limit);
    },
  };
  const own = {
    ...deps,
    venue: () => counted,
    venueOf: () => counted,
    kinds: kindsOf(kindsWith(definitions)),
  };
  const pass = async () => {
    time.pass(5 * SECOND);
    await runPass(own, counted);
  };
  // In the middle of a candle, after its predecessor is final.
  time.pass(2 * HOUR + 2 * MINUTE);
  return {
    reads,
    failing,
    pass,
    async start(name: string, symbol: string) {
      const operation = createOperations(EXCHANGES, definitions).find((one) => one.name === "start_strategy");
      const place = { exchange: "kraken", symbol, baseBudget: 0, quoteBudget: 100 };
      await operation?.run(own, operation.input.parse(startBody(name, place)), { actor: "local" });
      await pass();
      await pass();
    },
  };
}

const counts = (calls: readonly (readonly StrategyCandle[])[]) => [
  ...new Set(calls.map(({ length }) => length)),
];

it("gives two strategies on a pair the numbers of candles that they request, from one read", async () => {
  const [short, long] = [recorder("short", 2), recorder("long", 5)];
  const { start, pass, reads } = await withRecorders(short, long);
  // A start reads candles for its plan, and its pass for the strategy.
  await start("short", "BTC/USDT");
  expect(reads).toEqual(["4 of BTC/USDT", "4 of BTC/USDT"]);
  // The stored candles are too few for the second strategy, although none has completed since.
  await start("long", "BTC/USDT");
  await pass();
  expect(reads.slice(2)).toEqual(["7 of BTC/USDT", "7 of BTC/USDT"]);
  expect([counts(short.calls), counts(long.calls)]).toEqual([[2], [5]]);
  expect(short.calls.at(-1)).toEqual(long.calls.at(-1)?.slice(-2));
});

it("keeps the candles of a pair whose book cannot be read in a pass", async () => {
  const [one, other] = [recorder("one", 2), recorder("other", 3)];
  const { start, pass, reads, failing } = await withRecorders(one, other);
  await start("one", "BTC/USDT");
  await start("other", "ETH/USDT");
  const [readBefore, before] = [reads.length, other.calls.length];
  failing.add("ETH/USDT");
  await pass();
  await pass();
  expect(other.calls).toHaveLength(before);
  failing.clear();
  await pass();
  expect(other.calls.length).toBeGreaterThan(before);
  expect(reads.slice(readBefore)).toEqual([]);
  expect([counts(one.calls), counts(other.calls)]).toEqual([[2], [3]]);
});
