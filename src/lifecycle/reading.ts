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
import { type AccountRef, parseAccountKey } from "../model/account.ts";
import { groupBy, type Order } from "../model/order.ts";
import { describeRefusal } from "../model/refusal-text.ts";
import { type Accounts, runningTime, type Strategy } from "../model/strategy.ts";
import type { Deps } from "../ports/deps.ts";
import type { KindReading, NoticeOut } from "../ports/kind-reading.ts";
import type { StrategyView } from "../ports/stores/store.ts";
import type { MODES, StrategyRowShape, statusShape, TotalShape } from "./schema.ts";

/** A kind of strategy that can be read. */
export interface ReadKind {
  readonly name: string;
  readonly reading?: KindReading;
}

/** A strategy in its current version, with its kind's reading and its figures. */
export interface ReadStrategy {
  readonly view: StrategyView;
  readonly reading: KindReading | undefined;
  /** Price at which its base is valued. */
  readonly mark: Decimal | undefined;
  readonly accounts: Accounts;
  readonly capital: Decimal;
  readonly startPrice: Decimal | undefined;
}

/** Returns a strategy that this version can read, with its figures. */
export function readStrategy(
  { kinds: kindNamed }: Pick<Deps, "kinds">,
  kinds: readonly ReadKind[],
  stored: StrategyView,
): ReadStrategy {
  const kind = kindNamed(stored.strategy.kind);
  const strategy = upgraded(kind, stored.strategy);
  const reading = kinds.find(({ name }) => name === strategy.kind)?.reading;
  const mark = stored.memory.marks[strategy.symbol]?.mid ?? reading?.markOf?.(strategy);
  const { capital = ZERO, price: startPrice } = reading?.startedWith(strategy) ?? {};
  const accounts = kind.accounts(strategy, mark);
  return { view: { ...stored, strategy }, reading, mark, accounts, capital, startPrice };
}

export const definitionName = ({ view: { strategy }, reading }: ReadStrategy): string =>
  reading?.definitionOf(strategy) ?? strategy.kind;

const MODE_OF: Readonly<Record<AccountRef["kind"], (typeof MODES)[number]>> = {
  live: "real",
  dry: "paper",
  sandbox: "simulated",
};

export const modeOf = ({ account }: Pick<Strategy, "account">) => MODE_OF[parseAccountKey(account).kind];

/** Returns all notices: those of its passes, and those that depend on the time of the request. */
function allNotices(deps: Deps, { view, reading }: ReadStrategy, killed: boolean): NoticeOut[] {
  const { strategy } = view;
  const isKilled = killed && strategy.status !== "stopped";
  const message = `the kill switch is on: ${reading?.killed ?? "nothing is placed until it is off"}`;
  return [
    ...strategy.state.notices,
    ...stalledNotices(view, deps.interval),
    ...accountNotices(view),
    ...(reading?.noticesOf?.(view) ?? []),
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
  if (mark === undefined || startPrice === undefined) return undefined;
  if (startPrice <= ZERO) return ZERO;
  const rise = div(mark - startPrice, startPrice, "half");
  return roundToStep(mul(capital, rise, "half"), ONE / 100n, "half");
}

/** Returns the range of its levels; without levels, the prices at which it stops. */
function rangeFieldsOf({ view: { strategy }, reading }: ReadStrategy) {
  const { below, above } = stopLevels(strategy);
  const { lower, upper } = reading?.rangeOf?.(strategy) ?? { lower: below?.price, upper: above?.price };
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
    definition: definitionName(read),
    exchange: parseAccountKey(strategy.account).exchange,
    symbol,
    mode: modeOf(strategy),
    status,
    phase: phaseOut(strategy),
    stalled: stalledFor(view, deps.interval) > 0,
    price: moneyOrNull(read.mark),
    ...rangeFieldsOf(read),
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
    notices: allNotices(deps, read, killed),
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
    `${splitPair(strategy.symbol).quote} ${modeOf(strategy)}`;
  return [...groupBy(reads, placeOf)].map(([place, mine]) => {
    const [quote = "", mode] = place.split(" ");
    return {
      quote,
      mode: mode as (typeof MODES)[number],
      count: mine.length,
      totalProfit: textOfSum(mine.map(totalOf)),
      profit: text(sum(mine.map(({ accounts }) => accounts.realized))),
      holdingProfit: textOfSum(mine.map(holdingOf)),
      capital: text(sum(mine.map(({ capital }) => capital))),
    };
  });
}

/** Returns the status of a strategy. `orders` are the unsettled ones of its account. */
export function statusOut(
  deps: Deps,
  read: ReadStrategy,
  { orders, killed }: { readonly orders: readonly Order[]; readonly killed: boolean },
): z.input<ReturnType<typeof statusShape>> {
  const { view, reading, mark, accounts, startPrice } = read;
  const { strategy } = view;
  const row = rowOut(deps, read, killed);
  const isStopped = strategy.status === "stopped";
  const idOf = (slot: number) => reading?.orderId?.(strategy, slot) ?? String(slot);
  const waiting = isStopped ? [] : strategy.state.refused;
  return {
    ...row,
    lastError: (isStopped ? undefined : deps.store.trouble()) ?? row.lastError ?? foreignTo(deps, strategy),
    startPrice: moneyOrNull(startPrice),
    unrealizedProfit: mark === undefined ? null : text(accounts.unrealized),
    feesPaid: text(accounts.fees),
    averageCost: moneyOrNull(accounts.averageCost ?? undefined),
    breakEvenPrice: moneyOrNull(accounts.breakEvenPrice ?? undefined),
    orders: openOrdersOf(orders, strategy.id).map((order) => ({
      id: idOf(order.slot),
      ...placedAsText(order),
    })),
    waiting: waiting.map(({ slot, reason, detail }) => ({
      id: idOf(slot),
      reason,
      detail: describeRefusal({ reason, detail }),
    })),
    stopPrices: stopPricesOf(view, row.notices, text),
    stopReason: stopReasonOf(deps.kinds(strategy.kind), strategy, mark),
    stream: isStopped ? null : describeStream(strategy.account, deps.streamReport?.()),
    startAgain: reading
      ? startAgainOf(read, reading, deps.marketTime(parseAccountKey(strategy.account), view.now))
      : null,
    details: (reading?.detailsOf(view, (at) => marketTimeOf(deps, strategy, at)) ?? null) as null,
  };
}

/** Returns the request of a start with the same settings. An end time that has passed is left out. */
function startAgainOf(
  { view: { strategy } }: ReadStrategy,
  reading: KindReading,
  now: Millis,
): Readonly<Record<string, unknown>> {
  const { exchange, kind } = parseAccountKey(strategy.account);
  const { config, ...budget } = reading.settingsOf(strategy);
  const { endsAt, onEnd, ...lasting } = config;
  const again = {
    definition: reading.definitionOf(strategy),
    exchange,
    symbol: strategy.symbol,
    config: Number(endsAt) <= now ? lasting : config,
    ...budget,
    ...(kind === "dry" ? { dryRun: true } : {}),
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
const foreignTo = ({ venueOf }: Deps, { account, status }: Strategy): string | null =>
  status === "stopped" || venueOf(parseAccountKey(account)) ? null : notConfiguredHere(account);
