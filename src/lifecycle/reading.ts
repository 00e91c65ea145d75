/** What every kind of strategy shows in the list and in a status, and what a kind adds to it. */
import type * as z from "zod";
import { stopLevels } from "../engine/decide/ending.ts";
import { stopReasonOf } from "../engine/decide/stop.ts";
import { waitNotices } from "../engine/decide/waits.ts";
import { endingTextsOf } from "../engine/operations/ending-fields.ts";
import {
  accountNotices,
  marketTimeOf,
  notConfiguredHere,
  openOrdersOf,
  phaseOut,
} from "../engine/operations/reads.ts";
import { placedAsText } from "../engine/operations/shapes.ts";
import { stopPricesOf } from "../engine/operations/stop-prices.ts";
import { stalledFor, stalledNotices, watchNotices } from "../engine/pass/stop-watch.ts";
import { describeStream, streamNotices } from "../engine/pass/streams/down.ts";
import { upgraded } from "../engine/pass/upgrade.ts";
import { type Decimal, div, mul, ONE, roundToStep, sum, text, wire, ZERO } from "../kernel/decimal.ts";
import { splitPair } from "../kernel/pair.ts";
import { MINUTE, type Millis } from "../kernel/time.ts";
import { type Mode, modeOf, parseAccountKey } from "../model/account.ts";
import { groupBy, type Order } from "../model/order.ts";
import { describeRefusal, describeWait } from "../model/refusal-text.ts";
import { type Accounts, pendingEdit, runningTime, type Strategy } from "../model/strategy.ts";
import type { Deps } from "../ports/deps.ts";
import type { ConfiguredExchanges } from "../ports/exchanges.ts";
import type { Kind, Kinds } from "../ports/kind.ts";
import type { CodedText } from "../ports/plan.ts";
import type { StrategyView } from "../ports/stores/store.ts";
import type { StrategyRowShape, statusShape, TotalShape } from "./schema.ts";

/** A strategy in the form of this version, and its kind. */
export interface ReadableStrategy extends StrategyView {
  readonly kind: Kind;
}

/** A strategy with its figures. */
export interface ReadStrategy {
  readonly view: ReadableStrategy;
  /** Price at which its base is valued. */
  readonly mark: Decimal | undefined;
  readonly accounts: Accounts;
  readonly capital: Decimal;
  readonly startPrice: Decimal;
}

/** Returns a strategy in the form of this version. Throws if this version cannot read it. */
export function inThisVersion(kinds: Kinds, view: StrategyView): ReadableStrategy {
  const kind = kinds(view.strategy.kind);
  return { ...view, kind, strategy: upgraded(kind, view.strategy) };
}

export function readStrategy(view: ReadableStrategy): ReadStrategy {
  const { kind, strategy, memory } = view;
  const mark = memory.marks[strategy.symbol]?.mid ?? kind.markOf?.(strategy);
  const { capital, price: startPrice } = kind.startedWith(strategy);
  return { view, mark, accounts: kind.accounts(strategy, mark), capital, startPrice };
}

export const definitionName = ({ kind, strategy }: Pick<ReadableStrategy, "kind" | "strategy">): string =>
  kind.definitionOf?.(strategy) ?? kind.name;

/** Returns all notices: those of its passes, and those that depend on the time of the request. */
function allNotices(deps: Deps, view: ReadableStrategy, killed: boolean): CodedText[] {
  const { kind, strategy } = view;
  const isKilled = killed && strategy.status !== "stopped";
  const message = `the kill switch is on: ${kind.killed ?? "nothing is placed until it is off"}`;
  return [
    ...strategy.state.notices,
    ...stalledNotices(view, deps.interval),
    ...accountNotices(view),
    ...(kind.noticesOf?.(view) ?? []),
    ...waitNotices(view),
    ...watchNotices(view, deps.interval ?? MINUTE),
    ...streamNotices(view, deps.streamReport?.()),
    ...(isKilled ? [{ code: "killed", message }] : []),
  ].map((notice) => ({ ...notice }));
}

