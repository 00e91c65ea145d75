/** Plans quotes with the function that a pass uses, and formats the plan for people. */

import {
  type EndingEdits,
  editedEndings,
  endingConfig,
  endingTextsOf,
  endingWarnings,
  requestedEndings,
  splitEndings,
} from "../../engine/operations/ending-fields.ts";
import { closedWarnings } from "../../engine/operations/start-reads.ts";
import { midOfBook, withFirstBase } from "../../engine/position/position.ts";
import {
  type Decimal,
  decimal,
  div,
  max,
  min,
  mul,
  ONE,
  ofPercent,
  roundToStep,
  sum,
  text,
  wire,
  ZERO,
} from "../../kernel/decimal.ts";
import { pluralize } from "../../kernel/plain-text.ts";
import { MINUTE, SECOND } from "../../kernel/time.ts";
import { metLimitWarnings, refusedAmong } from "../../limits/standing.ts";
import type { Balance } from "../../model/account.ts";
import type { Standings } from "../../model/limits.ts";
import { type Book, feeWarnings, type Market } from "../../model/market.ts";
import type { Elsewhere } from "../../model/memory.ts";
import type { ApprovedPlan } from "../../model/shown-plan.ts";
import { freeBeside, type PairAmounts } from "../../model/strategy.ts";
import type { PlanFacts } from "../../ports/plan.ts";
import type { VenueOrder } from "../../ports/venue.ts";
import type { Sizes } from "../levels.ts";
import { quoteNoticesOf, quotingOf } from "../pass/quoting.ts";
import { formatDefence, moveWithin, type QuotePlan, type Volatility } from "../plan.ts";
import type { QuoteSettings } from "../schema/input.ts";
import {
  type LastQuoted,
  newQuoteState,
  type QuoteConfig,
  type QuoteState,
  type QuoteStrategy,
} from "../state.ts";

export interface QuoteInputs {
  readonly market: Market;
  readonly book: Book;
  readonly open: readonly VenueOrder[];
  readonly elsewhere: Elsewhere;
  readonly balances: readonly Balance[];
  /** What other strategies of the account still need. */
  readonly kept: PairAmounts;
  readonly volatility: Volatility | undefined;
  readonly standings: Standings;
  readonly killed: boolean;
  readonly now: number;
  readonly interval: number;
}

export interface PlannedQuote {
  readonly config: QuoteConfig;
  readonly plan: QuotePlan;
  readonly reference: Decimal | null;
  readonly shown: ApprovedPlan;
}

export function planQuote(
  config: QuoteConfig,
  inputs: QuoteInputs,
  quoteStartPlace: QuoteStartPlace,
): PlannedQuote {
  const { market, book, open, elsewhere, balances, kept, volatility, now, interval } = inputs;
  const free = freeBeside(kept, balances, market);
  const budget = { base: min(config.budget.base, free.base), quote: min(config.budget.quote, free.quote) };
  const state = withFirstBase(newQuoteState(config.rules.levels, ONE), budget.base);
  const strategy = { config: { ...config, budget }, state } as QuoteStrategy;
  const observed = { market, quote: undefined, book, elsewhere, open, error: null };
  const own = open.map(({ side, price, type }) => ({ side, price, type }));
  const pass = { observed, now, interval, isSimulated: true };
  const { plan } = quotingOf(strategy, market, pass, { live: [], own }, volatility);
  return {
    config,
    plan,
    reference: plan.reference.price,
    shown: approvedQuotes(strategy.config, plan, { ...quoteStartPlace, symbol: market.symbol }),
  };
}

const percentOf = (share: Decimal): number => wire(roundToStep(share * 100n, ONE / 10_000n, "half"));

export const sourcesOut = ({ sources }: Pick<LastQuoted, "sources">) =>
  sources.map(({ source, because }) => ({ source, counted: because === null, because }));

