/** Calls a definition and parses its result: errors become faults and are never thrown. */

import { midOfBook, midOfOthers, withoutOwn } from "../../engine/position/position.ts";
import { isFinal } from "../../engine/reconcile/order-fills.ts";
import { type Decimal, div, max, roundToStep, ZERO } from "../../kernel/decimal.ts";
import { mixHash } from "../../kernel/hash.ts";
import { type Amount, Money } from "../../kernel/money.ts";
import type { Pair } from "../../kernel/pair.ts";
import { pluralize } from "../../kernel/plain-text.ts";
import { createRandom } from "../../kernel/random.ts";
import { medianOf } from "../../kernel/spread.ts";
import { ageOf, MINUTE, type Millis, SECOND, TIMEFRAMES } from "../../kernel/time.ts";
import type { Book, Market } from "../../model/market.ts";
import { type CandleSeries, type Elsewhere, isSameSource } from "../../model/memory.ts";
import type { Order, OrderTerms } from "../../model/order.ts";
import type {
  AnyStrategyDefinition,
  CandleRequests,
  Declared,
  StrategyCandle,
  StrategyDefinitions,
  StrategyInput,
  StrategyLog,
  StrategyNotes,
} from "../../ports/definition.ts";
import type { CandleRequirement, RequestedPrices, StrategyContext } from "../../ports/kind.ts";
import { candleRequests } from "../define.ts";
import { type OwnStrategy, type OwnStrategyState, versionOf } from "../state.ts";
import { joinLogs, logField, NO_LOG, readLog } from "./log.ts";
import { readNotes } from "./notes.ts";

/** A declared order, rounded to the market's rules. */
export interface NamedOrder extends OrderTerms {
  readonly id: string;
  /** Whether it can be a taker order; absent: as the strategy's config says. */
  readonly mayTake?: boolean | undefined;
}

export type FunctionResult =
  | { readonly fault: string; readonly log?: StrategyLog }
  | {
      readonly fault: null;
      readonly log?: StrategyLog;
      readonly wishes: readonly NamedOrder[];
      readonly memory: OwnStrategyState["memory"];
      readonly notes: StrategyNotes;
    };

/** Maximum number of declared orders; more would be a mistake. */
export const MAX_ORDERS_RETURNED = 100;
export const MAX_ORDER_ID_CHARACTERS = 40;
const MAX_FAULT_CHARACTERS = 500;
export const MAX_STATE_CHARACTERS = 65_536;

/** A strategy's definition with its config. */
export interface Runnable {
  readonly definition: AnyStrategyDefinition;
  readonly config: unknown;
}

/** Returns what a strategy runs, or why it cannot run. */
export function runnableOf({ config }: OwnStrategy, all: StrategyDefinitions | undefined): Runnable | string {
  const found = findDefinition(all, config.definition);
  if (!found) return `the strategy ${config.definition} is not loaded: its file is missing or has an error`;
  const version = versionOf(found);
  if (version < config.version)
    return `${config.definition} was started with version ${config.version}, and version ${version} is loaded`;
  if (version > config.version && !found.upgrade)
    return `${config.definition} has changed to version ${version} without an upgrade from version ${config.version}`;
  // Code elsewhere parses its config itself.
  return found.ask ? { definition: found, config: undefined } : withParsedConfig(found, config.options);
}

export function withParsedConfig(definition: AnyStrategyDefinition, options: unknown): Runnable | string {
  const { guard = (work) => work() } = definition;
  try {
    const { data, error } = guard(() => definition.config.safeParse(options));
    if (!error) return { definition, config: data };
    const [issue] = error.issues;
    return `${definition.name} has changed, and its config no longer fits: ${issue?.path.join(".")}: ${issue?.message}`;
  } catch (error) {
    return faultOf(definition, error);
  }
}

export function askDefinition({ definition, config }: Runnable, inputs: CallInputs): FunctionResult {
  const { guard = (work) => work(), takeLog } = definition;
  takeLog?.();
  try {
    return guard(() => ({ fault: null, ...callDefinition({ definition, config }, inputs) }));
  } catch (error) {
    return { fault: faultOf(definition, error), ...logField(takeLog?.()) };
  }
}

