import {
  cancellable,
  draftOf,
  foreignOrderError,
  isUnclear,
  venueError,
  waitsToPlace,
  withNotices,
} from "../../engine/decide/intents.ts";
import { delayedLoss } from "../../engine/decide/loss.ts";
import {
  delayedRefusal,
  type PlacingDesk,
  placeOrder,
  type RemainingFunds,
  reuseIfEqual,
  soldWithin,
  supplyBefore,
} from "../../engine/position/place.ts";
import {
  beginPosition,
  leaveMarket,
  matchesLevel,
  type Tolerance,
  triggerPosition,
} from "../../engine/position/position.ts";
import { isFinal } from "../../engine/reconcile/order-fills.ts";
import { type Soon, withValue } from "../../kernel/soon.ts";
import type { Millis } from "../../kernel/time.ts";
import { type BidAsk, type Book, leastAmount, type Market } from "../../model/market.ts";
import { type Intent, type Order, takes } from "../../model/order.ts";
import {
  isSameRefusal,
  type Notice,
  pendingEdit,
  type Refusal,
  type SlotState,
} from "../../model/strategy.ts";
import type { StrategyDefinitions, StrategyNotes } from "../../ports/definition.ts";
import type { DraftedStrategy, PlacingContext, StrategyContext } from "../../ports/kind.ts";
import { type OwnStrategy, type OwnStrategyState, toleranceOf } from "../state.ts";
import { type NamedOrder, othersBook, type Runnable, requestedData, runnableOf } from "./ask.ts";
import { askCode, type CodeResult } from "./elsewhere.ts";
import { logField } from "./log.ts";

type Stepped = Partial<DraftedStrategy<OwnStrategy>>;

/** Takes a requested change over, calls the function, and places and cancels orders accordingly. */
export function runOwnStrategy(
  definitions: StrategyDefinitions | undefined,
  before: OwnStrategy,
  live: readonly Order[],
  context: StrategyContext,
): Soon<Stepped> {
  const changed = withEdit(before);
  if (changed === before) return runFunction(definitions, before, live, context);
  return withValue(runFunction(definitions, changed, live, context), (stepped) => {
    const { account, id } = before;
    const event = {
      account,
      strategy: id,
      at: context.now,
      kind: "edited",
      message: "the change is made",
    } as const;
    return stepped.strategy ? { ...stepped, events: [event, ...(stepped.events ?? [])] } : stepped;
  });
}

/** Applies a requested change: its function is called again, and refused orders are tried again. */
export function withEdit(strategy: OwnStrategy): OwnStrategy {
  const config = pendingEdit(strategy);
  if (!config) return strategy;
  const { state, edits = 0 } = strategy;
  const fault = state.fault && { ...state.fault, resumes: -1 };
  // An order that may have been accepted without becoming visible keeps its waiting time.
  const slots = state.slots.map((slot) => (slot.lost ? slot : { index: slot.index, retryAt: 0 }));
  return { ...strategy, config, state: { ...state, edits, fault, slots } };
}

function runFunction(
  definitions: StrategyDefinitions | undefined,
  before: OwnStrategy,
  live: readonly Order[],
  context: StrategyContext,
): Soon<Stepped> {
  const runnable = runnableOf(before, definitions);
  const { observed: prices, now } = context;
  const { market, error } = prices;
  const book = othersBook(context);
  if (typeof runnable === "string" && (!market || !book || before.phase === "starting"))
    return definitions ? withoutFunction(before, live, { why: runnable, now }) : {};
  // Open orders stay, because a price that is missing for a moment does not make them wrong.
  if (!market || !book) return { strategy: { ...before, lastError: error ?? NO_BOOK } };
  const begun = beginPosition(triggerPosition(before, context), live, context);
  if (!begun) return { short: true };
  if (begun.phase === "starting") return { strategy: begun };
  const priced = topOfBook(book);
  const judged = context.judge(begun, priced, priced);
  // An exit needs neither the function nor what it requests.
  if (judged.state.exit) return leaveMarket(judged, live, { now, quote: priced });
  if (typeof runnable === "string")
    return definitions ? withoutFunction(judged, live, { why: runnable, now }) : { strategy: judged };
  if (judged.state.halted)
    return withdrawn(judged, live, null, [{ code: "loss_limit", message: judged.state.halted }]);
  if (isFaulty(judged)) return withdrawn(judged, live, judged.state.fault?.message ?? null);
  const viewNow = callTime(context, book);
  const requested = requestedData(runnable.definition, prices, now, viewNow);
  if (typeof requested === "string") return { strategy: { ...judged, lastError: requested } };
  const inputs = { strategy: judged, live, market, book, now: viewNow, requested };
  const obeyed = { runnable, context, market, priced };
  const answer = askCode(runnable, inputs, { prices, readAt: now });
  return withValue(answer, (answered) => obey(judged, live, answered, obeyed));
}

