import { withNotices } from "../../engine/decide/troubles.ts";
import { cancellable } from "../../engine/decide/turn.ts";
import { beginPosition } from "../../engine/position/begin.ts";
import { leaveMarket } from "../../engine/position/leave.ts";
import type { Book, Quote } from "../../model/market.ts";
import type { Order } from "../../model/order.ts";
import type { Notice } from "../../model/strategy.ts";
import type { StrategyDefinitions } from "../../ports/definition.ts";
import type { Drafted, PlacingContext, StrategyContext } from "../../ports/kind.ts";
import { type DeclaredStrategy, toleranceOf } from "../state.ts";
import { arrange } from "./arrange.ts";
import { askDefinition, type Runnable, runnableOf } from "./ask.ts";
import { placeDeclared } from "./place.ts";
import { type RequestedData, requestedData } from "./requested.ts";
import { othersBook } from "./view.ts";

type Stepped = Partial<Drafted<DeclaredStrategy>>;

/** Calls the function, and places and cancels orders accordingly. */
export function runDeclared(
  definitions: StrategyDefinitions,
  before: DeclaredStrategy,
  live: readonly Order[],
  context: StrategyContext,
): Stepped {
  const runnable = runnableOf(before, definitions);
  if (typeof runnable === "string") return withdrawn(before, live, runnable);
  const { observed: prices, now } = context;
  const { market, error } = prices;
  const book = othersBook(context);
  // Open orders stay, because a price that is missing for a moment does not make them wrong.
  if (!market || !book) return { strategy: { ...before, lastError: error ?? NO_BOOK } };
  const requested = requestedData(runnable.definition, prices, now);
  if (typeof requested === "string") return { strategy: { ...before, lastError: requested } };
  const begun = beginPosition(before, live, context);
  if (!begun) return { short: true };
  if (begun.phase === "starting") return { strategy: begun };
  const priced = topOfBook(book);
  const judged = context.judge(begun, priced);
  if (judged.state.exit) return leaveMarket(judged, live, { now, quote: priced });
  if (judged.state.halted) return withdrawn(judged, live, null, haltedNotice(judged.state.halted));
  if (isFaulty(judged)) return withdrawn(judged, live, judged.state.fault?.message ?? null);
  return obey(judged, live, { runnable, requested, context, market, book, priced });
}

const NO_BOOK = "the order book does not have two sides, so the strategy is not called";

const topOfBook = ({ bids, asks, at }: Book): Quote => ({
  bid: bids[0]?.price ?? 0n,
  ask: asks[0]?.price ?? 0n,
  at,
});

/** Returns whether its function failed and no person has resumed it since. */
const isFaulty = ({ state: { fault }, resumes }: DeclaredStrategy): boolean =>
  fault !== null && fault.resumes === resumes;

interface Obeyed {
  readonly runnable: Runnable;
  readonly requested: RequestedData;
  readonly context: StrategyContext;
  readonly market: NonNullable<StrategyContext["observed"]["market"]>;
  readonly book: Book;
  readonly priced: Quote;
}

function obey(
  strategy: DeclaredStrategy,
  live: readonly Order[],
  { runnable, requested, context, market, book, priced }: Obeyed,
): Stepped {
  const { now } = context;
  const answer = askDefinition(runnable, { strategy, live, market, book, now, requested });
  if (answer.fault !== null) return failed(strategy, live, answer.fault, now);
  const tolerance = toleranceOf(runnable.definition);
  const arranged = arrange(strategy.state, answer.wishes, live, {
    ...{ tolerance, now },
    version: context.bounds.standings.version,
  });
  const stepped = placeDeclared(strategy, live, {
    ...{ context, market, priced, arranged, tolerance },
    memory: answer.memory,
  });
  const isOver = strategy.state.fault !== null || strategy.state.notices.length > 0;
  const { account, id } = strategy;
  const events = isOver
    ? [{ account, strategy: id, at: now, kind: "recovered", message: "its orders are placed again" } as const]
    : [];
  return { ...stepped, events };
}

/** Pauses only this strategy until a person resumes it. */
function failed(strategy: DeclaredStrategy, live: readonly Order[], message: string, at: number): Stepped {
  const { account, id, resumes } = strategy;
  const fault = { message, resumes };
  const event = { account, strategy: id, at, kind: "error", message: `it is paused: ${message}` } as const;
  const noted = { ...strategy, state: { ...strategy.state, fault } };
  return { ...withdrawn(noted, live, message), events: [event] };
}

/** Cancels its orders and keeps its base, like a pause. */
function withdrawn(
  strategy: DeclaredStrategy,
  live: readonly Order[],
  lastError: string | null,
  notices: readonly Notice[] = [],
): Stepped {
  const phase = strategy.phase === "starting" ? "starting" : "paused";
  const next = withNotices({ ...strategy, status: "running", phase, lastError } as const, notices);
  return { strategy: next, cancels: cancellable(live) };
}

const haltedNotice = (message: string): Notice[] => [{ code: "loss_limit", message }];

/** Returns whether a declared order could be missing, before balances are read. */
export function mayDeclare(
  definitions: StrategyDefinitions,
  strategy: DeclaredStrategy,
  context: PlacingContext,
): boolean {
  if (strategy.phase === "starting") return true;
  const runnable = runnableOf(strategy, definitions);
  const { observed: prices, live, now } = context;
  const { market } = prices;
  const book = othersBook(context);
  if (typeof runnable === "string" || !market || !book || isFaulty(strategy)) return false;
  const requested = requestedData(runnable.definition, prices, now);
  if (typeof requested === "string") return false;
  const answer = askDefinition(runnable, { strategy, live, market, book, now, requested });
  if (answer.fault !== null) return false;
  const how = { tolerance: toleranceOf(runnable.definition), now, version: -1 };
  return arrange(strategy.state, answer.wishes, live, how).lacking.length > 0;
}