export const quoteRequestOut = ({ rules, budget, maxLoss }: QuoteConfig) => ({
  spreadPercent: percentOf(2n * rules.halfSpread),
  levels: rules.levels,
  budget: { base: text(budget.base), quote: text(budget.quote) },
  maxLoss: maxLoss === undefined ? null : text(maxLoss),
  defend: rules.defence ? formatDefence(rules.defence) : null,
});

export const quotePricedOut = (
  priced: {
    readonly reference: Decimal | null;
    readonly halfSpread: Decimal | null;
    readonly widenedBy: string | null;
  },
  sources: ReturnType<typeof sourcesOut>,
) => ({
  reference: priced.reference === null ? null : text(priced.reference),
  halfSpreadPercent: priced.halfSpread === null ? null : percentOf(priced.halfSpread),
  widenedBy: priced.widenedBy,
  sources,
});

/**
 * Warns if the price moves more between two passes than the quoted distance, because such quotes lose to faster
 * traders.
 */
export function passIntervalAdvice({ volatility, interval }: QuoteInputs, { rules }: QuoteConfig) {
  const seconds = interval / SECOND;
  if (!volatility)
    return {
      seconds,
      movePercent: null,
      message: "the volatility is unknown; start with a wide spread",
    };
  const move = moveWithin(volatility, interval);
  const safe = percentOf(4n * move);
  const output = `within the ${seconds} s between two passes the price moves by about ${percentOf(move)} %`;
  const message =
    2n * rules.halfSpread >= 4n * move
      ? `${output}; this spread covers it`
      : `${output}: a spread below ${safe} % often fills before the orders can move; widen it, or run passes more often with --tick-interval`;
  return { seconds, movePercent: percentOf(move), message };
}

/** Returns the plan of a start; under the kill switch no order is placed. */
export function quoteFacts(planned: Omit<PlannedQuote, "shown">, inputs: QuoteInputs): PlanFacts {
  const { config, plan, reference } = planned;
  const { prices, widenedBy } = plan;
  const priced = { reference: plan.reference.price, halfSpread: prices?.halfSpread ?? null, widenedBy };
  const levels = [...plan.bids, ...plan.asks];
  const stopped = inputs.killed ? levels.map((level) => ({ id: levelId(level), reason: "killed" })) : [];
  const cadence = passIntervalAdvice(inputs, config);
  const { budget: _, ...request } = quoteRequestOut(config);
  return {
    what: `quotes ${request.spreadPercent} % apart`,
    price: reference,
    orders: inputs.killed ? [] : levels.map((level) => ({ ...level, id: levelId(level) })),
    refused: [...plan.cuts.map((cut) => ({ id: levelId(cut), reason: cut.because })), ...stopped],
    free: freeBeside(inputs.kept, inputs.balances, inputs.market),
    worstCase: worstCaseText(planned, inputs),
    losses: [],
    triggerPrice: config.triggerPrice,
    endings: endingTextsOf(config, inputs.market.quote),
    notes: [cadence.message],
    details: {
      kind: "quote",
      ...request,
      ...quotePricedOut(priced, sourcesOut(plan.reference)),
      cadence,
    },
  };
}

/** Returns the id of a level's order: `buy-1` is the bid that is nearest to the price. */
const levelId = ({ side, level }: { readonly side: "buy" | "sell"; readonly level: number }): string =>
  `${side}-${level + 1}`;

function worstCaseText(
  { config, reference }: Pick<PlannedQuote, "config" | "reference">,
  { market }: QuoteInputs,
): string {
  const { base, quote } = config.budget;
  const worth = reference === null ? "" : `, ${text(mul(base, reference, "half"))} ${market.quote} now`;
  const bound =
    config.maxLoss === undefined
      ? ""
      : `; at a loss of ${text(config.maxLoss)} ${market.quote} both sides are canceled`;
  return `the price falls and does not recover: ${text(quote)} ${market.quote} become ${market.base}, in addition to the initial ${text(base)} ${market.base}${worth}, and all of it loses value${bound}`;
}