const NO_BOOK = "the order book does not have two sides, so the strategy is not called";

const topOfBook = ({ bids, asks, at }: Book): BidAsk => ({
  bid: bids[0]?.price ?? 0n,
  ask: asks[0]?.price ?? 0n,
  at,
});

/** Returns whether its function failed and no person has resumed it since. */
const isFaulty = ({ state: { fault }, resumes }: OwnStrategy): boolean =>
  fault !== null && fault.resumes === resumes;

/** Returns the time of the book, its candles and fills: a sandbox's market can run faster than the clock. */
const callTime = (
  { isSimulated, now }: Pick<StrategyContext, "isSimulated" | "now">,
  { at, readAt = at }: Book,
): Millis => (isSimulated ? readAt : now);

interface Obeyed {
  readonly runnable: Runnable;
  readonly context: StrategyContext;
  readonly market: NonNullable<StrategyContext["observed"]["market"]>;
  readonly priced: BidAsk;
}

function obey(
  strategy: OwnStrategy,
  live: readonly Order[],
  answer: CodeResult,
  { runnable, context, market, priced }: Obeyed,
): Stepped {
  const { now } = context;
  if (answer.fault !== null) return { ...failed(strategy, live, answer.fault, now), ...logField(answer.log) };
  if ("misfit" in answer) return withoutFunction(strategy, live, { why: answer.misfit, now });
  const tolerance = toleranceOf(runnable.definition);
  const { bounds } = context;
  const wishes = answer.wishes.map((wish) => soldWithin(wish, strategy, { market, quote: priced, bounds }));
  const arranged = arrange(strategy.state, wishes, live, {
    tolerance,
    now,
    version: bounds.standings.version,
  });
  const stepped = placeOwnStrategy(strategy, live, {
    context,
    market,
    priced,
    arranged,
    tolerance,
    memory: answer.memory,
    notes: answer.notes,
  });
  const isOver = strategy.state.fault !== null || strategy.state.notices.length > 0;
  const { account, id } = strategy;
  const events = isOver
    ? [{ account, strategy: id, at: now, kind: "recovered", message: "its orders are placed again" } as const]
    : [];
  return { ...stepped, events, ...logField(answer.log) };
}

/** Pauses only this strategy until a person resumes it. */
function failed(strategy: OwnStrategy, live: readonly Order[], message: string, at: number): Stepped {
  const { account, id, resumes } = strategy;
  const fault = { message, resumes };
  const event = { account, strategy: id, at, kind: "error", message: `it is paused: ${message}` } as const;
  const noted = { ...strategy, state: { ...strategy.state, fault } };
  return { ...withdrawn(noted, live, message), events: [event] };
}

/** Pauses a strategy whose function cannot run, until it can; reports it once. */
function withoutFunction(
  strategy: OwnStrategy,
  live: readonly Order[],
  { why, now }: { readonly why: string; readonly now: number },
): Stepped {
  const { account, id, lastError } = strategy;
  const event = { account, strategy: id, at: now, kind: "error", message: `it is paused: ${why}` } as const;
  return { ...withdrawn(strategy, live, why), events: lastError === why ? [] : [event] };
}

/** Cancels its orders and keeps its base, like a pause. */
function withdrawn(
  strategy: OwnStrategy,
  live: readonly Order[],
  lastError: string | null,
  notices: readonly Notice[] = [],
): Stepped {
  const phase = strategy.phase === "starting" ? "starting" : "paused";
  const next = withNotices({ ...strategy, status: "running", phase, lastError } as const, notices);
  return { strategy: next, cancels: cancellable(live) };
}

