/** What a pause, a resume or a stop would do, in money. */
import { type Decimal, mul, ONE, roundToStep, text } from "../../kernel/decimal.ts";
import { splitPair } from "../../kernel/pair.ts";
import { pluralize } from "../../kernel/plain-text.ts";
import { midOf } from "../../kernel/spread.ts";
import { minuteText } from "../../kernel/time.ts";
import { modeOf, parseAccountKey } from "../../model/account.ts";
import { type BidAsk, type Book, expectedText, takeFrom } from "../../model/market.ts";
import { type Preview, paperMark } from "../../model/proposal.ts";
import type { StrategyConfig } from "../../model/strategy.ts";
import type { Deps } from "../../ports/deps.ts";
import type { ReadableStrategy } from "../reading.ts";

/** What is sold at once at current prices. */
interface InstantSale {
  readonly text: string;
  readonly worstCase: string;
}

interface ChangePreview {
  /** Describes the action; the strategy's id follows. */
  readonly what: string;
  /** What it costs at once; default: nothing. */
  readonly cost?: string;
  readonly sale?: InstantSale | undefined;
  readonly notes?: readonly string[];
  /** For an action that places orders: whether the kill switch blocks them now. */
  readonly killed?: boolean;
}

/** Previews a pause. */
export const previewPause = (view: ReadableStrategy, cancelsOrders: boolean): Preview =>
  previewChange(view, {
    what: cancelsOrders ? "pause, canceling its orders," : "pause, leaving its orders open,",
    notes: ["nothing new is placed until it is resumed", ...unwatchedTexts(view)],
  });

/** Previews a resume; `use` describes what its orders can use. */
export const previewResume = (view: ReadableStrategy, use: string, killed: boolean): Preview =>
  previewChange(view, {
    what: "resume, placing what is missing,",
    cost: use,
    notes: ["it sells and buys again"],
    killed,
  });

/** Previews a stop; `sale` is what selling its base would bring. */
export function previewStop(
  view: ReadableStrategy,
  { cancelOrders, sale, killed }: { cancelOrders: boolean; sale: InstantSale | undefined; killed: boolean },
): Preview {
  const orders = cancelOrders ? "canceling its orders" : "leaving its orders";
  return previewChange(view, {
    what: sale ? "stop, selling its base," : `stop, ${orders},`,
    sale,
    killed: sale !== undefined && killed,
  });
}

const WATCHED_PRICES = [
  ["stopLossPrice", "stop price"],
  ["takeProfitPrice", "take-profit price"],
] as const satisfies readonly (readonly [keyof StrategyConfig, string])[];

/** Describes protection that a pause turns off. */
function unwatchedTexts({ strategy: { config, symbol } }: ReadableStrategy): string[] {
  const { quote } = splitPair(symbol);
  const { trailingStop, endsAt } = config;
  const prices = WATCHED_PRICES.flatMap(([field, name]) => {
    const price = config[field];
    return price === undefined ? [] : [`its ${name} of ${text(price)} ${quote} is not watched`];
  });
  return [
    ...prices,
    ...(trailingStop === undefined
      ? []
      : [`its trailing stop of ${text(100n * trailingStop)} % is not watched`]),
    ...(endsAt === undefined ? [] : [`it does not end at ${minuteText(endsAt)} UTC`]),
  ].map((sentence) => `until then, ${sentence}`);
}

/** Returns what selling the base would bring now; at the last stored price if this process cannot reach the exchange. */
export async function readSale(
  { venueOf }: Pick<Deps, "venueOf">,
  view: ReadableStrategy,
): Promise<InstantSale> {
  const { account, symbol } = view.strategy;
  const venue = venueOf(parseAccountKey(account));
  const mark = view.memory.marks[symbol]?.mid;
  if (!venue) return saleOf(view, { mark });
  const [quote, book] = [await venue.ticker(symbol), await venue.book(symbol, 100)];
  return saleOf(view, { quote, book, mark });
}

/** Estimates a sale at the book's prices; `book` is undefined if it could not be read. */
function saleOf(
  { kind, strategy: { state, symbol } }: ReadableStrategy,
  { quote, book, mark }: { quote?: BidAsk; book?: Book; mark: Decimal | undefined },
): InstantSale {
  const amount = kind.holdings(state).base;
  const pair = splitPair(symbol);
  const fill = book && takeFrom(book, { side: "sell", amount });
  const expected = fill && expectedText(fill, amount, pair);
  const mid = quote ? midOf(quote) : mark;
  const what = `${text(amount)} ${pair.base} are sold`;
  if (mid === undefined) return { text: `${what}, at an unknown price`, worstCase: WORST_SALE };
  const counted = mul(amount, mid, "up");
  return {
    text: `${what}, worth ${inHundredths(counted)} ${pair.quote} at the mid of ${inHundredths(mid)}; ${expected ?? "the proceeds in the order book are unknown"}`,
    worstCase: `${WORST_SALE}, now ${inHundredths((counted * 9n) / 10n)} ${pair.quote}, and dust stays`,
  };
}

const WORST_SALE = "the price falls during the sale: orders go down to 10 % below the mid price";

function previewChange(
  { kind, strategy, openOrders, memory }: ReadableStrategy,
  { what, cost = "nothing at once", sale, notes = [], killed = false }: ChangePreview,
): Preview {
  const { id, symbol, status, phase, account } = strategy;
  const isPaper = modeOf(account) === "paper";
  const { position, averageCost, realized } = kind.accounts(strategy, memory.marks[symbol]?.mid);
  const { base, quote } = splitPair(symbol);
  return {
    isPaper,
    what: `${what} ${id}${paperMark(isPaper)}, which is ${status} (${phase}) with ${pluralize(openOrders, "open order")}`,
    cost: `${sale ? sale.text : cost}; ${inHundredths(realized)} ${quote} realized so far`,
    worstCase: sale
      ? sale.worstCase
      : position === 0n
        ? `it has no ${base}`
        : `${text(position)} ${base} bought at ${inHundredths(averageCost ?? 0n)} ${quote} stay in the account and can lose value`,
    limits: [
      ...notes,
      ...(killed ? ["the kill switch is on: nothing is placed until it is turned off"] : []),
    ],
  };
}

const inHundredths = (value: Decimal): string => text(roundToStep(value, ONE / 100n, "half"));
