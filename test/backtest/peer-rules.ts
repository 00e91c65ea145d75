import type { Candles } from "../../src/candles/candles.ts";

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

const COUNT = 8;
const [BOTTOM, TOP] = [155, 170];
const FEE = 0.001;

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