/** Returns a share of the capital in percent; null without capital. */
const shareOfCapital = (amount: Decimal, capital: Decimal): number | null =>
  capital <= ZERO ? null : wire(roundToStep(div(amount * 100n, capital, "half"), ONE / 100n, "half"));

const moneyOrNull = (value: Decimal | undefined): string | null => (value === undefined ? null : text(value));

const totalOf = ({ mark, accounts: { total } }: ReadStrategy): Decimal | undefined =>
  mark === undefined ? undefined : total;

/** Returns the profit of holding its capital in base since the start; undefined while a price is unknown. */
function holdingOf({ mark, capital, startPrice }: ReadStrategy): Decimal | undefined {
  if (mark === undefined) return undefined;
  if (startPrice <= ZERO) return ZERO;
  const rise = div(mark - startPrice, startPrice, "half");
  return roundToStep(mul(capital, rise, "half"), ONE / 100n, "half");
}

/** Returns the range of its levels; without levels, the prices at which it stops. */
function rangeFieldsOf({ kind, strategy }: ReadableStrategy) {
  const { below, above } = stopLevels(strategy);
  const { lower, upper } = kind.rangeOf?.(strategy) ?? { lower: below?.price, upper: above?.price };
  return { lowerBound: moneyOrNull(lower), upperBound: moneyOrNull(upper) };
}

/** Returns a strategy as the list shows it. */
export function rowOut(
  deps: Deps,
  read: ReadStrategy,
  killed: boolean,
): z.input<ReturnType<typeof StrategyRowShape>> {
  const { view, accounts, capital } = read;
  const { strategy } = view;
  const { id, name = null, symbol, status, startedAt, state } = strategy;
  const { maxLoss, endsAt, onEnd } = strategy.config;
  const now = deps.marketTime(parseAccountKey(strategy.account), view.now);
  const total = totalOf(read);
  return {
    id,
    name,
    definition: definitionName(view),
    exchange: parseAccountKey(strategy.account).exchange,
    symbol,
    mode: modeOf(strategy.account),
    status,
    phase: phaseOut(strategy),
    stalled: stalledFor(view, deps.interval) > 0,
    price: moneyOrNull(read.mark),
    ...rangeFieldsOf(view),
    totalProfit: moneyOrNull(total),
    profit: text(accounts.realized),
    profitPercent: total === undefined ? null : shareOfCapital(total, capital),
    capital: text(capital),
    holdingProfit: moneyOrNull(holdingOf(read)),
    position: text(accounts.position),
    openOrders: view.openOrders,
    filledOrders: accounts.filledOrders,
    waitingSlots: status === "stopped" ? 0 : state.refused.length,
    endings: status === "stopped" ? [] : endingTextsOf({ maxLoss, endsAt, onEnd }, splitPair(symbol).quote),
    notices: allNotices(deps, view, killed),
    lastError: strategy.lastError ?? view.accountError,
    lastStepAt: marketTimeOf(deps, strategy, view.steppedAt),
    startedAt,
    runningTime: runningTime(strategy, now),
  };
}

/** Returns the sum; an unknown value makes it unknown. */
const textOfSum = (values: readonly (Decimal | undefined)[]): string | null =>
  values.every((value) => value !== undefined) ? text(sum(values)) : null;

/** Returns totals for each quote asset and mode. */
export function totalsByAsset(reads: readonly ReadStrategy[]): z.input<ReturnType<typeof TotalShape>>[] {
  const placeOf = ({ view: { strategy } }: ReadStrategy) =>
    `${splitPair(strategy.symbol).quote} ${modeOf(strategy.account)}`;
  return [...groupBy(reads, placeOf)].map(([place, mine]) => {
    const [quote = "", mode] = place.split(" ");
    return {
      quote,
      mode: mode as Mode,
      count: mine.length,
      totalProfit: textOfSum(mine.map(totalOf)),
      profit: text(sum(mine.map(({ accounts }) => accounts.realized))),
      holdingProfit: textOfSum(mine.map(holdingOf)),
      capital: text(sum(mine.map(({ capital }) => capital))),
    };
  });
}

