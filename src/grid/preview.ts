import { type Decimal, ONE, snap, sum, text } from "../kernel/decimal.ts";
import { splitPair } from "../kernel/pair.ts";
import type { Market } from "../ports.ts";
import type { Preview } from "../records.ts";
import type { StrategyView } from "../store.ts";
import type { Checked } from "./check.ts";
import { firstAmount } from "./layout.ts";
import { profitOf } from "./profit.ts";

/** What a start would place, the most quote the grid can come to hold in base, and what it is warned of. */
export function previewStart(
  { config, slots, startPrice, warnings }: Checked,
  { exchange, market, killed }: { exchange: string; market: Market; killed: boolean },
): Preview {
  const { base, quote, symbol } = market;
  const buys = slots.filter(({ side }) => side === "buy");
  const sells = slots.filter(({ side }) => side === "sell");
  const own = sum(sells.map((slot) => firstAmount(market, slot)));
  const most = sum(slots.map(({ size }) => size));
  return {
    what: `start a grid of ${slots.length} orders of ${text(config.orderSize)} ${quote} on ${symbol} at ${exchange}, from ${text(config.lowerPrice)} to ${text(config.upperPrice)} ${quote}: ${buys.length} buys and ${sells.length} sells now, the market being at ${text(startPrice)}`,
    cost: `up to ${text(sum(buys.map(({ size }) => size)))} ${quote} in buys and ${text(own)} ${base} of the account's own in sells`,
    worstCase: `the price falls below ${text(config.lowerPrice)}: all slots have bought, ${text(most)} ${quote} are held as ${base} and lose what it loses`,
    limits: [
      `least order here: ${text(market.minNotional)} ${quote}`,
      ...warnings.map(({ message }) => message),
      ...(killed ? ["the kill switch is on: its orders would be refused"] : []),
    ],
  };
}

/** A change of a running grid, with what it holds now. */
export function previewChange({ strategy, openOrders, memory }: StrategyView, told: string): Preview {
  const { position, averageCost, realized } = profitOf(
    strategy.state,
    memory.marks[strategy.symbol]?.mid ?? strategy.state.startPrice,
  );
  const { base, quote } = splitPair(strategy.symbol);
  return {
    what: `${told} ${strategy.id}, which is ${strategy.status} (${strategy.phase}) with ${openOrders} open orders`,
    cost: `nothing at once; ${text(round(realized))} ${quote} are realised so far`,
    worstCase:
      position === 0n
        ? `no ${base} is held`
        : `${text(position)} ${base} bought at ${text(round(averageCost ?? 0n))} ${quote} stay the account's and may lose value`,
    limits: [],
  };
}

const round = (value: Decimal): Decimal => snap(value, ONE / 100n, "half");