/** Returns whether a declared order could be missing, before balances are read. */
export function mayDeclare(
  definitions: StrategyDefinitions | undefined,
  strategy: OwnStrategy,
  context: PlacingContext,
): Soon<boolean> {
  if (strategy.phase === "starting" || pendingEdit(strategy)) return true;
  const runnable = runnableOf(strategy, definitions);
  const { observed: prices, live, now } = context;
  const { market } = prices;
  const book = othersBook(context);
  if (typeof runnable === "string" || !market || !book || isFaulty(strategy)) return false;
  const viewNow = callTime(context, book);
  const requested = requestedData(runnable.definition, prices, now, viewNow);
  if (typeof requested === "string") return false;
  const how = { tolerance: toleranceOf(runnable.definition), now, version: -1 };
  const inputs = { strategy, live, market, book, now: viewNow, requested };
  return withValue(
    askCode(runnable, inputs, { prices, readAt: now }),
    (answer) => "wishes" in answer && arrange(strategy.state, answer.wishes, live, how).lacking.length > 0,
  );
}

/** Compares open orders with declared ones: each id has a slot, and each slot at most one order. */
interface ArrangedOrders {
  readonly slots: readonly SlotState[];
  readonly ids: readonly string[];
  /** Declared orders that are not open, each with its slot. */
  readonly lacking: readonly { readonly wish: NamedOrder; readonly slot: SlotState }[];
  /** Slots of declared orders that were refused and wait for a retry. */
  readonly waiting: readonly SlotState[];
  /** Open orders that match no declared one. */
  readonly misplaced: readonly Order[];
}

/**
 * Matches orders with slots. The next order of an id waits until the previous one has ended, so no more than declared
 * can fill.
 */
export function arrange(
  { slots, ids }: Pick<OwnStrategyState, "slots" | "ids">,
  wishes: readonly NamedOrder[],
  live: readonly Order[],
  {
    tolerance,
    now,
    version,
  }: { readonly tolerance: Tolerance; readonly now: number; readonly version: number },
): ArrangedOrders {
  const named = nameSlots({ slots, ids }, wishes, live);
  const kept = new Set<Order>();
  const lacking: { wish: NamedOrder; slot: SlotState }[] = [];
  const waiting: SlotState[] = [];
  for (const wish of wishes) {
    const index = named.ids.indexOf(wish.id);
    const slot = named.slots[index];
    const busy = live.filter((order) => order.slot === index);
    for (const order of busy)
      if (matchesLevel({ ...order, left: order.amount - order.filled }, wish, tolerance)) kept.add(order);
    if (!slot || busy.length > 0) continue;
    if (waitsToPlace(slot, { now, version })) waiting.push(slot);
    else lacking.push({ wish, slot });
  }
  const misplaced = live.filter((order) => !kept.has(order) && !isFinal(order));
  return { ...named, lacking, waiting, misplaced };
}

/** Assigns ids to slots: an id keeps its slot; a new id gets a free one with its backoff, or a new one. */
function nameSlots(
  { slots, ids }: Pick<OwnStrategyState, "slots" | "ids">,
  wishes: readonly NamedOrder[],
  live: readonly Order[],
): Pick<ArrangedOrders, "slots" | "ids"> {
  const fresh = wishes.filter(({ id }) => !ids.includes(id));
  if (fresh.length === 0) return { slots, ids };
  const used = new Set([...live.map(({ slot }) => slot), ...wishes.map(({ id }) => ids.indexOf(id))]);
  const [nextSlots, nextIds] = [[...slots], [...ids]];
  let index = 0;
  for (const { id } of fresh) {
    while (used.has(index)) index++;
    used.add(index);
    for (let added = nextSlots.length; added <= index; added++) {
      nextSlots.push({ index: added, retryAt: 0 });
      nextIds.push("");
    }
    nextIds[index] = id;
  }
  return { slots: nextSlots, ids: nextIds };
}

/** Places missing orders as far as funds and limits allow. */
interface Placement {
  readonly context: StrategyContext;
  readonly market: Market;
  readonly priced: BidAsk;
  readonly arranged: ArrangedOrders;
  readonly tolerance: Tolerance;
  readonly memory: OwnStrategyState["memory"];
  readonly notes: StrategyNotes;
}

