import type * as z from "zod";
import { type Decimal, mul, ONE, snap, sum, text, wire, ZERO } from "../../kernel/decimal.ts";
import { boundsAfter, refusedWithin } from "../../limits/standing.ts";
import { type Balance, balanceIn } from "../../model/account.ts";
import type { Intent } from "../../model/intent.ts";
import type { Bounds, LimitCode, LimitRefusal } from "../../model/limits.ts";
import type { Market, Quote } from "../../model/market.ts";
import { type Both, freeBeside } from "../../model/reserve.ts";
import type { Warning } from "../ladder/check-rules.ts";
import { breakEvenRatio, restingFees } from "../ladder/fees.ts";
import { giveFirstBase } from "../ladder/layout.ts";
import { committed } from "../plan/capital.ts";
import { firstBuyOf, takingPrice } from "../plan/first-buy.ts";
import { nextOrders } from "../plan/next-orders.ts";
import type { PlannedShape } from "../schema/schema.ts";
import type { GridConfig } from "../state/config.ts";
import { optionsOf } from "../state/options.ts";
import { FIRST_BUY_SLOT, type GridState, NEW_STATE, NO_LEDGER } from "../state/state.ts";
import type { Checked } from "./check.ts";
import { cycleNet, cycleShare } from "./cycle-net.ts";
import { type LastWeek, lastWeekOut } from "./last-week.ts";
import { planHashOf } from "./plan-hash.ts";
import { type Begins, mostQuote, neededQuote, worstCases } from "./worst-case.ts";

export interface StartWorld {
  readonly market: Market;
  readonly quote: Quote;
  readonly balances: readonly Balance[];
  /** What the account's other strategies still need of what is free. */
  readonly kept: Both;
  readonly killed: boolean;
  readonly confidence?: Decimal | undefined;
  /** What the orders are held to. */
  readonly bounds?: Bounds | undefined;
}

/** What a start does now: the state it stores, the orders of its first pass, and what it refuses. */
export interface PlannedStart {
  readonly checked: Checked;
  readonly state: GridState;
  readonly intents: readonly Intent[];
  readonly ownBase: Decimal;
  /** The same while the same orders would be placed with the same configuration; names the center of a centered grid. */
  readonly hash: string;
}

export const firstState = ({ slots, startPrice, center, config }: Checked, laidAt: number): GridState => ({
  ...NEW_STATE,
  startPrice,
  center,
  laidAt,
  slots,
  ledger: NO_LEDGER,
  firstBuy: config.initialBuy ? { tries: 0 } : null,
});

const ownFree = ({ market, balances, kept }: StartWorld): Both => freeBeside(kept, balances, market);

/** The plan of the first pass, by the function that the step itself plans with. */
export function planStart(checked: Checked, world: StartWorld): PlannedStart {
  const { market, quote, balances, killed, confidence, bounds } = world;
  const { config } = checked;
  const of = (asset: string) => balanceIn(balances, asset);
  const own = ownFree(world).base;
  const given = giveFirstBase(
    firstState(checked, quote.at),
    market,
    config.useOwnBase === false ? ZERO : own,
  );
  const all = of(market.quote).free + of(market.quote).used;
  const capital = capitalAtStart(all, given.ledger.firstCost);
  const bought = firstBuyOf(given, config, { market, quote, bounds, capital });
  const planned = nextOrders(bought?.state ?? given, {
    market,
    quote,
    busy: new Set(),
    now: 0,
    resting: [],
    funds: Object.fromEntries(balances.map(({ asset, free }) => [asset, free])),
    killed,
    held: false,
    limit: given.slots.length,
    confidence,
    bounds: bought && bounds ? boundsAfter(bounds, plannedOrder(bought.intent, market), quote) : bounds,
    config,
    capital: bought ? committed(capital, market, bought.intent) : capital,
  });
  const intents = [...(bought ? [bought.intent] : []), ...planned.intents];
  return {
    checked,
    state: planned.next,
    intents,
    ownBase: given.ledger.firstBase,
    hash: planHashOf(checked, intents),
  };
}

const capitalAtStart = (quote: Decimal, position: Decimal) => ({
  whole: quote + position,
  quote,
  position,
  openBuys: ZERO,
});

const plannedOrder = (intent: Intent, { symbol }: Market) => ({ ...intent, symbol, type: "limit" as const });

/** What passes by: the grid starts, and its passes place what they may when they may. */
const LATER: ReadonlySet<string> = new Set([
  "limit_collar",
  "limit_price_age",
  "limit_gap",
] satisfies LimitCode[]);

