import type * as z from "zod";
import { feesOut, placedOut } from "../../engine/operations/shapes.ts";
import { type Decimal, mul, ONE, roundToStep, sum, text, wire, ZERO } from "../../kernel/decimal.ts";
import { splitTexts } from "../../limits/position.ts";
import { boundsAfter, isLimitMet, mostNotional, refusedWithin } from "../../limits/standing.ts";
import { type AccountRef, type Balance, balanceIn } from "../../model/account.ts";
import type { Bounds, LimitRefusal } from "../../model/limits.ts";
import { type BidAsk, feeWarnings, type Market } from "../../model/market.ts";
import type { Intent } from "../../model/order.ts";
import { type CurrentPlan, planHashOf } from "../../model/shown-plan.ts";
import { freeBeside, type PairAmounts } from "../../model/strategy.ts";
import { breakEvenRatio, restingFees, type Warning } from "../ladder/check-rules.ts";
import { giveFirstBase, largestOrdersOf } from "../ladder/levels.ts";
import { committed, firstBuyOf, takingPrice } from "../plan/first-buy.ts";
import { nextOrders } from "../plan/next-orders.ts";
import type { PlannedShape } from "../schema/schema.ts";
import { type GridConfig, optionsOf } from "../state/config.ts";
import { FIRST_BUY_SLOT, type GridState, NEW_STATE, NO_LEDGER } from "../state/state.ts";
import { approvedStart, type Checked } from "./check.ts";
import {
  cycleNet,
  cycleShare,
  type GridStart,
  type LastWeek,
  lastWeekOut,
  mostQuote,
  neededQuote,
  worstCases,
} from "./worst-case.ts";

export interface StartInputs {
  readonly account: Pick<AccountRef, "exchange" | "kind">;
  readonly market: Market;
  readonly quote: BidAsk;
  readonly balances: readonly Balance[];
  /** What the account's other strategies still need of the free balances. */
  readonly kept: PairAmounts;
  readonly killed: boolean;
  readonly confidence?: Decimal | undefined;
  /** Limits of the orders. */
  readonly bounds?: Bounds | undefined;
}

/** Result of a start now: the stored state, the orders of its first pass, and the refused slots. */
export interface PlannedStart {
  readonly checked: Checked;
  readonly state: GridState;
  readonly intents: readonly Intent[];
  readonly ownBase: Decimal;
  readonly shown: CurrentPlan;
  /** The `planHash` with the price around which the slots are laid. */
  readonly hash: string;
}

export const firstState = (
  { slots, startPrice, center, config }: Checked,
  { ask, at }: Pick<BidAsk, "ask" | "at">,
): GridState => ({
  ...NEW_STATE,
  startPrice,
  center,
  laidAt: at,
  slots,
  ledger: NO_LEDGER,
  firstBuy: config.initialBuy ? { tries: 0, ask } : null,
});

const ownFree = ({ market, balances, kept }: StartInputs): PairAmounts => freeBeside(kept, balances, market);

/** Plans the first pass with the function that a pass uses. */
export function planStart(checked: Checked, inputs: StartInputs): PlannedStart {
  const { market, quote, balances, killed, confidence, bounds } = inputs;
  const { config } = checked;
  const of = (asset: string) => balanceIn(balances, asset);
  const own = ownFree(inputs).base;
  const given = giveFirstBase(firstState(checked, quote), market, config.useOwnBase === false ? ZERO : own);
  const all = of(market.quote).free + of(market.quote).used;
  const capital = capitalAtStart(all, given.ledger.firstCost);
  const bought = killed ? undefined : firstBuyOf(given, config, { market, quote, bounds, capital });
  const planned = nextOrders(bought?.state ?? given, {
    market,
    quote,
    busy: new Set(),
    now: 0,
    resting: [],
    funds: Object.fromEntries(balances.map(({ asset, free }) => [asset, free])),
    killed,
    isRecovering: false,
    limit: given.slots.length,
    confidence,
    bounds: bought && bounds ? boundsAfter(bounds, plannedOrder(bought.intent, market), quote) : bounds,
    config,
    capital: bought ? committed(capital, market, bought.intent) : capital,
  });
  const intents = [...(bought ? [bought.intent] : []), ...planned.intents];
  const shown = approvedStart(checked, intents, { ...inputs.account, symbol: market.symbol });
  return {
    checked,
    state: planned.next,
    intents,
    ownBase: given.ledger.firstBase,
    shown,
    hash: planHashOf({ ...shown, price: checked.center }),
  };
}

const capitalAtStart = (quote: Decimal, position: Decimal) => ({
  whole: quote + position,
  quote,
  position,
  openBuys: ZERO,
});

const plannedOrder = (intent: Intent, { symbol }: Market) => ({ ...intent, symbol, type: "limit" as const });

/** Returns why a start is refused: one of its first orders exceeds a limit. */
export function beyondLimits(
  { intents, state }: PlannedStart,
  { market, quote, bounds }: StartInputs,
): LimitRefusal | undefined {
  const bought = intents.find(isInitialBuy);
  const ofBuy = bought && bounds && refusedWithin(plannedOrder(bought, market), quote, bounds);
  const all = [...(ofBuy ? [ofBuy] : []), ...state.refused];
  return all.find((one): one is LimitRefusal => isLimitMet(one.reason));
}

export const beginsOf = (
  { checked: { config, startPrice }, state }: Pick<PlannedStart, "checked" | "state">,
  { market, quote, balances }: Pick<StartInputs, "market" | "quote" | "balances">,
): GridStart => ({ config, state, startPrice, takingPrice: takingPrice(quote, market), market, balances });

