import { describe, expect, it } from "vitest";
import { inSlices, marketOf, pastOf, tapeOf } from "../../../src/backtest/operations/past.ts";
import { candlesOf } from "../../../src/candles/candles.ts";
import { MINUTE } from "../../../src/kernel/time.ts";
import type { Call } from "../../../src/operation.ts";
import type { Deps } from "../../../src/ports/deps.ts";
import type { CandleRange } from "../../../src/ports/venue.ts";
import { d, market } from "../../support/grid.ts";

const PLACE = { exchange: "kraken", symbol: "BTC/USDT" } as const;
const CALL = { actor: "local" } as unknown as Call;
/** The exchange's candles go from here to minute 5000. */
const START = 1_700_000_040_000;
const LAST = 5000;

/** An exchange that answers at most so many candles of a request, and what it was asked for. */
function exchange({
  page = 1000,
  kept,
  trades = [] as unknown[],
}: {
  page?: number;
  kept?: object;
  trades?: unknown[];
} = {}) {
  const ranges: CandleRange[] = [];
  const venue = {
    async candles(_symbol: string, range: CandleRange) {
      ranges.push(range);
      const first = range.since === undefined ? LAST - page + 1 : Math.ceil((range.since - START) / MINUTE);
      const count = Math.max(0, Math.min(page, range.limit, LAST - first + 1));
      return Array.from({ length: count }, (_, i) => ({
        at: START + (first + i) * MINUTE,
        open: d("100"),
        high: d("101"),
        low: d("99"),
        close: d("100.5"),
        volume: d("2.5"),
      }));
    },
    trades: async () => trades,
    market: async () => market({ active: false }),
  };
  const deps = {
    venue: () => venue,
    local: { monotonic: () => 0, sleep: async () => undefined },
    ...(kept ? { kept } : {}),
  } as unknown as Deps;
  return { deps, ranges };
}
const past = (deps: Deps, over: { since?: number; until?: number } = {}) =>
  pastOf(deps, { ...PLACE, span: MINUTE, since: undefined, until: undefined, ...over }, CALL);
const minutes = ({ times }: { times: Float64Array }) => [
  ...[times[0], times.at(-1)].map((at) => ((at as number) - START) / MINUTE),
  times.length,
];

describe("past candles of an exchange", () => {
  it("are its newest ones, in one request", async () => {
    const { deps, ranges } = exchange();
    const candles = await past(deps);
    expect([minutes(candles), ranges.length]).toEqual([[4001, 5000, 1000], 1]);
    expect(candles).toMatchObject({ pair: "BTC/USDT", spanMillis: MINUTE });
    expect([candles.open[0], candles.close[0], candles.volume[0]].map(Number)).toEqual([
      ...[100, 100.5].map((price) => price * 10 ** candles.scale),
      2.5,
    ]);
  });

  it("are read page by page from their start, until the newest one", async () => {
    const { deps, ranges } = exchange();
    expect(minutes(await past(deps, { since: START }))).toEqual([0, 5000, 5001]);
    expect(
      ranges.map(({ since, limit, span }) => [((since as number) - START) / MINUTE, limit, span]),
    ).toEqual([0, 1000, 2000, 3000, 4000, 5000].map((minute) => [minute, 1000, MINUTE]));
  });

  it("end before their end, without another request", async () => {
    const { deps, ranges } = exchange();
    const until = START + 2000 * MINUTE;
    expect([minutes(await past(deps, { since: START, until })), ranges.length]).toEqual([[0, 1999, 2000], 2]);
    expect(minutes(await past(deps, { since: START + 1, until: until - 1 }))).toEqual([1, 1999, 1999]);
  });

  it("end with a page of less than half of what was asked for", async () => {
    const half = exchange({ page: 500 });
    expect([minutes(await past(half.deps, { since: START })), half.ranges.length]).toEqual([
      [0, 5000, 5001],
      11,
    ]);
    const few = exchange({ page: 499 });
    expect([minutes(await past(few.deps, { since: START })), few.ranges.length]).toEqual([[0, 498, 499], 1]);
  });

  it("are at most thirty pages", async () => {
    const { deps, ranges } = exchange();
    const since = START - 40_000 * MINUTE;
    const most = "more than 30000 candles are too many for one request";
    await expect(past(deps, { since, until: since + 30_001 * MINUTE })).rejects.toThrow(most);
    expect(ranges).toEqual([]);
    expect(minutes(await past(deps, { since, until: since + 30_000 * MINUTE }))).toEqual([
      -40_000, -10_001, 30_000,
    ]);
    expect(minutes(await past(deps, { since }))).toEqual([-40_000, -10_001, 30_000]);
    // Without a start there is one request.
    await expect(past(deps, { until: START })).rejects.toThrow(
      "there are no candles of BTC/USDT in this period",
    );
  });
});

