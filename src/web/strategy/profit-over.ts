import type { LinePoint } from "../chart/line-scale.ts";
import type { CandlesAnswer, FillAnswer, StatusOfAny } from "../types.ts";

type KnownProfit = Pick<
  StatusOfAny,
  | "totalProfit"
  | "price"
  | "position"
  | "startPrice"
  | "startedAt"
  | "capital"
  | "symbol"
  | "status"
  | "runningTime"
> & { readonly details?: { readonly kind?: unknown } | null };

/**
 * Returns a strategy's P&L at the close of each candle, and that of buy and hold: starts from the current P&L and reverts
 * fills one after another. Fees in a third asset stay in. Before the oldest known fill and after a stop there is no value.
 */
export function profitOver(
  strategy: KnownProfit,
  candles: readonly Pick<CandlesAnswer["candles"][number], "timestamp" | "close">[],
  { fills, isWhole }: { readonly fills: readonly FillAnswer[]; readonly isWhole: boolean },
): LinePoint[] {
  const { symbol, startedAt, details } = strategy;
  const [total, price, position, startPrice, capital] = [
    strategy.totalProfit ?? Number.NaN,
    strategy.price ?? Number.NaN,
    strategy.position,
    strategy.startPrice ?? 0,
    strategy.capital,
  ].map(Number) as [number, number, number, number, number];
  if (!Number.isFinite(total * price) || startPrice === 0) return [];
  // They arrive newest first, also those of one moment.
  const left = fills
    .filter(({ superseded }) => !superseded)
    .reverse()
    .sort((a, b) => a.timestamp - b.timestamp);
  const own = details?.kind === "strategy" && isWhole ? ownBaseBefore(left, { position, symbol }) : [];
  const worth = (amount: number, ofAccount: number, at: number) =>
    (amount - ofAccount) * at + ofAccount * startPrice;
  const from = isWhole ? startedAt : (left[0]?.timestamp ?? Number.POSITIVE_INFINITY);
  let [base, cash] = [position, total - worth(position, own[left.length] ?? 0, price)];
  const points: LinePoint[] = [];
  const isStopped = strategy.status === "stopped";
  const known = isStopped
    ? candles.filter(({ timestamp }) => timestamp <= startedAt + strategy.runningTime)
    : candles;
  for (const [index, candle] of [...known.entries()].reverse()) {
    const { timestamp } = candle;
    // A candle's close is the start of the next one, and what was left at a stop is valued at its price.
    const end = known[index + 1]?.timestamp ?? Number.POSITIVE_INFINITY;
    const close = isStopped && end === Number.POSITIVE_INFINITY ? price : candle.close;
    if (end <= from) break;
    for (let last = left.at(-1); last && last.timestamp >= end; last = left.at(-1)) {
      const moved = movedBy(last, symbol);
      base -= moved.base;
      cash -= moved.cash;
      left.pop();
    }
    const buyAndHold = (capital * (close - startPrice)) / startPrice;
    points.push({ timestamp, own: cash + worth(base, own[left.length] ?? 0, close), buyAndHold });
  }
  return points.reverse();
}

/**
 * Returns the base of the account itself before each fill and after the last one. It counts at the start price, and a
 * sell takes the base that the strategy bought first.
 */
function ownBaseBefore(
  fills: readonly FillAnswer[],
  { position, symbol }: { readonly position: number; readonly symbol: string },
): readonly number[] {
  let base = fills.reduce((rest, fill) => rest - movedBy(fill, symbol).base, position);
  const own = [base];
  for (const fill of fills) {
    base += movedBy(fill, symbol).base;
    own.push(Math.max(0, Math.min(own.at(-1) ?? 0, base)));
  }
  return own;
}

function movedBy({ side, amount, notional, fees }: FillAnswer, symbol: string) {
  const [base, quote] = symbol.split("/");
  const feeIn = (asset: string | undefined) =>
    fees.reduce((sum, fee) => (fee.asset === asset ? sum + Number(fee.amount) : sum), 0);
  const sign = side === "buy" ? 1 : -1;
  return { base: sign * Number(amount) - feeIn(base), cash: -sign * Number(notional) - feeIn(quote) };
}