function callDefinition({ definition, config }: Runnable, inputs: CallInputs) {
  const { memory } = inputs.strategy.state;
  const version = versionOf(definition);
  const stored: unknown = memory === null ? structuredClone(definition.initial) : JSON.parse(memory.json);
  const isOlder = memory !== null && memory.version < version;
  const state = isOlder ? definition.upgrade?.(stored, memory.version) : stored;
  const call = () => {
    const answer: Declared = definition.orders(inputFor(inputs, { config, state }));
    return readAnswer(answer, { inputs, version, state, isOlder });
  };
  const result = call();
  const log = joinLogs(definition.takeLog?.() ?? NO_LOG, result.log);
  if (definition.isCalledTwice && comparableText(call()) !== comparableText(result))
    throw new Error(
      "two calls with the same input returned different orders: keep what changes in its state",
    );
  const { log: _, ...orders } = result;
  return { ...orders, ...logField(log) };
}

export const comparableText = (result: unknown): string =>
  JSON.stringify(result, (_key, value: unknown) => (typeof value === "bigint" ? String(value) : value));

/** Returns a fault with the file and line that threw, or of the function that returned an invalid result. */
export function faultOf({ locate, source }: AnyStrategyDefinition, error: unknown): string {
  const at = locate?.(error) ?? source;
  const message = (error as { readonly message?: unknown } | null | undefined)?.message ?? error;
  return `${at === undefined ? "" : `${at}: `}${String(message)}`.slice(0, MAX_FAULT_CHARACTERS);
}

interface CallContext {
  readonly inputs: CallInputs;
  readonly version: number;
  readonly state: unknown;
  readonly isOlder: boolean;
}

function readAnswer(answer: Declared, { inputs, version, state, isOlder }: CallContext) {
  if (typeof (answer as { then?: unknown } | undefined)?.then === "function") {
    // A later rejection would end the process.
    Promise.resolve(answer).catch(() => undefined);
    throw new TypeError("orders() is asynchronous: it has to return its orders at once");
  }
  const isList = Array.isArray(answer);
  const orders: unknown = isList ? answer : (answer as { orders?: unknown } | undefined)?.orders;
  if (!Array.isArray(orders)) throw new TypeError("orders() returned neither orders nor { orders, state }");
  if (orders.length > MAX_ORDERS_RETURNED)
    throw new RangeError(
      `orders() returned ${pluralize(orders.length, "order")}; the maximum is ${MAX_ORDERS_RETURNED}`,
    );
  const wishes = orders.map((one: unknown) => readOrder(one, inputs.market));
  const names = new Set(wishes.map(({ id }) => id));
  if (names.size < wishes.length) throw new RangeError("orders() returned two orders with the same id");
  const keeps = isList || !Object.hasOwn(answer, "state");
  const next = keeps ? state : (answer as { state?: unknown }).state;
  const { memory } = inputs.strategy.state;
  const shown: { readonly notes?: unknown; readonly log?: unknown } = isList ? {} : (answer as object);
  return {
    wishes,
    memory: keeps && !isOlder ? memory : memoryOf(next, version, memory),
    notes: readNotes(shown.notes),
    log: readLog(shown.log),
  };
}

/** Returns the same object if nothing changed, so a pass without changes writes nothing. */
function memoryOf(
  state: unknown,
  version: number,
  before: OwnStrategyState["memory"],
): OwnStrategyState["memory"] {
  const json = state === undefined ? undefined : JSON.stringify(state);
  if (json === undefined) return null;
  if (json.length > MAX_STATE_CHARACTERS)
    throw new RangeError(
      `orders() returned a state of ${json.length} characters; the maximum is ${MAX_STATE_CHARACTERS}`,
    );
  return before?.json === json && before.version === version ? before : { json, version };
}

function readOrder(one: unknown, market: Market): NamedOrder {
  const { id, side, price, size, quoteSize, mayTake } = (one ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof id !== "string" || id === "" || id.length > MAX_ORDER_ID_CHARACTERS)
    throw new TypeError(`an order's id is not a text of 1 to ${MAX_ORDER_ID_CHARACTERS} characters`);
  if (side !== "buy" && side !== "sell") throw new TypeError(`order ${id}: side is neither buy nor sell`);
  const at = roundToStep(readUnits(price, `order ${id}: price`), market.tick, side === "buy" ? "down" : "up");
  if (at <= ZERO) throw new RangeError(`order ${id}: price is not above zero`);
  if (mayTake !== undefined && typeof mayTake !== "boolean")
    throw new TypeError(`order ${id}: mayTake is neither true nor false`);
  if ((size === undefined) === (quoteSize === undefined))
    throw new TypeError(`order ${id}: give either size or quoteSize`);
  const amount =
    size === undefined
      ? div(readUnits(quoteSize, `order ${id}: quoteSize`), at, "down")
      : readUnits(size, `order ${id}: size`);
  if (amount < ZERO) throw new RangeError(`order ${id}: size is below zero`);
  const order = { id, side, price: at, amount: roundToStep(amount, market.lot, "down") } as const;
  return mayTake === undefined ? order : { ...order, mayTake };
}