/** Describes which part of the budget other strategies of the account need. */
function missingFunds(has: PairAmounts, { market, balances, kept }: QuoteInputs) {
  const free = freeBeside(kept, balances, market);
  return (["base", "quote"] as const).flatMap((side) => {
    if (has[side] <= free[side]) return [];
    const asset = market[side];
    const beside =
      kept[side] === ZERO
        ? ""
        : `, besides the ${text(kept[side])} ${asset} that other strategies still need`;
    const message = `its budget is ${text(has[side])} ${asset}, but ${text(free[side])} ${asset} are free${beside}`;
    return [{ code: "funds_missing", message }];
  });
}

/** What the Avellaneda–Stoikov model replaces. */
export const modelWarnings = ({ rules }: QuoteConfig) =>
  rules.avellaneda
    ? [
        {
          code: "model",
          message:
            "gamma, sigma and k replace target and skewPercent, which have no effect: the model moves both sides until no base is left",
        },
      ]
    : [];

/** Warns if a defence is so small that the orders would stay. */
function defenceWarnings(
  { rules: { defence }, tolerance }: QuoteConfig,
  price: Decimal | null,
  { tick }: Market,
): { code: string; message: string }[] {
  if (!defence || defence.ticks === "pause" || price === null) return [];
  if (BigInt(defence.ticks) * tick > mul(price, tolerance.price, "down")) return [];
  const message = `defend moves a side by ${pluralize(defence.ticks, "tick")}, which is within the tolerance, so its open orders stay; use more ticks or a smaller --tolerance-percent`;
  return [{ code: "small_defence", message }];
}

/** Returns the price at which a pass judges stop prices: the market's while a price is fixed, otherwise the reference. */
function pricedQuote({ config: { fixed }, plan }: WarnedQuote, { book }: QuoteInputs) {
  const price = fixed ? midOfBook(book) : plan.reference.price;
  return price === null || price === undefined ? undefined : { bid: price, ask: price, at: book.at };
}

/** Highest spread without a warning: above it, a mistake is more likely. */
const WIDE_SPREAD = decimal("0.2");

function spreadWarnings({ rules: { halfSpread } }: QuoteConfig): { code: string; message: string }[] {
  const spread = 2n * halfSpread;
  if (spread <= WIDE_SPREAD) return [];
  const message = `the spread is ${percentOf(spread)} % of the price; it is set in percent, so 2 is 2 %`;
  return [{ code: "wide_spread", message }];
}

/** Running quotes with their current budget and state. */
type WarnedQuote = Pick<PlannedQuote, "config" | "plan"> & {
  readonly has?: PairAmounts;
  readonly state?: QuoteState;
};

export function quoteWarnings(
  { config, plan, has = config.budget, state = newQuoteState(1, ONE) }: WarnedQuote,
  inputs: QuoteInputs,
) {
  const notices = quoteNoticesOf({ state, config }, plan);
  const quoted = sum([...plan.bids, ...plan.asks].map(({ price, amount }) => mul(price, amount, "down")));
  const worth = has.quote + mul(has.base, plan.reference.price ?? ZERO, "down");
  const isTight = quoted > ZERO && worth < 2n * quoted;
  const counted = plan.reference.sources.filter(({ because }) => because === null);
  const isAlone = counted.length === 1 && counted[0]?.source === "own";
  return [
    ...closedWarnings(inputs.market),
    ...notices.map((notice) => ({ ...notice })),
    ...feeWarnings(inputs.market),
    ...missingFunds(has, inputs),
    ...spreadWarnings(config),
    ...endingWarnings(config, { quote: pricedQuote({ config, plan }, inputs), highest: state.highest }),
    ...modelWarnings(config),
    ...defenceWarnings(config, plan.reference.price, inputs.market),
    ...(isTight
      ? [
          {
            code: "tight_funds",
            message: `it quotes ${percentOf(div(quoted, max(worth, 1n), "half"))} % of its budget, so a new order has to wait until the old one is canceled; with twice the budget, both sides stay open`,
          },
        ]
      : []),
    ...(isAlone
      ? [
          {
            code: "own_book_alone",
            message:
              "its own book is the only price source, so moving a thin book moves these quotes; add another exchange, a pool or --fixed-price",
          },
        ]
      : []),
    ...(inputs.interval >= MINUTE
      ? [{ code: "slow_cadence", message: "one pass per minute is slow: `serve` runs passes more often" }]
      : []),
    ...(inputs.killed
      ? [{ code: "killed", message: "the kill switch is on: the start would be refused" }]
      : []),
  ];
}