/** Why a grid that would begin so is not started: one of its first orders is beyond a limit. */
export function beyondLimits(
  { intents, state }: PlannedStart,
  { market, quote, bounds }: StartWorld,
): LimitRefusal | undefined {
  const bought = intents.find(({ slot }) => slot === FIRST_BUY_SLOT);
  const ofBuy = bought && bounds && refusedWithin(plannedOrder(bought, market), quote, bounds);
  const all = [...(ofBuy ? [ofBuy] : []), ...state.refused];
  return all.find((one): one is LimitRefusal => isLimit(one.reason) && !LATER.has(one.reason));
}

const isLimit = (reason: string): reason is LimitCode => reason.startsWith("limit_");

export const beginsOf = (
  { checked: { config, startPrice }, state }: Pick<PlannedStart, "checked" | "state">,
  { market, quote, balances }: Pick<StartWorld, "market" | "quote" | "balances">,
): Begins => ({ config, state, startPrice, takingPrice: takingPrice(quote, market), market, balances });

type PlannedOptions = z.input<ReturnType<typeof PlannedShape>>["options"];

/** What was asked for beside the levels. */
function optionsOut(config: GridConfig): PlannedOptions {
  const { stopLossPrice, takeProfitPrice, triggerPrice, trail } = config;
  return {
    ...given({ stopLossPrice, takeProfitPrice, triggerPrice }),
    ...(trail ? { trail: given(trail) } : {}),
    ...given(optionsOf(config)),
  } as PlannedOptions;
}

/** Of prices and shares their numbers, flags as they are; nothing of what was not asked for. */
const given = (
  request: Readonly<Record<string, Decimal | boolean | undefined>>,
): Record<string, number | boolean> =>
  Object.fromEntries(
    Object.entries(request).flatMap(([name, one]) =>
      one === undefined ? [] : [[name, typeof one === "boolean" ? one : wire(one)]],
    ),
  );

/** What a start takes of the account's own without having been told to, and what it lacks. */
export function fundsWarnings(planned: PlannedStart, world: StartWorld): Warning[] {
  const { checked, state, intents, ownBase } = planned;
  const { base } = world.market;
  const free = ownFree(world).quote;
  const needed = neededQuote(beginsOf(planned, world));
  const warnings: Warning[] = [];
  if (ownBase > ZERO && checked.config.useOwnBase === undefined)
    warnings.push({
      code: "own_base_used",
      message: `${text(ownBase)} ${base} that you already own are used; set useOwnBase=false to prevent that`,
    });
  const resting = { orders: intents.length, slots: state.slots.length };
  return [...warnings, ...missingQuote({ needed, free, resting }, world)];
}

/** Buys that cannot all be paid for of what is free beside other strategies. */
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
  { kept, market: { quote } }: Pick<StartWorld, "kept" | "market">,
): Warning[] {
  if (needed <= free) return [];
  const beside =
    kept.quote === ZERO ? "" : ` besides the ${text(kept.quote)} ${quote} that other strategies need`;
  const message = `the buys need ${text(needed)} ${quote} and ${text(free)} ${quote} are free${beside}: ${resting.orders} of ${resting.slots} orders are placed first`;
  return [{ code: "funds_missing", message }];
}

/** What the orders come to in quote, at their own prices. */
function orderSums(intents: readonly Intent[]) {
  const of = (side: Intent["side"]) =>
    text(
      sum(intents.filter((one) => one.side === side).map(({ price, amount }) => mul(price, amount, "up"))),
    );
  return { buys: of("buy"), sells: of("sell") };
}

/** The plan as a person reads it: every order, what it needs, what a cycle nets, and what it can come to. */
export function plannedOut(planned: PlannedStart, world: StartWorld, week: LastWeek) {
  const { checked, state, intents, ownBase, hash } = planned;
  const { market, quote } = world;
  const { warnings, startPrice } = checked;
  const begins = beginsOf(planned, world);
  return {
    marketPrice: wire(startPrice),
    orders: intents.map(({ side, price, amount, slot }) => ({
      slot,
      side,
      price: wire(price),
      amount: wire(amount),
    })),
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
    free: { quote: text(ownFree(world).quote), base: text(ownFree(world).base) },
    maxQuoteUsed: text(mostQuote(begins)),
    ownBaseUsed: text(ownBase),
    breakEvenSpacingPercent: percentNumber(breakEvenRatio(restingFees(market)) - ONE),
    worstCase: worstCases(begins),
    lastWeek: lastWeekOut(begins, week),
    spread: wire(quote.ask - quote.bid),
    warnings: [...warnings, ...fundsWarnings(planned, world)],
    planHash: hash,
  };
}

const percentNumber = (share: Decimal): number => wire(snap(share * 100n, ONE / 10_000n, "down"));