describe("stored candles", () => {
  const stored = candlesOf(
    { pair: "BTC/USDT", spanMillis: MINUTE },
    [0, 1, 2].map((i) => ({ at: START + i * MINUTE, open: "1", high: "1", low: "1", close: "1", volume: 1 })),
  );
  it("are used before the exchange's, in their time", async () => {
    const { deps, ranges } = exchange({ kept: { candles: async () => stored } });
    expect(minutes(await past(deps))).toEqual([0, 2, 3]);
    expect(minutes(await past(deps, { since: START + MINUTE, until: START + 2 * MINUTE }))).toEqual([
      1, 1, 1,
    ]);
    await expect(past(deps, { since: START + 3 * MINUTE })).rejects.toThrow(
      "there are no candles of BTC/USDT",
    );
    expect(ranges).toEqual([]);
    const without = exchange({ kept: { candles: async () => undefined } });
    expect(minutes(await past(without.deps))).toEqual([4001, 5000, 1000]);
  });
});

describe("a tape", () => {
  const TRADES = [3, 1, 2].map((second) => ({
    id: `t${second}`,
    at: START + 1000 * second,
    side: "buy",
    price: d(`10${second}`),
    amount: d("0.5"),
  }));
  const tape = (deps: Deps, timeframe: string, over: object = {}) =>
    tapeOf(deps, { ...PLACE, timeframe, since: undefined, until: undefined, ...over });

  it("is the exchange's newest trades, if they are asked for, in order", async () => {
    const { deps } = exchange({ trades: TRADES });
    const found = await tape(deps, "trades");
    const { prints } = found?.tape ?? {};
    expect([...(prints?.times ?? [])].map((at) => at - START)).toEqual([1000, 2000, 3000]);
    expect([...(prints?.close ?? [])].map((price) => price / 10 ** (prints?.scale ?? 0))).toEqual([
      101, 102, 103,
    ]);
    expect([...(prints?.volume ?? [])]).toEqual([0.5, 0.5, 0.5]);
    expect(found?.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(await tape(deps, "1m")).toBeUndefined();
    await expect(tape(exchange().deps, "trades")).rejects.toThrow("kraken has no trades of BTC/USDT");
  });

  it("ends before its end, and is not empty", async () => {
    const { deps } = exchange({ trades: TRADES });
    const found = await tape(deps, "trades", { since: START + 2000, until: START + 3000 });
    expect([...(found?.tape.prints.times ?? [])]).toEqual([START + 2000]);
    await expect(tape(deps, "trades", { since: START + 3001 })).rejects.toThrow(
      "there are no trades of BTC/USDT in this period",
    );
  });

  it("is the one of the file, whatever is asked for", async () => {
    const file = await tape(exchange({ trades: TRADES }).deps, "trades");
    const { deps } = exchange({ kept: { tape: async () => file } });
    expect((await tape(deps, "1m"))?.hash).toBe(file?.hash);
    expect(await tape(exchange({ kept: { tape: async () => undefined } }).deps, "1m")).toBeUndefined();
  });
});

describe("the rules of a market", () => {
  it("are those of the input without a request, if it has a tick, a lot and a fee", async () => {
    const offline = {} as Deps;
    const given = { tick: d("0.1"), lot: d("0.01"), makerFee: d("0.001") };
    expect(await marketOf(offline, PLACE, given)).toEqual({
      symbol: "BTC/USDT",
      base: "BTC",
      quote: "USDT",
      active: true,
      tick: d("0.1"),
      lot: d("0.01"),
      minAmount: d("0.01"),
      minNotional: 0n,
      maker: d("0.001"),
      taker: d("0.001"),
      buyFeeIn: "quote",
    });
    const more = { takerFee: d("0.002"), minNotional: d("5"), feeIn: "base" as const };
    expect(await marketOf(offline, PLACE, { ...given, ...more })).toMatchObject({
      maker: d("0.001"),
      taker: d("0.002"),
      minNotional: d("5"),
      buyFeeIn: "base",
    });
  });

  it("are the exchange's, with replacements", async () => {
    const { deps } = exchange();
    expect(await marketOf(deps, PLACE, {})).toEqual(market());
    const over = { tick: d("1"), lot: d("2"), minNotional: d("3"), makerFee: d("0.1"), takerFee: d("0.2") };
    for (const [name, field] of [
      ["tick", "tick"],
      ["lot", "lot"],
      ["minNotional", "minNotional"],
      ["makerFee", "maker"],
      ["takerFee", "taker"],
    ] as const)
      expect(await marketOf(deps, PLACE, { [name]: over[name] })).toEqual(market({ [field]: over[name] }));
    expect(await marketOf(deps, PLACE, { feeIn: "base" })).toEqual(market({ buyFeeIn: "base" }));
  });

  it("need no exchange if tick, lot and maker fee are given", async () => {
    const deps = { venue: () => expect.fail("it was asked") } as unknown as Deps;
    const given = { tick: d("1"), lot: d("2"), makerFee: d("0.1") };
    const plain = {
      tick: d("1"),
      lot: d("2"),
      minAmount: d("2"),
      minNotional: 0n,
      maker: d("0.1"),
      taker: d("0.1"),
    };
    expect(await marketOf(deps, PLACE, given)).toEqual(market(plain));
    expect(
      await marketOf(deps, PLACE, { ...given, minNotional: d("5"), takerFee: d("0.2"), feeIn: "base" }),
    ).toEqual(market({ ...plain, minNotional: d("5"), taker: d("0.2"), buyFeeIn: "base" }));
    for (const name of ["tick", "lot", "makerFee"])
      await expect(marketOf(deps, PLACE, { ...given, [name]: undefined })).rejects.toThrow("it was asked");
  });
});

/** A calculation of steps that take so long each, on a clock that shows it at once or only after a rest. */
async function sliced(steps: number, { millis = 1, isFrozen = false, share = 1 } = {}) {
  let [now, shown] = [0, 0];
  const slices: number[] = [];
  const heard: number[] = [];
  let done = 0;
  function* work() {
    for (let step = 0; step < steps; step++) {
      now += millis;
      done++;
      if (!isFrozen) shown = now;
      yield step / steps;
    }
    return "answer";
  }
  const sleep = async (rest: number) => {
    slices.push(done);
    done = 0;
    now += rest;
    shown = now;
  };
  const hear = (value: number) => void heard.push(value);
  const answer = await inSlices(work(), { monotonic: () => shown, sleep }, { hear, share: () => share });
  return { answer, slices, heard };
}

describe("a calculation in slices", () => {
  it("pauses after sixteen milliseconds", async () => {
    // It reports the share that its 16th and its 32nd step have completed.
    expect(await sliced(40)).toEqual({ answer: "answer", slices: [16, 16], heard: [15 / 40, 31 / 40] });
  });

  it("pauses after its share of sixteen milliseconds", async () => {
    expect((await sliced(40, { share: 0.25 })).slices).toEqual(Array(10).fill(4));
  });

  it("pauses on a stopped clock after as many steps as sixteen milliseconds take", async () => {
    const { answer, slices } = await sliced(400, { isFrozen: true });
    expect(answer).toBe("answer");
    expect(slices.slice(0, 4)).toEqual([8, 16, 32, 16]);
    expect(Math.max(...slices)).toBeLessThanOrEqual(32);
  });

  it("continues one step at a time where each takes longer", async () => {
    expect((await sliced(20, { isFrozen: true, millis: 50 })).slices).toEqual([8, 4, 2, 1, 1, 1, 1, 1, 1]);
  });
});