/** Returns a start's warnings, including the limits that its first orders meet. */
export function quoteStartWarnings(planned: PlannedQuote, inputs: QuoteInputs) {
  const { reference, plan } = planned;
  const { market, book, standings, now } = inputs;
  const [bid = reference, ask = reference] = [book.bids[0]?.price, book.asks[0]?.price];
  if (bid === null || ask === null) return quoteWarnings(planned, inputs);
  const { symbol } = market;
  const orders = [...plan.bids, ...plan.asks].map((level) => ({ ...level, symbol, type: "limit" as const }));
  const refused = refusedAmong(orders, { bid, ask, at: book.at }, { standings, now });
  return [...quoteWarnings(planned, inputs), ...metLimitWarnings(refused)];
}

/** The account of a start. */
interface QuoteStartPlace {
  readonly exchange: string;
  readonly dryRun?: boolean | undefined;
}

/** Returns what a start with these quotes approves: their settings with the available budget, and the levels with orders. */
export function approvedQuotes(
  config: QuoteConfig,
  { reference: { price }, bids, asks }: QuotePlan,
  { exchange, dryRun = false, symbol }: QuoteStartPlace & { readonly symbol: string },
): ApprovedPlan {
  const levels = [...bids, ...asks].map(({ side, level }) => `${side} ${level}`);
  return { approved: [exchange, dryRun, symbol, config, levels], price };
}

/** Maximum spread of an estimator, as a share of the price. */
const MAX_QUOTE_WIDTH: Decimal = ONE / 10n;

/** Converts input to the stored configuration. */
export function quoteConfigOf(request: QuoteSettings, budget: QuoteConfig["budget"]): QuoteConfig {
  const { levels, volatilityFactor, target, maxBase, minBase } = request;
  const { useOwn, useOthers, useDex, fixedPrice, maxAge } = request;
  const { gapPercent, skewPercent, collarPercent, tolerancePercent } = request;
  const spread = ofPercent(request.spreadPercent);
  const vote = (is: boolean) => (is ? ONE : ZERO);
  return {
    rules: {
      levels,
      gap: givenShare(gapPercent) ?? spread / 2n,
      sizes: sizesOf(request),
      halfSpread: spread / 2n,
      volatilityFactor,
      target,
      strength: givenShare(skewPercent) ?? spread,
      mostSkew: min(spread / 2n, MAX_QUOTE_WIDTH),
      widest: MAX_QUOTE_WIDTH,
      ...modelOf(request),
      ...(maxBase === undefined ? {} : { mostBase: maxBase }),
      ...(minBase === undefined ? {} : { leastBase: minBase }),
      ...defenceOf(request),
    },
    tolerance: { price: givenShare(tolerancePercent) ?? spread / 8n, amount: ONE / 2n },
    weights: { own: vote(useOwn), others: vote(useOthers), dex: vote(useDex) },
    ...(fixedPrice === undefined ? {} : { fixed: { price: fixedPrice, weight: ONE } }),
    maxAge,
    ...(collarPercent === ZERO ? {} : { collar: ofPercent(collarPercent) }),
    budget,
    ...endingConfig(splitEndings(request).endings),
  };
}