/** Describes why an order waits; a slot that lacks base waits for its price. */
const describeSlotWait = (
  refused: Strategy["state"]["refused"][number],
  lower: Decimal | undefined,
): string => (lower === undefined ? describeRefusal(refused) : describeWait(refused, text(lower)));

/** Returns the status of a strategy. `orders` are the unsettled ones of its account. */
export function statusOut(
  deps: Deps,
  read: ReadStrategy,
  { orders, killed }: { readonly orders: readonly Order[]; readonly killed: boolean },
): z.input<ReturnType<typeof statusShape>> {
  const { view, mark, accounts, startPrice } = read;
  const { kind, strategy } = view;
  const row = rowOut(deps, read, killed);
  const isStopped = strategy.status === "stopped";
  const idOf = (slot: number) => kind.orderId?.(strategy, slot) ?? String(slot);
  const waiting = isStopped ? [] : strategy.state.refused;
  return {
    ...row,
    lastError: (isStopped ? undefined : deps.store.trouble()) ?? row.lastError ?? foreignTo(deps, strategy),
    startPrice: text(startPrice),
    unrealizedProfit: mark === undefined ? null : text(accounts.unrealized),
    feesPaid: text(accounts.fees),
    averageCost: moneyOrNull(accounts.averageCost ?? undefined),
    breakEvenPrice: moneyOrNull(accounts.breakEvenPrice ?? undefined),
    orders: openOrdersOf(orders, strategy.id).map((order) => ({
      id: idOf(order.slot),
      ...placedAsText(order),
    })),
    waiting: waiting.map((refused) => ({
      id: idOf(refused.slot),
      reason: refused.reason,
      detail: describeSlotWait(refused, kind.lowerPriceOf?.(strategy, refused.slot)),
    })),
    stopPrices: stopPricesOf(view, row.notices, text),
    stopReason: stopReasonOf(kind, strategy, mark),
    stream: isStopped ? null : describeStream(strategy.account, deps.streamReport?.()),
    startAgain: startAgainOf(view, deps.marketTime(parseAccountKey(strategy.account), view.now)),
    details: kind.statusDetailsOf(view, (at) => marketTimeOf(deps, strategy, at)),
  };
}

/** Returns the request of a start with the same settings. An end time that has passed is left out. */
function startAgainOf(view: ReadableStrategy, now: Millis): Readonly<Record<string, unknown>> {
  const { kind, strategy } = view;
  const account = parseAccountKey(strategy.account);
  const { config, ...budget } = kind.settingsOf({
    ...strategy,
    config: pendingEdit(strategy) ?? strategy.config,
  });
  const { endsAt, onEnd, ...lasting } = config;
  const again = {
    definition: definitionName(view),
    exchange: account.exchange,
    symbol: strategy.symbol,
    config: Number(endsAt) <= now ? lasting : config,
    ...budget,
    ...(account.kind === "dry" ? { dryRun: true } : {}),
  };
  return asInput(again) as Readonly<Record<string, unknown>>;
}

/** Returns a request as JSON: amounts are numbers, and fields without a value are absent. */
function asInput(value: unknown): unknown {
  if (typeof value === "bigint") return wire(value as Decimal);
  if (Array.isArray(value)) return value.map(asInput);
  if (typeof value !== "object" || value === null) return value;
  const given = Object.entries(value).filter(([, one]) => one !== undefined);
  return Object.fromEntries(given.map(([name, one]) => [name, asInput(one)]));
}

/** Returns that another process has to run a strategy; null if this one does. */
const foreignTo = ({ venueOf }: ConfiguredExchanges, { account, status }: Strategy): string | null =>
  status === "stopped" || venueOf(parseAccountKey(account)) ? null : notConfiguredHere(account);
