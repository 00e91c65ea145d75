import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type BacktestOptions, backtest } from "../../src/backtest/run/backtest.ts";
import { type Candles, candlesIn } from "../../src/candles/candles.ts";
import { gridPosition } from "../../src/grid/booking.ts";
import { type Decimal, mul, ZERO } from "../../src/kernel/decimal.ts";
import { parseClientOrderId } from "../../src/kernel/ids.ts";
import { MINUTE } from "../../src/kernel/time.ts";
import type { Market } from "../../src/model/market.ts";
import { d, market as marketOf } from "../support/grid.ts";
import { most } from "../support/whole.ts";
import { randomCandles } from "./random-bars.ts";

/** Prices lie about 10,000 in whole units; `times` scales them, and all that is told in quote. */
interface Requested {
  readonly seed: number;
  readonly width: number;
  readonly half: number;
  readonly levels: number;
  readonly feeIn: "base" | "quote";
  readonly lot: string;
  readonly engine: "walk" | "jump";
}

const grids: fc.Arbitrary<Requested> = fc.record({
  seed: fc.nat(),
  width: fc.integer({ min: 5, max: 60 }),
  half: fc.integer({ min: 300, max: 3000 }),
  levels: fc.integer({ min: 2, max: 20 }),
  feeIn: fc.constantFrom("base", "quote"),
  lot: fc.constantFrom("0.00001", "0.001"),
  engine: fc.constantFrom("walk", "jump"),
});

const BARS = 300;
const START = { quote: d("50000"), base: d("1") };
const START_PRICE = d("10000");

function run(
  request: Requested,
  candles: Candles,
  over: Partial<BacktestOptions> & { times?: bigint; stop?: Decimal } = {},
) {
  const { times = 1n, stop, ...options } = over;
  const market: Market = marketOf({
    tick: d("1") * times,
    lot: d(request.lot),
    minAmount: d(request.lot),
    minNotional: d("1") * times,
    buyFeeIn: request.feeIn,
  });
  const of = (price: number): Decimal => d(String(price)) * times;
  const expected = {
    lowerPrice: of(10_000 - request.half),
    upperPrice: of(10_000 + request.half),
    gridLevels: request.levels,
    orderSize: of(400),
    stopLossPrice: stop,
    allowLoss: true,
  };
  const balances = [
    { asset: "USDT", free: START.quote * times, used: 0n },
    { asset: "BTC", free: START.base, used: 0n },
  ];
  return backtest(expected, candles, { market, balances, engine: request.engine, ...options });
}

/** Of one price throughout. */
const flat = (price: number, like: Candles): Candles => {
  const column = Float64Array.from(like.close, () => price);
  return candlesIn({ ...like, open: column, high: column, low: column, close: column });
};

const scaled = (candles: Candles, times: number): Candles => {
  const column = (of: Candles["open"]) => Float64Array.from(of, (price) => price * times);
  const { open, high, low, close } = candles;
  return candlesIn({
    ...candles,
    open: column(open),
    high: column(high),
    low: column(low),
    close: column(close),
  });
};

const runs = { numRuns: most(60, 12), endOnFailure: true };
const barsOf = ({ seed, width }: Requested) => randomCandles(seed, BARS, width);

