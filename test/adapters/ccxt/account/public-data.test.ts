import { describe, expect, it } from "vitest";
import { publicData } from "../../../../src/adapters/ccxt/account/fills.ts";
import { DAY, HOUR, MINUTE } from "../../../../src/kernel/time.ts";
import { d } from "../../../support/grid.ts";
import { failed } from "../exchanges/stub.ts";

const NOW = 1_767_225_600_000;
const PAIR = "BTC/USDT";

/** Public data of an exchange with these answers, each request's arguments, and what was shared under which name. */
function dataOf(
  answers: Record<string, (...args: never[]) => unknown>,
  candlePage = 100,
  asker: "own" | "anyone" = "own",
) {
  const [calls, shared, markets]: [unknown[][], string[], string[]] = [[], [], []];
  const exchange = Object.fromEntries(
    Object.entries(answers).map(([name, answer]) => [
      name,
      async (...args: unknown[]) => {
        calls.push(args);
        return answer(...(args as never[]));
      },
    ]),
  );
  const known = (name: string) => ({
    known: async (symbol: string) => {
      markets.push(`${name} ${symbol}`);
      return {};
    },
  });
  const read = (who: string) => ({
    read: ({ kind, about }: { kind: string; about: string }, call: () => unknown) => {
      shared.push(`${who} ${kind} ${about}`);
      return call();
    },
  });
  const link = {
    quirks: { name: "kraken", candlePage, candleReach: 720, bookLevels: 150, publicTrades: 500 },
    reads: { own: read("own"), anyone: read("anyone") },
    clock: () => NOW,
    catalog: { ...known("own"), forAnyone: known("anyone") },
    publicly: async () => exchange,
  };
  return { data: publicData(link as never, asker), calls, shared, markets };
}

describe("a book", () => {
  it("is read with all of its levels, and has so many as were asked for", async () => {
    const levels = Array.from({ length: 120 }, (_, i) => [String(1000 - i), "1"]);
    const { data, calls, shared } = dataOf({
      fetchOrderBook: () => ({ bids: levels, asks: levels.slice(0, 3) }),
    });
    const book = await data.book(PAIR, 2);
    expect([book.bids.map(({ price }) => price), book.asks.length, book.at]).toEqual([
      [d("1000"), d("999")],
      2,
      NOW,
    ]);
    expect([(await data.book(PAIR, 500)).bids.length, calls[0], shared[0]]).toEqual([
      100,
      [PAIR, 150],
      `own book ${PAIR} `,
    ]);
  });
});

describe("trades", () => {
  it("are the newest ones, newest first", async () => {
    const trade = (at: number) => ({ id: `t${at}`, side: "buy", price: "1", amount: "1", timestamp: at });
    const { data, calls } = dataOf({ fetchTrades: () => [5, 9, 7].map((at) => trade(NOW + at)) });
    expect((await data.trades(PAIR, 2)).map(({ at }) => at)).toEqual([NOW + 9, NOW + 7]);
    expect(calls).toEqual([[PAIR, undefined, 500]]);
  });
});

describe("a ticker", () => {
  const TICKER = { bid: "99", ask: "101", last: "100", baseVolume: "1", timestamp: NOW };
  it("is shared, but the quote of an order never", async () => {
    const { data, shared, markets } = dataOf({ fetchTicker: () => TICKER }, 100, "anyone");
    expect([(await data.ticker(PAIR)).bid, (await data.quote(PAIR)).ask]).toEqual([d("99"), d("101")]);
    expect([shared, markets]).toEqual([[`anyone ticker ${PAIR} `], [`anyone ${PAIR}`, `anyone ${PAIR}`]]);
    const own = dataOf({ fetchTicker: () => TICKER });
    await own.data.ticker(PAIR);
    expect([own.shared, own.markets]).toEqual([[`own ticker ${PAIR} `], [`own ${PAIR}`]]);
  });
  it("fails with the exchange's name", async () => {
    const { data } = dataOf({ fetchTicker: () => Promise.reject(failed()) });
    await expect(data.ticker(PAIR)).rejects.toMatchObject({ failure: "refused", message: "kraken: no" });
  });
});

describe("candles", () => {
  /** An exchange whose candles of a minute end with the one that begins now. */
  const minutes = (_symbol: string, _frame: string, since: number | undefined, limit: number) => {
    const first = since === undefined ? NOW - (limit - 1) * MINUTE : since - MINUTE;
    const count = Math.min(limit + 1, (NOW - first) / MINUTE + 1);
    const rows = Array.from({ length: count }, (_, i) => [first + i * MINUTE, "1", "1", "1", "1", "1"]);
    return rows.reverse();
  };
  const times = (rows: readonly { at: number }[]) => rows.map(({ at }) => (at - NOW) / MINUTE);
  const asked = (calls: readonly unknown[][]) =>
    calls.map(([, frame, since, limit]) => [
      frame,
      since === undefined ? since : ((since as number) - NOW) / MINUTE,
      limit,
    ]);

  it("are the newest ones, read in one of few sizes", async () => {
    const { data, calls, shared } = dataOf({ fetchOHLCV: minutes });
    expect(times(await data.candles(PAIR, { span: MINUTE, limit: 3 }))).toEqual([-2, -1, 0]);
    for (const limit of [100, 101, 300, 301, 1000, 1001]) await data.candles(PAIR, { span: MINUTE, limit });
    expect(asked(calls)).toEqual(
      [100, 100, 300, 300, 1000, 1000, 1001].map((limit) => ["1m", undefined, limit]),
    );
    expect(shared[0]).toBe(`own candles ${PAIR} ${MINUTE} 100 undefined`);
  });

  it("since a time are read page by page, each once, until now", async () => {
    const { data, calls } = dataOf({ fetchOHLCV: minutes });
    // The exchange also returns the candle before each page.
    const found = times(await data.candles(PAIR, { span: MINUTE, limit: 1000, since: NOW - 249.5 * MINUTE }));
    expect([found.length, found[0], found.at(-1)]).toEqual([250, -249, 0]);
    expect(asked(calls)).toEqual([
      ["1m", -249, 100],
      ["1m", -149, 100],
      ["1m", -49, 100],
    ]);
    const some = dataOf({ fetchOHLCV: minutes });
    expect(
      times(await some.data.candles(PAIR, { span: MINUTE, limit: 101, since: NOW - 200 * MINUTE })).at(-1),
    ).toBe(-100);
    expect(some.calls).toHaveLength(2);
    const future = dataOf({ fetchOHLCV: minutes });
    expect(await future.data.candles(PAIR, { span: MINUTE, limit: 5, since: NOW + 1 })).toEqual([]);
    expect(times(await future.data.candles(PAIR, { span: MINUTE, limit: 5, since: NOW }))).toEqual([0]);
    expect(future.calls).toHaveLength(1);
  });

  it("since a time begin with a whole candle, of a day at most", async () => {
    const { data, calls } = dataOf({ fetchOHLCV: () => [] });
    for (const span of [4 * HOUR, DAY, 7 * DAY])
      await data.candles(PAIR, { span, limit: 1, since: NOW - 10 * DAY - 5 * HOUR });
    expect(calls.map(([, frame, since]) => [frame, (NOW - (since as number)) / HOUR])).toEqual([
      ["4h", 244],
      ["1d", 240],
      ["1w", 240],
    ]);
    await expect(data.candles(PAIR, { span: 2 * MINUTE, limit: 1 })).rejects.toThrow(
      "there are no candles of this length",
    );
  });
});
