import type * as z from "zod";
import { endingTextsOf, endingWarnings } from "../../engine/operations/ending-fields.ts";
import { type Decimal, ONE, roundToStep, text, wire, ZERO } from "../../kernel/decimal.ts";
import { pluralize } from "../../kernel/plain-text.ts";
import { splitTexts } from "../../limits/position.ts";
import { boundsAfter, isLimitMet, mostNotional, refusedWithin } from "../../limits/standing.ts";
import { type AccountRef, type Balance, balanceIn, unreadBalance } from "../../model/account.ts";
import type { Bounds, LimitRefusal } from "../../model/limits.ts";
import { type BidAsk, feeWarnings, type Market } from "../../model/market.ts";
import type { Intent } from "../../model/order.ts";
import { type BaseSource, describeWait, describeWaits } from "../../model/refusal-text.ts";
import { type CurrentPlan, planHashOf } from "../../model/shown-plan.ts";
import { freeBeside, type PairAmounts } from "../../model/strategy.ts";
import type { PlanFacts, PlannedOrder } from "../../ports/plan.ts";
import { breakEvenRatio, restingFees, type Warning } from "../ladder/check-rules.ts";
import { giveFirstBase, largestOrdersOf } from "../ladder/levels.ts";
import { committed, firstBuyOf, takingPrice } from "../plan/first-buy.ts";
import { nextOrders } from "../plan/next-orders.ts";
import type { GridPlanShape } from "../schema/plan.ts";
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

type PlannedOptions = z.input<ReturnType<typeof GridPlanShape>>["options"];

/** Returns the options besides the levels: prices as decimal text, shares as numbers, flags unchanged. */
function optionsOut(config: GridConfig): PlannedOptions {
  const { trail } = config;
  return {
    ...(trail ? { trail: given(trail, text) } : {}),
    ...given(optionsOf(config), wire),
  } as PlannedOptions;
}

/** Omits options that were not set. */
const given = (
  request: Readonly<Record<string, Decimal | boolean | undefined>>,
  form: (value: Decimal) => number | string,
): Record<string, number | string | boolean> =>
  Object.fromEntries(
    Object.entries(request).flatMap(([name, one]) =>
      one === undefined ? [] : [[name, typeof one === "boolean" ? one : form(one)]],
    ),
  );