describe("a backtest of any grid and price history", () => {
  it("trades nothing and earns nothing at a constant price", () => {
    fc.assert(
      fc.property(grids, fc.integer({ min: -200, max: 200 }), (request, off) => {
        const { run: done, figures } = run(request, flat(10_000 + off, barsOf(request)));
        expect([done.fills.count, figures.total, figures.realized, figures.unrealized]).toEqual([
          0,
          ZERO,
          ZERO,
          ZERO,
        ]);
        // Measured in floats: what is no fall may be their rounding.
        expect(figures.drawdown.amount).toBeLessThan(1e-9);
      }),
      runs,
    );
  });

  it("scales the result with the price", () => {
    fc.assert(
      fc.property(grids, fc.constantFrom(2n, 10n, 137n), (request, times) => {
        const candles = barsOf(request);
        const [one, many] = [run(request, candles), run(request, scaled(candles, Number(times)), { times })];
        expect(many.run.fills.count).toBe(one.run.fills.count);
        // The cost of a part of what is held is rounded, once for each fill.
        const off = many.figures.realized - one.figures.realized * times;
        expect(off < 0n ? -off : off).toBeLessThanOrEqual(times * BigInt(one.run.fills.count));
        expect(many.figures.total).toBe(one.figures.total * times);
        expect(many.figures.position).toBe(one.figures.position);
      }),
      runs,
    );
  });

  it("waits while the price is below a grid, and trades once it arrives", () => {
    const climbing = (request: Requested) => {
      const candles = barsOf(request);
      // Up through the grid, and then about its upper half.
      const column = (of: Candles["open"]) =>
        Float64Array.from(of, (price, i) => price - Math.max(0, 200 - i) * 20);
      const { open, high, low, close } = candles;
      return candlesIn({
        ...candles,
        open: column(open),
        high: column(high),
        low: column(low),
        close: column(close),
      });
    };
    fc.assert(
      fc.property(grids, (asked) => {
        const request = { ...asked, half: Math.min(asked.half, 900), levels: 20, width: 60 };
        const candles = climbing(request);
        expect(candles.open[0]).toBeLessThan(10_000 - request.half);
        const quote = [{ asset: "USDT", free: START.quote, used: 0n }];
        const [walked, jumped] = (["walk", "jump"] as const).map((engine) =>
          run({ ...request, engine }, candles, { balances: quote }),
        );
        expect(walked?.run.fills.count).toBeGreaterThan(0);
        expect(walked?.figures.total).toBe(jumped?.figures.total);
        expect(() => run(request, candles, { balances: [] })).toThrow("no order could be placed");
      }),
      { ...runs, numRuns: most(60, 4) },
    );
  });

  it("lists its fills in time order, newest last", () => {
    fc.assert(
      fc.property(grids, fc.integer({ min: 1, max: 8 }), fc.boolean(), (request, limit, isLate) => {
        const rules = isLate ? { tickInterval: 10 * MINUTE } : {};
        const { fills } = run(request, randomCandles(request.seed, BARS, 10 * request.width), { rules }).run;
        const all = fills.newest(fills.count);
        expect(all).toEqual([...all].sort((a, b) => a.at - b.at));
        expect(fills.newest(limit)).toEqual(all.slice(-limit));
      }),
      runs,
    );
  });

  it("equals its fills, net of fees, plus its inventory at the last price", () => {
    fc.assert(
      fc.property(grids, (request) => {
        const { run: done, figures, balances } = run(request, barsOf(request));
        const { strategy } = done.account;
        let [quote, base] = [ZERO, ZERO];
        for (const { side, amount, notional, fees } of done.fills.newest(done.fills.count)) {
          quote += side === "buy" ? -notional : notional;
          base += side === "buy" ? amount : -amount;
          for (const fee of fees)
            [quote, base] = fee.asset === "USDT" ? [quote - fee.amount, base] : [quote, base - fee.amount];
        }
        const { firstBase, firstCost } = strategy.state.ledger;
        expect(strategy.state.ledger.quote).toBe(quote);
        // Dust stays booked: what slots hold is all that was bought and not sold.
        expect(gridPosition(strategy.state)).toBe(firstBase + base);
        expect(figures.total).toBe(quote + mul(firstBase + base, figures.endPrice, "half") - firstCost);
        expect(figures.realized + figures.unrealized).toBe(figures.total);
        const at = (asset: string) => done.balances.find((one) => one.asset === asset);
        const all = (asset: string) => (at(asset)?.free ?? ZERO) + (at(asset)?.used ?? ZERO);
        const begun = (asset: string) => balances.find((one) => one.asset === asset)?.free ?? ZERO;
        expect([all("USDT") - begun("USDT"), all("BTC") - begun("BTC")]).toEqual([quote, base]);
      }),
      runs,
    );
  });

  it("has a cost basis equal to the base's purchase cost, and breaks even at the reported price", () => {
    fc.assert(
      fc.property(grids, (request) => {
        const { run: done, figures } = run(request, barsOf(request));
        const { slots, ledger } = done.account.strategy.state;
        expect(figures.cost).toBe(slots.reduce((sum, { cost }) => sum + cost, ZERO));
        // Realized is what cash has gained beyond the cost of what is still held.
        expect(figures.realized).toBe(ledger.quote - ledger.firstCost + figures.cost);
        const { breakEvenPrice: price, position } = figures;
        if (price === null) return;
        const total = ledger.quote + mul(position, price, "half") - ledger.firstCost;
        expect(total >= -1n && total <= position / 10n ** 18n + 2n).toBe(true);
      }),
      runs,
    );
  });

  it("has buys in the slots below one price and sells in all slots above it", () => {
    fc.assert(
      fc.property(grids, (request) => {
        const { run: done } = run(request, barsOf(request));
        const sides = new Map<number, string>();
        for (const { side, clientId } of done.fills.newest(done.fills.count))
          sides.set(parseClientOrderId(clientId)?.slot ?? -1, side);
        const slots = [...done.account.strategy.state.slots].sort((a, b) => (a.lower < b.lower ? -1 : 1));
        const first = slots.findIndex(({ side }) => side === "sell");
        if (first >= 0) expect(slots.slice(first).every(({ side }) => side === "sell")).toBe(true);
        for (const [index, side] of sides)
          expect(slots.find((slot) => slot.index === index)?.side).toBe(side === "buy" ? "sell" : "buy");
      }),
      runs,
    );
  });
});

