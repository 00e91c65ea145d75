import { describe, expect, it } from "vitest";
import { backtest } from "../../src/backtest/run/backtest.ts";
import { type Candles, slice } from "../../src/candles/candles.ts";
import { DAY, MINUTE } from "../../src/kernel/time.ts";
import { d, market as marketOf } from "../support/grid.ts";
import { sharedCandles } from "../support/january.ts";

/** What its tests publish now, of the same two days with the bar that begins when they end. */
const PUBLISHED_NOW = [
  { hedged: false, geometric: false, buys: 6, sells: 3, fees: "0.22", end: "146.59" },
  { hedged: false, geometric: true, buys: 6, sells: 3, fees: "0.22", end: "146.61" },
  { hedged: true, geometric: false, buys: 15, sells: 10, fees: "0.52", end: "145.43" },
  { hedged: true, geometric: true, buys: 18, sells: 13, fees: "0.63", end: "146.10" },
];

/** Two days of a public grid bot's own data, with what its integration tests publish: see docs/backtest.md. */
const PUBLISHED = { sells: 3, center: 162.5 };

const all = sharedCandles("peers/sol-usdt-1m.csv.gz", "SOL/USDT");

const COUNT = 8;
const [BOTTOM, TOP] = [155, 170];
const FEE = 0.001;

describe.skipIf(!all)("a backtest beside a public grid bot's published results", () => {
  const candles = all && slice(all, all.from, all.from + 2 * DAY);
  const market = marketOf({
    symbol: "SOL/USDT",
    base: "SOL",
    quote: "USDT",
    tick: d("0.01"),
    lot: d("0.000001"),
    minAmount: d("0.000001"),
    minNotional: d("1"),
  });
  const request = {
    lowerPrice: d("155"),
    upperPrice: d("170"),
    gridLevels: 7,
    orderSize: d("18.75"),
    triggerPrice: d(String(PUBLISHED.center)),
    initialBuy: true,
  };
  const run = () => {
    if (!candles) throw new Error("no candles");
    const { figures, run: done } = backtest(request, candles, { market, rules: { fill: "touch" } });
    const fills = done.fills.newest(done.fills.count);
    return { figures, ledger: done.account.strategy.state.ledger, fills };
  };

  it.each(PUBLISHED_NOW)(
    "reproduces them with that bot's rules: %o",
    ({ buys, sells, fees, end, ...kind }) => {
      const days = slice(all as Candles, all?.from ?? 0, (all?.from ?? 0) + 2 * DAY + MINUTE);
      const result = peerRun(days, kind);
      expect([result.buys, result.sells]).toEqual([buys, sells]);
      expect([result.fees.toFixed(2), result.end.toFixed(2)]).toEqual([fees, end]);
    },
  );

  it("matches the figures in docs/backtest.md", () => {
    const { figures, ledger, fills } = run();
    const of = (side: string) => fills.filter((fill) => fill.side === side).length;
    expect([of("buy"), of("sell")]).toEqual([14, 10]);
    expect(Number(figures.total) / 1e18).toBeCloseTo(-3.45, 2);
    expect(Number(ledger.fees.USDT) / 1e18).toBeCloseTo(0.5055, 4);
  });

  it("differs by the sells below the center, which the bot never places", () => {
    const { fills } = run();
    const center = d(String(PUBLISHED.center));
    const above = fills.filter(({ side, price }) => side === "sell" && price > center).length;
    const below = fills.filter(({ side, price }) => side === "sell" && price < center).length;
    expect([above, below]).toEqual([6, 4]);
    expect(above + below).toBeGreaterThan(PUBLISHED.sells);
  });

  it("trades as a plain eight-line simulation does", () => {
    const { fills, ledger } = run();
    const of = (side: string) => fills.filter((fill) => fill.side === side).length;
    const plain = plainLines(candles as Candles);
    expect([of("buy"), of("sell")]).toEqual([plain.buys, plain.sells]);
    expect(plain.fees).toBeCloseTo(Number(ledger.fees.USDT) / 1e18, 2);
    expect(plain.total).toBeCloseTo(-4.14, 2);
  });
});