/** Warns about assumed fees, about balances that a start uses without an explicit flag, and about missing ones. */
function startWarnings(planned: PlannedStart, inputs: StartInputs): Warning[] {
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

/** Returns the orders of a plan by their slots, the initial buy first. */
export const gridOrders = (intents: readonly Intent[]): PlannedOrder[] =>
  intents.map((intent) => ({
    id: isInitialBuy(intent) ? "initial-buy" : String(intent.slot),
    side: intent.side,
    price: intent.price,
    amount: intent.amount,
    crosses: isInitialBuy(intent),
  }));

const INSTEAD = "buy the missing base at once";

/** Returns slots without an order, each with the price that it waits for. */
export const gridRefusals = (
  { slots, refused }: Pick<GridState, "slots" | "refused">,
  source: BaseSource = {},
) =>
  refused.map(({ slot, reason, detail }) => {
    const lower = slots.find(({ index }) => index === slot)?.lower;
    const waits = lower === undefined ? detail : describeWait({ reason, detail }, text(lower), source);
    return { id: String(slot), reason, ...(waits === undefined ? {} : { detail: waits }) };
  });

/** Returns what a planned start holds to, what it can use, and its warnings besides those of its price. */
export const startSums = (planned: PlannedStart, inputs: StartInputs) => ({
  market: inputs.market,
  killed: inputs.killed,
  shown: planned.shown,
  planHash: planned.hash,
  uses: { quote: mostQuote(beginsOf(planned, inputs)), base: planned.ownBase },
  warnings: [
    ...planned.checked.warnings,
    ...startWarnings(planned, inputs),
    ...endingWarnings(planned.checked.config, inputs),
  ],
});

/** Returns the plan of a start: every order, the needed funds, the profit of a cycle, and the worst case. */
export function gridFacts(planned: PlannedStart, inputs: StartInputs, week: LastWeek): PlanFacts {
  const { checked, state, intents } = planned;
  const { market } = inputs;
  const { config, startPrice } = checked;
  const begins = beginsOf(planned, inputs);
  const lastWeek = lastWeekOut(begins, week);
  const source = config.initialBuy ? { isBought: intents.some(isInitialBuy) } : { other: INSTEAD };
  return {
    what: gridText(config, state, market),
    price: startPrice,
    triggerPrice: config.triggerPrice,
    orders: gridOrders(intents),
    refused: gridRefusals(state, source),
    waits: describeWaits(
      state.refused,
      state.slots.map(({ index, lower }) => ({ slot: index, lowerPrice: wire(lower) })),
      source,
    ),
    free: ownFree(inputs),
    worstCase: fallText(begins),
    losses: worstCases(begins),
    endings: endingTextsOf(config, market.quote),
    notes: startNotes(config, inputs, lastWeek.message),
    details: gridDetails({ begins, ownBase: planned.ownBase }, inputs, lastWeek),
  };
}

export const gridText = (
  { orderSize, lowerPrice, upperPrice }: GridConfig,
  { slots }: Pick<GridState, "slots">,
  { quote }: Market,
): string =>
  `a grid of ${pluralize(slots.length, "slot")} of ${text(orderSize)} ${quote} from ${text(lowerPrice)} to ${text(upperPrice)} ${quote}`;

/** Describes the maximum loss of a grid. */
export const fallText = (begins: GridStart): string =>
  `the price falls and does not recover: up to ${text(mostQuote(begins))} ${begins.market.quote} become ${begins.market.base} and lose value with it`;

type GridPlan = z.input<ReturnType<typeof GridPlanShape>>;

/** Returns the part of a plan that only grids have. */
export function gridDetails(
  { begins, ownBase }: { readonly begins: GridStart; readonly ownBase: Decimal },
  { market, quote }: Pick<StartInputs, "market" | "quote">,
  lastWeek: GridPlan["lastWeek"],
): GridPlan {
  const { config, state } = begins;
  const { lowerPrice, upperPrice, gridLevels, orderSize, gridSpacing } = config;
  return {
    kind: "grid",
    lowerPrice: text(lowerPrice),
    upperPrice: text(upperPrice),
    gridLevels,
    orderSize: text(orderSize),
    gridSpacing: text(gridSpacing),
    slots: state.slots.map((slot) => ({
      slot: slot.index,
      lowerPrice: text(slot.lower),
      upperPrice: text(slot.upper),
      netPercent: percentNumber(cycleShare(slot, market)),
      netProfit: text(cycleNet(slot, market)),
    })),
    setAside: { quote: text(neededQuote(begins)), base: text(ownBase) },
    options: optionsOut(config),
    breakEvenSpacingPercent: percentNumber(breakEvenRatio(restingFees(market)) - ONE),
    lastWeek,
    spread: text(quote.ask - quote.bid),
    running: null,
  };
}

/** Describes the conditions of a start. */
function startNotes(
  { maxPosition, safetyReserve }: GridConfig,
  { market: { base, quote, minNotional }, balances, kept }: StartInputs,
  breakEven: string,
): string[] {
  const free = (asset: string) =>
    unreadBalance(balances, asset) ? "unknown" : text(balanceIn(balances, asset).free);
  const percent = (share: Decimal) => text(roundToStep(share * 100n, ONE / 100n, "half"));
  return [
    `minimum order: ${text(minNotional)} ${quote}`,
    `free balances: ${free(quote)} ${quote}, ${free(base)} ${base}`,
    ...(kept.quote === ZERO ? [] : [`other strategies need ${text(kept.quote)} ${quote} of it`]),
    ...(maxPosition === undefined ? [] : [`at most ${percent(maxPosition)} % of the capital in ${base}`]),
    ...(safetyReserve === undefined ? [] : [`${percent(safetyReserve)} % of the capital stay in ${quote}`]),
    `break-even: ${breakEven}`,
  ];
}

const percentNumber = (share: Decimal): number => wire(roundToStep(share * 100n, ONE / 10_000n, "down"));
