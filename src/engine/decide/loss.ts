import { type Decimal, max, min, sum, text, ZERO } from "../../kernel/decimal.ts";
import { splitPair } from "../../kernel/pair.ts";
import { isWide, midOf } from "../../kernel/spread.ts";
import type { Millis } from "../../kernel/time.ts";
import { changeCommandOf } from "../../limits/allowed.ts";
import { showLimit } from "../../limits/texts.ts";
import type { Bounds } from "../../model/limits.ts";
import type { BidAsk } from "../../model/market.ts";
import type { AccountMemory, Losses, LossWatch } from "../../model/memory.ts";
import type { Fill, Order } from "../../model/order.ts";
import { rejectionOf } from "../../model/refusal-text.ts";
import type { Phase, Refusal, SlotState, Strategy, StrategyState } from "../../model/strategy.ts";
import type { AdvancedStrategy, DraftedStrategy, Kind, Kinds } from "../../ports/kind.ts";
import type { Timing } from "../../ports/venue.ts";
import { addFee, movementsOf, type Reconciled } from "../reconcile/reconcile.ts";
import { booksChecked, recover, serialOf } from "../reconcile/recovery.ts";
import { identified, type StrategyPass, unchanged } from "./intents.ts";
import { leavingAgain, noteMarketClosed, stop } from "./stop.ts";

/** Basis of a loss check. A changed limit or a person's resume restarts the check. */
interface WatchedLoss {
  readonly what: "strategyLoss" | "accountLoss";
  readonly asset: string;
  /** The result at the lowest and at the highest reliable price. */
  readonly totals: () => readonly [least: Decimal, most: Decimal];
  readonly resumes: number;
  /** Owner of the result, for messages. */
  readonly whose: string;
}

/**
 * Checks a result against its best so far, which is at least zero. Beyond the limit, the strategy stays blocked until
 * a person resumes it, which resets the best result, or changes the limit.
 */
function judge(
  before: LossWatch | null,
  { what, asset, totals, resumes, whose }: WatchedLoss,
  { standings: { version, all } }: Bounds,
): LossWatch | null {
  const limits = all[0]?.limits[what];
  const most = limits?.[asset];
  if (most === undefined) return null;
  const [least, total] = totals();
  const isResumed = before !== null && before.over !== null && resumes > before.resumes;
  const peak = isResumed ? least : max(before?.peak ?? ZERO, least);
  const stays = before?.over != null && !isResumed && before.version === version;
  const over = stays
    ? before.over
    : peak - total > most
      ? `the limit ${what} is ${showLimit(limits)}, but ${whose} lost ${text(peak - total)} ${asset} from the best result of ${text(peak)}; resume to start a new count, or ${changeCommandOf(what)}`
      : null;
  const same = before?.peak === peak && before.over === over && before.version === version;
  return same && before.resumes === resumes ? before : { peak, over, version, resumes };
}

/**
 * Pauses or stops a strategy if its loss or its account's loss exceeds the limit. In a book without a reliable mid price,
 * its own limit and each stop wait, as stop prices do.
 */
export function judgeLoss<S extends Strategy>(
  kind: Kind,
  strategy: S,
  {
    quote,
    bounds,
    accountLoss,
  }: { readonly quote: BidAsk; readonly bounds: Bounds; readonly accountLoss: string | null },
): S {
  const { state, resumes, symbol } = strategy;
  const isReliable = !isWide(quote);
  const totals = () => {
    const { total } = kind.accounts(strategy, midOf(quote));
    return [total, total] as const;
  };
  const asset = splitPair(symbol).quote;
  const watched = { what: "strategyLoss", asset, totals, resumes, whose: `this ${kind.name}` } as const;
  const before = state.loss ?? null;
  const loss = isReliable ? judge(before, watched, bounds) : before;
  const beyond = loss?.over ?? accountLoss;
  const isStop = isReliable && beyond !== null && bounds.standings.all[0]?.limits.onLoss === "stop";
  if (loss === before && beyond === (state.halted ?? null) && !isStop) return strategy;
  const next = { ...state, loss, halted: beyond };
  if (!isStop) return { ...strategy, state: next };
  const notice = { code: "loss_limit", message: beyond } as const;
  const exit = { reason: "loss", tries: 0, baseAtStart: kind.holdings(state).base } as const;
  return { ...strategy, state: { ...next, exit, notices: [notice] } };
}

/** Returns why a strategy's own loss limit waits; null if it does not. */
export const delayedLoss = (quote: BidAsk, { standings }: Bounds): string | null =>
  isWide(quote) && standings.all[0]?.limits.strategyLoss
    ? "the spread is wider than 2 %, so the mid price is not reliable, and the limit strategyLoss waits for a narrower spread"
    : null;