/** Returns the fields of a start that lead to this configuration. */
export function quoteSettingsOf(config: QuoteConfig) {
  const { rules, tolerance, weights, fixed, maxAge, collar = ZERO } = config;
  const { sizes, avellaneda, defence } = rules;
  return {
    spreadPercent: 200n * rules.halfSpread,
    levels: rules.levels,
    ...(sizes.model === "depth"
      ? { depth: sizes.depth, withinPercent: 100n * sizes.within }
      : { size: sizes.size }),
    ...(sizes.model === "growing" ? { growth: sizes.factor } : {}),
    gapPercent: 100n * rules.gap,
    volatilityFactor: rules.volatilityFactor,
    target: rules.target,
    skewPercent: 100n * rules.strength,
    ...avellaneda,
    maxBase: rules.mostBase,
    minBase: rules.leastBase,
    defend: defence && formatDefence(defence),
    tolerancePercent: 100n * tolerance.price,
    useOwn: weights.own !== ZERO,
    useOthers: weights.others !== ZERO,
    useDex: weights.dex !== ZERO,
    fixedPrice: fixed?.price,
    maxAge,
    collarPercent: 100n * collar,
    ...requestedEndings(config),
  };
}

/** Converts an optional percentage of a request: configurations store shares. */
const givenShare = (percent: Decimal | undefined) => (percent === undefined ? undefined : ofPercent(percent));

function sizesOf({ size, depth, withinPercent, growth }: QuoteSettings): Sizes {
  if (depth !== undefined) return { model: "depth", depth, within: ofPercent(withinPercent) };
  return growth === ONE
    ? { model: "flat", size: size ?? ZERO }
    : { model: "growing", size: size ?? ZERO, factor: growth };
}

const defenceOf = ({ defend }: Pick<ChangeRequest, "defend">) =>
  defend === undefined ? {} : { defence: defend === "off" ? undefined : defend };

const modelOf = ({ gamma, sigma, k, horizon }: QuoteSettings) =>
  gamma === undefined || sigma === undefined || k === undefined
    ? {}
    : { avellaneda: { gamma, sigma, k, horizon: horizon ?? 1 } };

type Changeable =
  | "spreadPercent"
  | "levels"
  | "size"
  | "depth"
  | "maxBase"
  | "minBase"
  | "defend"
  | "fixedPrice"
  | "tolerancePercent";
export type ChangeRequest = EndingEdits & { readonly [N in Changeable]?: QuoteSettings[N] | undefined };

/** Returns the configuration after a change; absent fields stay unchanged. */
export function changedQuote(config: QuoteConfig, request: ChangeRequest): QuoteConfig {
  const { rules } = config;
  const { levels, size, depth, maxBase, minBase, fixedPrice } = request;
  const [spread, tolerance] = [givenShare(request.spreadPercent), givenShare(request.tolerancePercent)];
  const within = rules.sizes.model === "depth" ? rules.sizes.within : ONE / 50n;
  const sizes: Sizes =
    depth !== undefined
      ? { model: "depth", depth, within }
      : size !== undefined
        ? resized(rules.sizes, size)
        : rules.sizes;
  return {
    ...editedEndings(config, request),
    rules: {
      ...rules,
      sizes,
      ...(levels === undefined ? {} : { levels }),
      ...(spread === undefined
        ? {}
        : { halfSpread: spread / 2n, mostSkew: min(spread / 2n, MAX_QUOTE_WIDTH) }),
      // The default follows the spread; a requested gap stays.
      ...(spread !== undefined && rules.gap === rules.halfSpread ? { gap: spread / 2n } : {}),
      ...(maxBase === undefined ? {} : { mostBase: maxBase }),
      ...(minBase === undefined ? {} : { leastBase: minBase }),
      ...defenceOf(request),
    },
    tolerance: {
      ...config.tolerance,
      ...(spread === undefined ? {} : { price: spread / 8n }),
      ...(tolerance === undefined ? {} : { price: tolerance }),
    },
    ...(fixedPrice === undefined ? {} : { fixed: { price: fixedPrice, weight: ONE } }),
  };
}

const resized = (sizes: Sizes, size: Decimal): Sizes =>
  sizes.model === "growing" ? { ...sizes, size } : { model: "flat", size };