type PlannedOptions = z.input<ReturnType<typeof PlannedShape>>["options"];

/** Returns the options besides the levels. */
function optionsOut(config: GridConfig): PlannedOptions {
  const { stopLossPrice, takeProfitPrice, stopAtOnce, triggerPrice, trail } = config;
  return {
    ...given({ stopLossPrice, takeProfitPrice, stopAtOnce, triggerPrice }),
    ...(trail ? { trail: given(trail) } : {}),
    ...given(optionsOf(config)),
  } as PlannedOptions;
}

/** Returns prices and shares as numbers and flags unchanged; omits options that were not set. */
const given = (
  request: Readonly<Record<string, Decimal | boolean | undefined>>,
): Record<string, number | boolean> =>
  Object.fromEntries(
    Object.entries(request).flatMap(([name, one]) =>
      one === undefined ? [] : [[name, typeof one === "boolean" ? one : wire(one)]],
    ),
  );

/** Warns about assumed fees, about balances that a start uses without an explicit flag, and about missing ones. */
export function startWarnings(planned: PlannedStart, inputs: StartInputs): Warning[] {
  const { checked, state, intents, ownBase } = planned;
  const { base } = inputs.market;
  const free = ownFree(inputs).quote;
  const needed = neededQuote(beginsOf(planned, inputs));
  const warnings: Warning[] = feeWarnings(inputs.market);
  if (ownBase > ZERO && checked.config.useOwnBase === undefined)
    warnings.push({
      code: "own_base_used",
      message: `${text(ownBase)} ${base} that you already own are used; set useOwnBase=false to prevent that`,
    });
  const resting = { orders: intents.length, slots: state.slots.length };
  return [...warnings, ...splitWarnings(state, inputs), ...missingQuote({ needed, free, resting }, inputs)];
}

/** Warns about sells that a limit on single orders splits. */
function splitWarnings({ slots }: GridState, { bounds, market: { quote } }: StartInputs): Warning[] {
  const most = bounds && mostNotional(bounds, quote);
  if (most === undefined) return [];
  const { sell } = largestOrdersOf(slots);
  return splitTexts({ buy: ZERO, sell }, most, quote).map((message) => ({ code: "limit_met", message }));
}

/** Warns about buys that the free balances do not cover. */
export function missingQuote(
  {
    needed,
    free,
    resting,
  }: {
    readonly needed: Decimal;
    readonly free: Decimal;
    readonly resting: { readonly orders: number; readonly slots: number };
  },
  { kept, market: { quote } }: Pick<StartInputs, "kept" | "market">,
): Warning[] {
  if (needed <= free) return [];
  const beside =
    kept.quote === ZERO ? "" : ` besides the ${text(kept.quote)} ${quote} that other strategies need`;
  const message = `the buys need ${text(needed)} ${quote} and ${text(free)} ${quote} are free${beside}: ${resting.orders} of ${resting.slots} orders ${resting.orders === 1 ? "is" : "are"} placed first`;
  return [{ code: "funds_missing", message }];
}

/** Returns the initial buy, which crosses the book; the other orders wait at their prices. */
export const isInitialBuy = ({ slot }: Intent): boolean => slot === FIRST_BUY_SLOT;

/** Returns the sums of the orders in quote, at their own prices, and the base of the sells. */
export function orderSums(intents: readonly Intent[]) {
  const worth = (orders: readonly Intent[]) =>
    text(sum(orders.map(({ price, amount }) => mul(price, amount, "up"))));
  const sells = intents.filter(({ side }) => side === "sell");
  return {
    buys: worth(intents.filter(({ side }) => side === "buy")),
    initialBuy: worth(intents.filter(isInitialBuy)),
    sells: worth(sells),
    base: text(sum(sells.map(({ amount }) => amount))),
  };
}

const gridOrdersOut = (intents: readonly Intent[]) =>
  intents.map((intent) => ({ slot: intent.slot, ...placedOut(intent), crosses: isInitialBuy(intent) }));

/** Formats the plan for people: every order, the needed funds, the profit of a cycle, and the worst case. */
export function plannedOut(planned: PlannedStart, inputs: StartInputs, week: LastWeek) {
  const { checked, state, intents, ownBase, hash } = planned;
  const { market, quote } = inputs;
  const { warnings, startPrice } = checked;
  const begins = beginsOf(planned, inputs);
  return {
    marketPrice: wire(startPrice),
    orders: gridOrdersOut(intents),
    refused: state.refused.map((refusal) => ({ ...refusal })),
    slots: state.slots.map((slot) => ({
      slot: slot.index,
      lowerPrice: wire(slot.lower),
      upperPrice: wire(slot.upper),
      netPercent: percentNumber(cycleShare(slot, market)),
      netProfit: wire(cycleNet(slot, market)),
    })),
    sums: orderSums(intents),
    investment: { quote: text(neededQuote(begins)), base: text(ownBase) },
    options: optionsOut(checked.config),
    free: { quote: text(ownFree(inputs).quote), base: text(ownFree(inputs).base) },
    maxQuoteUsed: text(mostQuote(begins)),
    ownBaseUsed: text(ownBase),
    breakEvenSpacingPercent: percentNumber(breakEvenRatio(restingFees(market)) - ONE),
    fees: feesOut(market),
    worstCase: worstCases(begins),
    lastWeek: lastWeekOut(begins, week),
    spread: wire(quote.ask - quote.bid),
    warnings: [...warnings, ...startWarnings(planned, inputs)],
    planHash: hash,
  };
}

const percentNumber = (share: Decimal): number => wire(roundToStep(share * 100n, ONE / 10_000n, "down"));