/** Returns the losses of an account by quote asset, including strategies that have stopped since. */
export function judgeAccount(
  memory: AccountMemory,
  strategies: readonly Strategy[],
  around: { readonly bounds: Bounds; readonly quotes: ReadonlyMap<string, BidAsk>; readonly kinds: Kinds },
): Losses {
  const { bounds } = around;
  const before = memory.losses ?? {};
  const limits = bounds.standings.all[0]?.limits.accountLoss ?? {};
  const judged = Object.keys(limits).map((asset): [string, Losses[string]] => {
    const known = before[asset] ?? { closed: ZERO, watch: null };
    const mine = strategies.filter(({ symbol }) => splitPair(symbol).quote === asset);
    const results = mine.map((strategy) => resultsOf(strategy, { ...around, memory }));
    const resumes = mine.reduce((count, strategy) => count + strategy.resumes, 0);
    const least = sum(results.map(([low]) => low)) + known.closed;
    const most = sum(results.map(([, high]) => high)) + known.closed;
    const totals = () => [least, most] as const;
    const whose = `the account's ${[...new Set(mine.map(({ kind }) => `${kind}s`))].join(" and ")}`;
    const watch = judge(known.watch, { what: "accountLoss", asset, totals, resumes, whose }, bounds);
    return [asset, watch === known.watch ? known : { ...known, watch }];
  });
  const same =
    judged.length === Object.keys(before).length && judged.every(([asset, one]) => before[asset] === one);
  return same ? before : Object.fromEntries(judged);
}

interface LossContext {
  readonly memory: AccountMemory;
  readonly quotes: ReadonlyMap<string, BidAsk>;
  readonly kinds: Kinds;
}

/**
 * Returns a strategy's results at the lowest and the highest price that is likely now. One strategy without a reliable
 * price must neither halt the others nor turn off their limit, so a wide book counts with both sides and the last price.
 */
function resultsOf(strategy: Strategy, context: LossContext): readonly [low: Decimal, high: Decimal] {
  const quote = context.quotes.get(strategy.symbol);
  const price = likelyPrice(strategy, context);
  const at = (one: Decimal | undefined) => totalAt(strategy, one, context);
  if (!quote || !isWide(quote)) return [at(price), at(price)];
  const { bid, ask } = quote;
  return [at(min(bid, price ?? bid)), at(max(ask, price ?? ask))];
}

/** Without any price, the start price counts. */
const totalAt = ({ symbol, state, kind }: Strategy, price: Decimal | undefined, { kinds }: LossContext) =>
  kinds(kind).accounts({ symbol, state }, price).total;

/** Returns the mid price, or the last one if there is none or if it is not reliable. */
function likelyPrice({ symbol }: Strategy, { memory: { marks }, quotes }: LossContext): Decimal | undefined {
  const quote = quotes.get(symbol);
  return quote && !isWide(quote) ? midOf(quote) : marks[symbol]?.mid;
}

/** Keeps the results of strategies that stop in this pass in the account's result. */
export function withStopped(losses: Losses, stopped: readonly Strategy[], around: LossContext): Losses {
  if (stopped.length === 0) return losses;
  const closedIn = (asset: string) =>
    sum(
      stopped
        .filter(({ symbol }) => splitPair(symbol).quote === asset)
        .map((strategy) => totalAt(strategy, likelyPrice(strategy, around), around)),
    );
  return Object.fromEntries(
    Object.entries(losses).map(([asset, one]) => [asset, { ...one, closed: one.closed + closedIn(asset) }]),
  );
}

/** Books the fills and ends of a strategy's orders, including late ones. */
export function book(
  kind: Kind,
  strategy: Strategy,
  reconciled: readonly Reconciled[],
  { now, backoff }: { now: Millis; backoff: Timing["backoff"] },
): Strategy {
  let state = strategy.state;
  // Order by order in their slot's sequence: what one has bought, the next one sells.
  for (const one of reconciled.filter(hasNews).sort(bySerial)) {
    const { order, fills, ended, lost, adopted } = one;
    // An order of a removed slot belongs to the strategy as a whole.
    const slot = order.generation === state.generation ? order.slot : NO_SLOT;
    if (adopted) state = { ...state, serial: Math.max(state.serial, serialOf(order)) };
    if (adopted && order.kind === "exit") state = leavingAgain(kind, { ...strategy, state }, order);
    if (adopted) state = kind.beforeFound({ ...strategy, state }, one);
    for (const fill of fills)
      if (!fill.superseded) state = withMoved(kind.bookFill(state, strategy.symbol, fill, slot), fill);
    if (adopted && !ended) state = kind.afterFound(state, { ...order, slot });
    if (!ended) continue;
    state = kind.bookEnd(state, { ...order, slot });
    if (order.state !== "rejected") state = accepted(state, slot);
    else if (rejectionOf(order.reason).cause === "exchange")
      state = bookReject(state, order, { lost, now, backoff });
  }
  return state === strategy.state ? strategy : { ...strategy, state };
}

const hasNews = ({ fills, ended, adopted }: Reconciled): boolean => ended || adopted || fills.length > 0;