function placeOwnStrategy(
  strategy: OwnStrategy,
  live: readonly Order[],
  placing: Placement,
): Partial<DraftedStrategy<OwnStrategy>> {
  const { context, arranged, priced } = placing;
  const supply = supplyAfter(strategy, live, placing);
  const cancels = cancellable(arranged.misplaced);
  const waits = cancels.length > 0 || supply.short || live.some(isUnclear);
  const state = stateAfter(strategy.state, supply, placing);
  const wishIn = ({ slot }: Intent) => arranged.lacking.find((one) => one.slot.index === slot)?.wish;
  const next: OwnStrategy = {
    ...strategy,
    state,
    status: "running",
    phase: waits || supply.intents.length > 0 ? "placing" : "active",
    lastError:
      foreignOrderError(context) ??
      venueError(state.refused) ??
      (supply.short ? context.slow : null) ??
      delayedLoss(priced, context.bounds),
  };
  return {
    strategy: withNotices(next, []),
    intents: supply.intents.map((intent) => ({
      ...draftOf(strategy, intent, { window: context.window, at: priced.at }),
      timeInForce: mayTake(wishIn(intent), strategy) ? "gtc" : "post_only",
      label: wishIn(intent)?.id ?? null,
    })),
    cancels,
    funds: context.funds && supply.funds,
    priced,
    placing: supply.intents.length > 0 && !waits,
    short: supply.short,
  };
}

function supplyAfter(strategy: OwnStrategy, live: readonly Order[], placing: Placement): RemainingFunds {
  const { context, market, priced, arranged, tolerance } = placing;
  const refused = arranged.waiting.map((slot) => delayedRefusal(slot, strategy));
  const before: RemainingFunds = { ...supplyBefore(arranged.slots, context), refused };
  if (arranged.lacking.length === 0) return before;
  // Without balances nothing is placed. The kill switch prevents their read, which is not a lack of calls.
  if (!context.funds) return { ...before, refused: strategy.state.refused, short: !context.killed };
  const inventory = {};
  const desk: PlacingDesk = {
    strategy,
    inventory,
    minShare: tolerance.amount,
    live,
    market,
    priced,
    context,
  };
  let supply = before;
  for (const { wish, slot } of arranged.lacking) {
    const refusal = refusedByMarket(wish, slot, desk);
    supply = refusal
      ? { ...supply, refused: [...supply.refused, refusal] }
      : placeOrder(wish, slot, desk, supply);
  }
  return supply;
}

/** Returns whether an order can be a taker order. Its own price is then its worst one, so funds and limits count that. */
const mayTake = (wish: NamedOrder | undefined, { config }: OwnStrategy): boolean =>
  wish?.mayTake ?? config.postOnly === false;

function refusedByMarket(wish: NamedOrder, { index }: SlotState, desk: PlacingDesk): Refusal | undefined {
  const { market, priced } = desk;
  const strategy = desk.strategy as OwnStrategy;
  if (wish.amount < leastAmount(market, wish.price))
    return { slot: index, reason: "below_minimum", detail: `${wish.id} is below the exchange's minimum` };
  return !mayTake(wish, strategy) && takes(wish, priced)
    ? {
        slot: index,
        reason: "would_take",
        detail: `${wish.id} would be a taker order, which it does not allow: set mayTake`,
      }
    : undefined;
}

/** Returns the same object if nothing changed, so a pass without changes writes nothing. */
function stateAfter(
  before: OwnStrategyState,
  supply: RemainingFunds,
  { arranged, memory, notes }: Placement,
): OwnStrategyState {
  const after: OwnStrategyState = {
    ...before,
    slots: reuseIfEqual(before.slots, supply.slots, (a, b) => a === b),
    ids: reuseIfEqual(before.ids, arranged.ids, (a, b) => a === b),
    refused: reuseIfEqual(before.refused, supply.refused, isSameRefusal),
    memory,
    ...(isSameNotes(before.notes, notes) ? {} : { notes }),
    fills: before.fills.length === 0 ? before.fills : [],
    fault: null,
  };
  const isSame = (["slots", "ids", "refused", "memory", "notes", "fills", "fault"] as const).every(
    (part) => before[part] === after[part],
  );
  return isSame ? before : after;
}

const isSameNotes = (before: StrategyNotes = {}, after: StrategyNotes): boolean =>
  JSON.stringify(before) === JSON.stringify(after);