function readUnits(value: unknown, what: string): bigint {
  try {
    return Money.of(value as Amount).units;
  } catch {
    throw new RangeError(`${what} is not a number: ${String(value)}`);
  }
}

/** Input of a function with any requests. */
type AnyStrategyInput = StrategyInput<unknown, unknown, CandleRequests>;

/** Candles and prices elsewhere that a definition requests. */
export type RequestedData = Pick<AnyStrategyInput, "candles" | "reference">;

export const findDefinition = (
  all: StrategyDefinitions | undefined,
  name: string,
): AnyStrategyDefinition | undefined => all?.find((definition) => definition.name === name);

/** An older price of another source does not count. */
const maxReferenceAgeOf = ({ reference }: Pick<AnyStrategyDefinition, "reference">): Millis =>
  typeof reference === "object" ? (reference.maxAge ?? MINUTE) : MINUTE;
const MAX_PRICES_EVERY_MS: Millis = 15 * SECOND;

export const elsewhereNeed = (definition: AnyStrategyDefinition | undefined) =>
  definition?.reference
    ? { every: Math.min(MAX_PRICES_EVERY_MS, Math.floor(maxReferenceAgeOf(definition) / 2)) }
    : undefined;

/** Candles of one request, and its name; null if the definition has a single request. */
export type CandleNeed = CandleRequirement & { readonly name: string | null };

export const candleNeeds = (definition: AnyStrategyDefinition | undefined): readonly CandleNeed[] =>
  candleRequests(definition?.candles).map(([name, { timeframe, count, symbol, exchange }]) => ({
    name,
    span: TIMEFRAMES[timeframe],
    count,
    ...(symbol === undefined ? {} : { symbol: symbol as Pair }),
    ...(exchange === undefined ? {} : { exchange }),
  }));

/** Returns it without its name, as passes store it. */
export const requirementOf = ({ name: _, ...requirement }: CandleNeed): CandleRequirement => requirement;

/** Describes it in a message: 1h, or 1h of ETH/USDT at kraken. */
export const describeNeed = ({ span, symbol, exchange }: CandleNeed): string =>
  `${Object.entries(TIMEFRAMES).find(([, one]) => one === span)?.[0]}${symbol ? ` of ${symbol}` : ""}${exchange ? ` at ${exchange}` : ""}`;

/**
 * Returns what a definition requested, or why its function cannot be called. `now` is the time of the reads, and `viewNow`
 * the one that the function gets.
 */
export function requestedData(
  definition: AnyStrategyDefinition,
  { candles, elsewhere, book }: RequestedPrices & { readonly book?: Book | undefined },
  now: Millis,
  viewNow: Millis = now,
): RequestedData | string {
  const found: Record<string, readonly StrategyCandle[]> = {};
  let single: readonly StrategyCandle[] | undefined;
  const needs = candleNeeds(definition);
  for (const need of needs) {
    const series = candles?.find((one) => isSameSource(one, need));
    if (!series || isOutdated(series, book?.at))
      return `candles of ${describeNeed(need)} were not read, so the strategy is not called`;
    const rows = candlesFrom(series).slice(-need.count);
    if (need.name === null) single = rows;
    else found[need.name] = rows;
  }
  return {
    candles: needs.length > 0 ? (single ?? found) : [],
    reference: definition.reference
      ? referenceFrom(elsewhere, { now, viewNow, maxAge: maxReferenceAgeOf(definition) })
      : NO_PRICES_ELSEWHERE,
  };
}

/** Returns whether more than the newest completed candle is missing. */
const isOutdated = ({ span, until }: CandleSeries, at: Millis = until): boolean => at - until >= 2 * span;

const NO_PRICES_ELSEWHERE: StrategyInput["reference"] = { price: null, prices: [], reason: null };

const converted = new WeakMap<CandleSeries, readonly StrategyCandle[]>();

/** Returns the candles with their prices as money; a backtest passes the same series many times. */
function candlesFrom(series: CandleSeries): readonly StrategyCandle[] {
  const { of } = Money;
  const known = converted.get(series);
  if (known) return known;
  const candles = series.rows.map(({ at, open, high, low, close, volume }) => ({
    at,
    open: of(open),
    high: of(high),
    low: of(low),
    close: of(close),
    volume: volume === null ? null : of(volume),
  }));
  converted.set(series, candles);
  return candles;
}

