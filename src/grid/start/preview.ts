import { type Decimal, mul, ONE, snap, sum, text, ZERO } from "../../kernel/decimal.ts";
import { splitPair } from "../../kernel/pair.ts";
import { pluralize } from "../../kernel/pluralize.ts";
import { midOf } from "../../kernel/spread.ts";
import { expectedText, takeFrom } from "../../model/depth.ts";
import type { Book, Quote } from "../../model/market.ts";
import type { Preview } from "../../model/proposal.ts";
import type { StrategyView } from "../../ports/stores/strategy-store.ts";
import { gridPosition } from "../ledger/booking.ts";
import { profitOf } from "../ledger/profit.ts";
import type { GridConfig } from "../state/config.ts";
import type { GridStrategy } from "../state/state.ts";
import { type LastWeek, lastWeekOut } from "./last-week.ts";
import { beginsOf, fundsWarnings, type PlannedStart, type StartInputs } from "./planned-start.ts";
import { mostQuote, worstCases } from "./worst-case.ts";

interface StartPreview extends StartInputs {
  readonly exchange: string;
  readonly dryRun?: boolean | undefined;
  readonly doubts: readonly { readonly message: string }[];
  readonly week: LastWeek;
}

/** Previews a start: its orders, and the maximum quote that it can convert to base. */
export function previewStart(planned: PlannedStart, start: StartPreview): Preview {
  const { checked, intents, ownBase, state, hash } = planned;
  const { config, startPrice } = checked;
  const { base, quote, symbol } = start.market;
  const buys = intents.filter(({ side }) => side === "buy");
  const bought = sum(buys.map(({ price, amount }) => mul(price, amount, "up")));
  const begins = beginsOf(planned, start);
  const most = mostQuote(begins);
  const onPaper = start.dryRun ? " (paper trading)" : "";
  return {
    what: `start a grid of ${pluralize(state.slots.length, "slot")} of ${text(config.orderSize)} ${quote} on ${symbol} at ${start.exchange}${onPaper}, from ${text(config.lowerPrice)} to ${text(config.upperPrice)} ${quote}: ${pluralize(buys.length, "buy")} and ${pluralize(intents.length - buys.length, "sell")} now, with the market at ${text(startPrice)}`,
    cost: `${text(bought)} ${quote} in buys, before fees, and ${text(ownBase)} ${base} that you already own in sells`,
    worstCase: `the price falls and does not recover: up to ${text(most)} ${quote} become ${base} and lose value with it; ${worstCases(begins).map(describeLoss(quote)).join(", ")}`,
    limits: startLimits(planned, start),
    holds: { planHash: hash },
  };
}

const describeLoss =
  (quote: string) =>
  ({ price, loss }: { readonly price: number; readonly loss: number }): string =>
    price === 0 ? `everything: up to ${loss} ${quote}` : `${loss} ${quote} at ${price}`;

function startLimits(planned: PlannedStart, start: StartPreview): string[] {
  const { config, warnings } = planned.checked;
  const { market, balances, killed, kept, doubts } = start;
  const { base, quote, minNotional } = market;
  const free = (asset: string) => text(balances.find((balance) => balance.asset === asset)?.free ?? ZERO);
  const percent = (share: Decimal) => text(snap(share * 100n, ONE / 100n, "half"));
  const { maxPosition, safetyReserve } = config;
  return [
    `minimum order: ${text(minNotional)} ${quote}`,
    `free balances: ${free(quote)} ${quote}, ${free(base)} ${base}`,
    ...(kept.quote === ZERO ? [] : [`other strategies need ${text(kept.quote)} ${quote} of it`]),
    ...(maxPosition === undefined ? [] : [`at most ${percent(maxPosition)} % of the capital in ${base}`]),
    ...(safetyReserve === undefined ? [] : [`${percent(safetyReserve)} % of the capital stay in ${quote}`]),
    ...refusedOf(planned.state),
    ...[...warnings, ...fundsWarnings(planned, start), ...doubts].map(({ message }) => message),
    `break-even: ${lastWeekOut(beginsOf(planned, start), start.week).message}`,
    ...(killed ? ["the kill switch is on: the start would be refused"] : []),
  ];
}