/**
 * Eight lines from 155 to 170, half of 150 USDT spent at the close that rises through their middle, an eighth a line
 * from then on; a bar fills each line that it reaches once, and a fill places its counterpart one line further.
 */
function plainLines({ open: _, high, low, close, scale }: Candles) {
  const lines = Array.from({ length: 8 }, (_line, i) => 155 + (15 * i) / 7);
  const orders = new Map<number, { readonly side: "buy" | "sell"; readonly from: number }>();
  const unit = 10 ** scale;
  const rate = 0.001;
  let [cash, base, fees, amount, buys, sells] = [150, 0, 0, 0, 0, 0];
  const trade = (side: "buy" | "sell", price: number, traded: number) => {
    const sign = side === "buy" ? 1 : -1;
    fees += price * traded * rate;
    cash -= sign * price * traded + price * traded * rate;
    base += sign * traded;
    if (side === "buy") buys++;
    else sells++;
  };
  for (let bar = 1; bar < close.length; bar++) {
    const [before, price] = [(close[bar - 1] as number) / unit, (close[bar] as number) / unit];
    if (amount === 0 && before <= PUBLISHED.center && price >= PUBLISHED.center) {
      trade("buy", price, 75 / price);
      amount = 150 / 8 / price;
      for (const [i, line] of lines.entries())
        orders.set(i, { side: line < price ? "buy" : "sell", from: bar });
      continue;
    }
    for (const [i, { side, from }] of [...orders].sort(([a], [b]) => a - b)) {
      const line = lines[i] as number;
      const isMet = (low[bar] as number) / unit <= line && (high[bar] as number) / unit >= line;
      if (from >= bar || !isMet) continue;
      orders.delete(i);
      trade(side, line, amount);
      const next = side === "buy" ? i + 1 : i - 1;
      if (next in lines && !orders.has(next))
        orders.set(next, { side: side === "buy" ? "sell" : "buy", from: bar });
    }
  }
  const end = (close.at(-1) as number) / unit;
  return { buys, sells, fees, total: cash + base * end - 150 };
}

/** What a run of the public bot tells of itself. */
export interface PeerRun {
  readonly buys: number;
  readonly sells: number;
  readonly fees: number;
  readonly end: number;
}

interface PeerOrder {
  readonly side: "buy" | "sell";
  readonly line: number;
  readonly amount: number;
}

export interface PeerKind {
  readonly hedged: boolean;
  readonly geometric: boolean;
}

/** Where its lines lie, and their middle. */
function linesOf(geometric: boolean): { readonly prices: readonly number[]; readonly middle: number } {
  const ratio = (TOP / BOTTOM) ** (1 / (COUNT - 1));
  const step = (TOP - BOTTOM) / (COUNT - 1);
  const prices = Array.from({ length: COUNT }, (_, i) =>
    geometric ? BOTTOM * ratio ** i : BOTTOM + i * step,
  );
  const [a, b] = [prices[COUNT / 2 - 1] as number, prices[COUNT / 2] as number];
  return { prices, middle: geometric ? (a + b) / 2 : (BOTTOM + TOP) / 2 };
}

/** Its money: what orders have reserved is apart, and an order wants no more than is left. */
function purse(prices: readonly number[]) {
  let [cash, base, orderedCash, orderedBase, fees] = [150, 0, 0, 0, 0];
  const priceOf = (line: number) => prices[line] as number;
  return {
    worth: (price: number) => cash + orderedCash + (base + orderedBase) * price,
    fees: () => fees,
    /** Half of all money in base, at a close. */
    begin(price: number): void {
      const amount = 75 / price;
      fees += 75 * FEE;
      cash -= 75 * (1 + FEE);
      base += amount;
    },
    reserve(side: PeerOrder["side"], line: number, expected: number): number {
      const amount = side === "buy" ? Math.min(expected, cash / priceOf(line)) : Math.min(expected, base);
      if (side === "buy")
        [cash, orderedCash] = [cash - amount * priceOf(line), orderedCash + amount * priceOf(line)];
      else [base, orderedBase] = [base - amount, orderedBase + amount];
      return amount;
    },
    settle({ side, line, amount }: PeerOrder): void {
      const fee = amount * priceOf(line) * FEE;
      fees += fee;
      if (side === "sell") [orderedBase, cash] = [orderedBase - amount, cash + amount * priceOf(line) - fee];
      else [orderedCash, cash, base] = [orderedCash - amount * priceOf(line), cash - fee, base + amount];
    },
  };
}