/** Adds a fill to the ledger that is separate from the kind's books; both must have the same sums. */
export const withMoved = <S extends StrategyState>(
  state: S,
  fill: Pick<Fill, "symbol" | "side" | "amount" | "notional" | "fees">,
): S => ({
  ...state,
  ledger: { ...state.ledger, moved: movementsOf(fill.symbol, fill).reduce(addFee, state.ledger.moved) },
});

// Not by time, because an order that was found on the exchange has the exchange's time.
const bySerial = ({ order: a }: Reconciled, { order: b }: Reconciled): number => serialOf(a) - serialOf(b);

const NO_SLOT = -1;

/** After this many consecutive orders with an unknown result, the slot counts as rejected. */
const MAX_UNKNOWN_RESULTS = 3;

// Retries become less frequent if an exchange keeps rejecting orders or never confirms them.
function bookReject(
  state: StrategyState,
  { slot: index, reason }: Order,
  { lost, now, backoff }: { lost: boolean; now: Millis; backoff: Timing["backoff"] },
): StrategyState {
  const slot = state.slots.find((slotState) => slotState.index === index);
  const count = 1 + ((lost ? slot?.lost : slot?.rejects) ?? 0);
  const result: SlotState | undefined = slot && { ...slot, ...(lost ? { lost: count } : { rejects: count }) };
  const times = lost ? count - MAX_UNKNOWN_RESULTS : count - 1;
  if (times < 0) return withSlot(state, result);
  const wait = Math.min(backoff.max, backoff.first * 2 ** Math.min(times, 20));
  const refusal: Refusal = {
    slot: index,
    reason: lost ? "unclear" : "rejected",
    ...(reason ? { detail: reason } : {}),
  };
  const refused = [...state.refused.filter((refusal) => refusal.slot !== index), refusal];
  return withSlot({ ...state, refused }, result && { ...result, retryAt: now + wait });
}

const withSlot = (state: StrategyState, slot: SlotState | undefined): StrategyState =>
  slot
    ? { ...state, slots: state.slots.map((slotState) => (slotState.index === slot.index ? slot : slotState)) }
    : state;

const accepted = (state: StrategyState, index: number): StrategyState => ({
  ...state,
  slots: state.slots.map((slot) => {
    if (slot.index !== index) return slot;
    const { rejects: _rejects, lost: _lost, ...rest } = slot;
    return rest;
  }),
});

/** Returns a strategy with the orders that it needs next, after its fills are booked. `live` are its unsettled orders. */
export function advance(before: Strategy, live: readonly Order[], context: StrategyPass): AdvancedStrategy {
  const after = drafted(before, live, context);
  const { strategy, intents } = after;
  const { state, orders } = identified(strategy, intents, context.now);
  return {
    ...after,
    strategy: state === strategy.state ? strategy : { ...strategy, state },
    intents: orders,
  };
}

function drafted(before: Strategy, live: readonly Order[], context: StrategyPass): DraftedStrategy {
  const state = recover(before, context);
  const known = applyResume(state === before.state ? before : { ...before, state });
  const { market, isUnlisted, error } = context.observed;
  const why = market && !market.active ? `${before.symbol} is closed on the exchange` : null;
  const strategy = noteMarketClosed(
    booksChecked(context.kind, known, { live, now: context.now, rows: context.observed.unreadable }),
    isUnlisted ? error : market ? why : undefined,
    context.now,
  );
  const nothing = unchanged(strategy, context.funds);
  if (strategy.wants === "stop" || strategy.state.exit)
    return { ...nothing, ...stop(strategy, live, context) };
  if (strategy.status === "error") return nothing;
  if (strategy.wants === "pause") return { ...nothing, ...pause(strategy, live, context) };
  return { ...nothing, ...context.kind.run(strategy, live, context) };
}

/** Returns the phase of a paused strategy; if it has not started yet, it still must. */
export const pausedPhase = ({ phase }: Strategy): Phase => (phase === "starting" ? phase : "paused");

// Finishes its pending cancels and waits.
const pause = (
  strategy: Strategy,
  live: readonly Order[],
  { kind }: StrategyPass,
): Partial<DraftedStrategy> => ({
  strategy: { ...strategy, phase: pausedPhase(strategy) },
  cancels: kind.outdated(strategy.state, live),
});

/**
 * Applies a person's resume: a strategy in error runs again until the cause recurs. Each resume applies once, so a
 * later error does not end by itself.
 */
export function applyResume(strategy: Strategy): Strategy {
  const { resumes, state, status, wants } = strategy;
  if (resumes === (state.resumes ?? 0)) return strategy;
  const noted = { ...strategy, state: { ...state, resumes } };
  if (status !== "error" || wants !== "run") return noted;
  return { ...noted, status: isWaiting(strategy) ? "idle" : "running", lastError: null };
}

// Its trigger has not been reached, so it has not started.
const isWaiting = ({ phase, config }: Strategy): boolean =>
  phase === "starting" && config.triggerPrice !== undefined;