/** Counts slots without an order by reason. */
function refusedOf({ refused }: PlannedStart["state"]): string[] {
  const counts = new Map<string, number>();
  for (const { reason } of refused) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].map(
    ([reason, count]) => `${pluralize(count, "slot")} would have no order now: ${reason}`,
  );
}

const STOP_PRICES = [
  ["stopLossPrice", "stop price"],
  ["takeProfitPrice", "take-profit price"],
] as const;

/** Describes protection that a pause disables. */
export const pauseTexts = (config: GridConfig, quote: string): string[] => [
  "it pauses the grid: nothing new is placed until it is resumed",
  ...STOP_PRICES.flatMap(([field, name]) => {
    const price = config[field];
    return price === undefined ? [] : [`until then, its ${name} of ${text(price)} ${quote} is not watched`];
  }),
];

/** Describes protection that a change removes or moves further away. */
export function protectionTexts(before: GridConfig, after: GridConfig, quote: string): string[] {
  const removed = STOP_PRICES.flatMap(([field, name]) => {
    const price = before[field];
    return price === undefined || after[field] !== undefined
      ? []
      : [`it removes the ${name} of ${text(price)} ${quote}: the grid no longer sells its base there`];
  });
  const [from, to] = [before.stopLossPrice, after.stopLossPrice];
  const isLower = from !== undefined && to !== undefined && to < from;
  return isLower
    ? [...removed, `it lowers the stop price from ${text(from)} to ${text(to)} ${quote}`]
    : removed;
}

interface EditPreview {
  /** Describes the action; the grid's id follows. */
  readonly text: string;
  /** For actions that place orders: whether the kill switch blocks them now. */
  readonly killed?: boolean;
  /** For a stop that sells the base. */
  readonly sale?: Sale | undefined;
  /** For a resume: its slots buy again. */
  readonly buys?: boolean;
  readonly notes?: readonly string[];
}

/** What is sold at once at current prices. */
export interface Sale {
  readonly text: string;
  readonly worstCase: string;
}

/** Estimates the sale of a strategy's base at the book's prices; `book` is undefined if it could not be read. */
export function saleOf(
  { state, symbol }: GridStrategy,
  { quote, book, mark }: { quote?: Quote | undefined; book?: Book | undefined; mark: Decimal },
): Sale {
  const amount = gridPosition(state);
  const pair = splitPair(symbol);
  const fill = book && takeFrom(book, { side: "sell", amount });
  const expected = fill && expectedText(fill, amount, pair);
  const mid = quote ? midOf(quote) : mark;
  const counted = mul(amount, mid, "up");
  return {
    text: `${text(amount)} ${pair.base} are sold, worth ${text(toHundredths(counted))} ${pair.quote} at the mid of ${text(toHundredths(mid))}; ${expected ?? "the proceeds in the order book are unknown"}`,
    worstCase: `the price falls during the sale: orders go down to 10 % below the mid price, now ${text(toHundredths((counted * 9n) / 10n))} ${pair.quote}, and dust stays`,
  };
}

/** Previews a change of a running grid, with its current base. */
export function previewChange(
  { strategy, openOrders, memory }: StrategyView<GridStrategy>,
  { text: output, killed = false, sale, buys = false, notes = [] }: EditPreview,
): Preview {
  const { position, averageCost, realized } = profitOf(
    strategy.state,
    memory.marks[strategy.symbol]?.mid ?? strategy.state.startPrice,
  );
  const { base, quote } = splitPair(strategy.symbol);
  const most = sum(strategy.state.slots.map(({ size }) => size));
  return {
    what: `${output} ${strategy.id}, which is ${strategy.status} (${strategy.phase}) with ${openOrders} open orders`,
    cost: `${sale ? sale.text : buys ? `up to ${text(most)} ${quote} in buys` : "nothing at once"}; ${text(toHundredths(realized))} ${quote} realized so far`,
    worstCase: sale
      ? sale.worstCase
      : position === 0n
        ? `it has no ${base}`
        : `${text(position)} ${base} bought at ${text(toHundredths(averageCost ?? 0n))} ${quote} stay in the account and can lose value`,
    limits: [
      ...notes,
      ...(killed ? ["the kill switch is on: nothing is placed until it is turned off"] : []),
    ],
  };
}

const toHundredths = (value: Decimal): Decimal => snap(value, ONE / 100n, "half");