/**
 * The public bot's rules as its documents and tests tell them. A line is ready to buy, to sell, or to do either, and
 * once its order rests to do neither. A fill makes its line ready again and orders at the line beside it: a sell only
 * where that is ready, a buy in any case. What a fill orders can fill from the next bar on; a buy above the middle
 * and a sell below it fill in the hedged kind alone.
 */
export function peerRun({ high, low, close, scale }: Candles, { hedged, geometric }: PeerKind): PeerRun {
  const { prices, middle } = linesOf(geometric);
  const money = purse(prices);
  const above = (line: number) => (prices[line] as number) > middle;
  const ready: string[] = prices.map((_, i) =>
    hedged ? (i < COUNT - 1 ? "either" : "sell") : above(i) ? "sell" : "buy",
  );
  const can = (line: number, side: string) => ready[line] === side || ready[line] === "either";
  const buyOf = new Map<number, number>();
  const sellOf = new Map<number, number>();
  let open: PeerOrder[] = [];
  let [buys, sells] = [0, 0];
  const place = (side: PeerOrder["side"], line: number, expected: number) => {
    ready[line] = "neither";
    open.push({ side, line, amount: money.reserve(side, line, expected) });
  };
  const pair = (buy: number, sell: number) => void [buyOf.set(sell, buy), sellOf.set(buy, sell)];
  const bought = (line: number, amount: number) => {
    ready[line] = hedged ? "either" : "sell";
    const before = sellOf.get(line);
    if (hedged && before !== undefined) ready[before] = "sell";
    const sell = hedged ? line + 1 : prices.findIndex((_, i) => i > line && above(i) && can(i, "sell"));
    if (sell < 0 || !can(sell, "sell")) return;
    place("sell", sell, amount);
    pair(line, sell);
  };
  const sold = (line: number, amount: number) => {
    ready[line] = hedged ? "either" : "buy";
    const before = buyOf.get(line);
    if (hedged && before !== undefined) ready[before] = "buy";
    const buy = before !== undefined && can(before, "buy") ? before : line - 1;
    place("buy", buy, amount);
    pair(buy, line);
  };
  const unit = 10 ** scale;
  const begin = (price: number) => {
    money.begin(price);
    buys++;
    const eighth = () => money.worth(price) / COUNT / price;
    for (const [i, line] of prices.entries()) if (line < price && can(i, "buy")) place("buy", i, eighth());
    for (const [i, line] of prices.entries()) if (line > price && can(i, "sell")) place("sell", i, eighth());
  };
  for (let bar = 1, begun = false; bar < close.length; bar++) {
    const [before, price] = [(close[bar - 1] as number) / unit, (close[bar] as number) / unit];
    if (!begun && before <= middle && price >= middle) begin(price);
    begun ||= open.length > 0;
    const met = open.filter(({ side, line }) => {
      if (!hedged && above(line) !== (side === "sell")) return false;
      const at = (prices[line] as number) * unit;
      return (low[bar] as number) <= at && (high[bar] as number) >= at;
    });
    for (const order of met) {
      open = open.filter((one) => one !== order);
      money.settle(order);
      if (order.side === "buy") buys++;
      else sells++;
      (order.side === "buy" ? bought : sold)(order.line, order.amount);
    }
  }
  return { buys, sells, fees: money.fees(), end: money.worth((close.at(-1) as number) / unit) };
}