const cyclesOf = (result: ReturnType<typeof run>): number => result.run.account.strategy.state.ledger.cycles;
const falls = (values: readonly (number | Decimal)[]): boolean =>
  values.every((value, i) => i === 0 || value <= (values[i - 1] as number | Decimal));

describe("a less favorable backtest assumption", () => {
  it("of a wider spread never adds a fill or a cycle", () => {
    fc.assert(
      fc.property(grids, (request) => {
        const spreads = ["0", "0.0004", "0.001", "0.003", "0.01"].map(d);
        const all = spreads.map((spread) => run(request, barsOf(request), { rules: { spread } }));
        expect(falls(all.map(cyclesOf))).toBe(true);
        expect(falls(all.map(({ run: { fills } }) => fills.count))).toBe(true);
      }),
      runs,
    );
  });

  it("of rarer passes never adds a cycle", () => {
    fc.assert(
      fc.property(grids, (request) => {
        const candles = barsOf(request);
        const intervals = [undefined, 60_000, 120_000, 240_000, 960_000];
        const all = intervals.map((tickInterval) =>
          run({ ...request, engine: "walk" }, candles, { rules: { tickInterval } }),
        );
        expect(falls(all.map(cyclesOf))).toBe(true);
      }),
      runs,
    );
  });

  // Up to a tenth of a per cent: an exit waits for a better price where it would have to give more than its limit.
  it("of more slippage at an exit never raises the total", () => {
    fc.assert(
      fc.property(grids, fc.integer({ min: 50, max: 900 }), (request, off) => {
        const candles = barsOf(request);
        const stop = START_PRICE - d(String(request.half + off));
        const slips = ["0", "0.0002", "0.0005", "0.001"].map(d);
        const all = slips.map((slippage) =>
          run({ ...request, engine: "walk" }, scaledDown(candles), { rules: { slippage }, stop }),
        );
        expect(falls(all.map(({ figures }) => figures.total))).toBe(true);
      }),
      runs,
    );
  });
});

/** The same bars, with a fall to a tenth in their second half: every stop price is met. */
function scaledDown(candles: Candles): Candles {
  const column = (of: Candles["open"]) =>
    Float64Array.from(of, (price, bar) => (bar < BARS / 2 ? price : Math.round(price / (1 + bar / 60))));
  const { open, high, low, close } = candles;
  return candlesIn({
    ...candles,
    open: column(open),
    high: column(high),
    low: column(low),
    close: column(close),
  });
}