interface ReferenceTimes {
  readonly now: Millis;
  readonly viewNow: Millis;
  readonly maxAge: Millis;
}

function referenceFrom(
  { prices }: Pick<Elsewhere, "prices"> = { prices: [] },
  { now, viewNow, maxAge }: ReferenceTimes,
): StrategyInput["reference"] {
  const fresh = prices.filter(({ at }) => ageOf(at, now) <= maxAge);
  const median = medianOf(fresh.map(({ price }) => price));
  const moneyOf = (units: Decimal | undefined) => (units === undefined ? null : Money.of(units));
  return {
    price: moneyOf(median),
    reason: median === undefined ? withoutReference(prices, now, maxAge) : null,
    prices: fresh.map(({ source, price, bid, ask, at }) => ({
      source,
      price: Money.of(price),
      bid: moneyOf(bid),
      ask: moneyOf(ask),
      at: viewNow - ageOf(at, now),
    })),
  };
}

function withoutReference(prices: Elsewhere["prices"], now: Millis, maxAge: Millis): string {
  const [newest] = [...prices].sort((a, b) => ageOf(a.at, now) - ageOf(b.at, now));
  return newest
    ? `the newest price, of ${newest.source}, is ${ageOf(newest.at, now) / SECOND} s old; the maximum is ${maxAge / SECOND} s`
    : "no other source has returned a price";
}

/** Returns the book of others; undefined if it was not read or lacks a side. */
export function othersBook({ observed }: Pick<StrategyContext, "observed">): Book | undefined {
  const own = observed.open.map(({ side, price, amount, filled }) => ({
    side,
    price,
    amount: amount - filled,
  }));
  const { book } = observed;
  return book && midOfOthers(book, own) !== undefined ? withoutOwn(book, own) : undefined;
}

export interface CallInputs {
  readonly strategy: Pick<OwnStrategy, "number" | "config" | "state">;
  readonly live: readonly Pick<Order, "slot" | "side" | "price" | "amount" | "filled" | "state">[];
  readonly market: Market;
  readonly book: Book;
  readonly now: number;
  readonly requested: RequestedData;
}

const { of } = Money;

/** Builds the function's input from a pass, with the permitted part of the book. */
export function inputFor(
  { strategy, live, market, book, now, requested }: CallInputs,
  { config, state }: { readonly config: unknown; readonly state: unknown },
): AnyStrategyInput {
  const { state: books, number } = strategy;
  const draw = createRandom(mixHash(mixHash(0, number), now));
  const sideOf = (levels: Book["bids"]) =>
    levels.map(({ price, amount }) => ({ price: of(price), amount: of(amount) }));
  return {
    config,
    now,
    quote: visibleQuote(book),
    book: { bids: sideOf(book.bids), asks: sideOf(book.asks) },
    ...requested,
    market: rulesOf(market),
    position: positionOf(strategy),
    free: {
      base: of(max(ZERO, books.base)),
      quote: of(max(ZERO, strategy.config.budget.quote + books.ledger.quote)),
    },
    open: live
      .filter((order) => !isFinal(order) && books.ids[order.slot])
      .map(({ slot, side, price, amount, filled }) => ({
        id: books.ids[slot] ?? "",
        side,
        price: of(price),
        amount: of(amount),
        filled: of(filled),
      })),
    fills: books.fills.map((fill) => ({ ...fill, price: of(fill.price), amount: of(fill.amount) })),
    state,
    random: () => draw() / 2 ** 32,
  };
}

function visibleQuote(book: Book): StrategyInput["quote"] {
  const [bid, ask] = [book.bids[0]?.price ?? ZERO, book.asks[0]?.price ?? ZERO];
  return { bid: of(bid), ask: of(ask), mid: of(midOfBook(book) ?? ZERO) };
}

const rulesOf = ({ symbol, base, quote, ...rules }: Market): StrategyInput["market"] => ({
  symbol,
  base,
  quote,
  tick: of(rules.tick),
  lot: of(rules.lot),
  minAmount: of(rules.minAmount),
  minNotional: of(rules.minNotional),
  maker: of(rules.maker),
  taker: of(rules.taker),
});

const positionOf = ({
  state: { base, cost, ledger },
}: Pick<OwnStrategy, "state">): StrategyInput["position"] => ({
  base: of(base),
  cost: of(cost),
  averageCost: base > ZERO ? of(div(cost, base, "half")) : null,
  realized: of(ledger.realized),
});
