import { mul, text, ZERO } from "../../kernel/decimal.ts";
import { AppError, StoreError } from "../../kernel/errors.ts";
import { handOrderId } from "../../kernel/ids.ts";
import { type Pair, splitPair } from "../../kernel/pair.ts";
import { DAY, type Millis } from "../../kernel/time.ts";
import { limitError, type MarketLook, thinBook } from "../../limits/allowed.ts";
import { readStandings } from "../../limits/operations/standings.ts";
import { firstRefusal, termsOf } from "../../limits/standing.ts";
import { takeFrom } from "../../model/depth.ts";
import type { By } from "../../model/events.ts";
import type { LimitRefusal, Standings, StandingsRead } from "../../model/limits.ts";
import type { Order } from "../../model/order.ts";
import type { Deps } from "../../ports/deps.ts";
import { killRefusal } from "../../ports/kill-here.ts";
import type { HandRecord, HandTerms } from "../../ports/stores/hand-order-store.ts";
import type { Venue, VenueOrder } from "../../ports/venue.ts";
import { hasEnded, type OrderReach, selfCross } from "./self-cross.ts";

export interface Recording {
  readonly venue: Venue;
  readonly order: Order;
  /** Limits as last read. */
  readonly standings: StandingsRead;
  /** The worst price at which it can trade, and an open order of the account that it would fill. */
  readonly reach: OrderReach;
  readonly open: VenueOrder | undefined;
  readonly requestKey: string | undefined;
  readonly by: By;
}

/** Maximum number of attempts when others change or use limits at the same moment. */
const RECORDING_TRIES = 5;

/**
 * An intent recorded by a statement that was requested at `requestedAt` of this process's clock, or by an earlier attempt
 * of the request.
 */
export type RecordedIntent = { readonly requestedAt: Millis } | { readonly earlier: Order };

/** Writes the intent within the limits. */
export async function recordIntent(deps: Deps, recording: Recording): Promise<RecordedIntent> {
  const { venue, reach, open } = recording;
  const order = atReach(recording.order, reach);
  let { standings } = recording;
  const look = await secondLook(deps, venue, { symbol: order.symbol, now: standings.now });
  let met = open && selfCross(open.id, open, open.clientId);
  const ended: string[] = [];
  let refused: LimitRefusal | undefined;
  let killed = false;
  for (let attempt = 0; !met && !killed && attempt < RECORDING_TRIES; ) {
    if (attempt > 0 || ended.length > 0)
      standings = await readStandings(deps, venue.account, order.actor ?? "");
    refused = firstRefusal(order, look, standings) ?? (await thinFor(venue, order, { look, standings }));
    if (refused) break;
    const terms = termsOf(standings, [order], look.quote);
    const done = await tryRecord(deps, recording, { at: standings.now, terms, limit: reach.limit, ended });
    if (!("result" in done)) return done;
    if (done.result === "meets") {
      met = await stillMet(venue, done.order);
      if (!met) ended.push(done.order.clientId);
      continue;
    }
    attempt++;
    killed = await deps.store.killed();
  }
  const earlier = await earlierOf(deps, recording);
  if (earlier) return { earlier };
  if (met) throw met;
  if (killed) throw killRefusal(deps.killHere, "no order is placed");
  throw refused
    ? await refusalError(venue, order, { refused, look })
    : new AppError("Too many requests", "other orders are using the same limits; try again", {
        retryAfterSeconds: 1,
      });
}

/** Prices an order without a limit price at the worst price that it can reach in the book. */
export const atReach = <O extends Pick<Order, "type" | "price">>(order: O, { worst }: OrderReach): O =>
  order.type === "market" ? { ...order, price: worst } : order;

type SameOrder = Pick<Order, "symbol" | "side" | "type" | "price" | "amount" | "actor">;

/** Throws the error with which recording the order would fail now. */
export async function checkLimits(deps: Deps, venue: Venue, order: SameOrder): Promise<void> {
  const standings = await readStandings(deps, venue.account, order.actor ?? "");
  const look = await secondLook(deps, venue, { symbol: order.symbol, now: standings.now });
  const refused = firstRefusal(order, look, standings) ?? (await thinFor(venue, order, { look, standings }));
  if (refused) throw await refusalError(venue, order, { refused, look });
}

/** Reads the market right before the order is recorded, because an earlier read can be outdated. */
async function secondLook(
  { marketTime }: Deps,
  venue: Venue,
  { symbol, now }: { readonly symbol: Pair; readonly now: Millis },
): Promise<MarketLook> {
  const quote = await venue.ticker(symbol);
  const { account } = venue;
  return { quote, now: account.host === "" ? undefined : marketTime(account, now) };
}

/** Returns the exchange's error for an order beyond a limit that the account could not fund anyway. */
async function refusalError(
  venue: Venue,
  { side, symbol, type, price, amount }: SameOrder,
  { refused, look }: { refused: LimitRefusal; look: MarketLook },
): Promise<AppError> {
  if (refused.reason !== "limit_order") return limitError(refused);
  const { base, quote } = splitPair(symbol);
  const [asset, needed] =
    side === "sell" ? [base, amount] : [quote, mul(type === "limit" ? price : look.quote.ask, amount, "up")];
  const balances = await venue.balances();
  const free = balances.find((balance) => balance.asset === asset)?.free ?? ZERO;
  if (free >= needed) return limitError(refused);
  const lacking = `nothing was sent: the account has ${text(free)} ${asset} free`;
  return new AppError("Order failed", `${lacking}; besides, ${refused.detail}`, {
    fields: { limit: refused.reason },
  });
}

const COUNTED_LEVELS = 100;

/** Checks a market order against all the depth that it would use. */
async function thinFor(
  venue: Venue,
  order: SameOrder,
  { look, standings }: { look: MarketLook; standings: Standings },
): Promise<LimitRefusal | undefined> {
  if (order.type !== "market") return undefined;
  const book = await venue.book(order.symbol, COUNTED_LEVELS);
  const fill = takeFrom(book, order);
  const shown = order.side === "buy" ? book.asks : book.bids;
  // A book with fewer levels than requested is complete: amounts beyond it do not fill.
  const missing = shown.length < COUNTED_LEVELS ? ZERO : order.amount - fill.amount;
  return standings.all
    .map(({ limits }) => thinBook({ order, look, limits }, { worst: fill.worst, missing }))
    .find((refused) => refused !== undefined);
}

/** Returns the order that would be filled; undefined if the exchange reports that it has ended. */
async function stillMet(venue: Venue, met: Order): Promise<AppError | undefined> {
  const { symbol, exchangeId, clientId } = met;
  const isOver = exchangeId !== null && (await hasEnded(venue, { symbol, id: exchangeId }));
  return isOver ? undefined : selfCross(exchangeId ?? clientId, met, clientId);
}

/** Returns "refused" if the kill switch blocks the order, or if limits have changed or been used up. */
async function tryRecord(
  deps: Deps,
  recording: Recording,
  handTerms: HandTerms,
): Promise<RecordedIntent | Exclude<HandRecord, { readonly result: "recorded" }>> {
  const requestedAt = deps.local.monotonic();
  try {
    const recorded = await deps.store.recordByHand(recording.order, handTerms, recording.by);
    return recorded.result === "recorded" ? { requestedAt } : recorded;
  } catch (error) {
    if (!(error instanceof StoreError) || error.failure !== "constraint") throw error;
    const earlier = await earlierOf(deps, recording);
    if (earlier) return { earlier };
    throw new AppError("Invalid request", "this clientOrderId was used before; choose another one");
  }
}

/** Returns the order that an earlier attempt of the same request recorded. */
async function earlierOf({ store }: Deps, { order, requestKey }: Recording): Promise<Order | undefined> {
  if (requestKey === undefined) return undefined;
  const earlier = await store.orderByClientId(order.account, order.clientId);
  if (!earlier) return undefined;
  const isSame = isSameOrder(earlier, order);
  if (order.sendBy - earlier.sendBy < DAY) return isSame ? earlier : undefined;
  // The same key derives the same client order id, also for another order.
  if (!isSame && order.clientId !== handOrderId(requestKey)) return undefined;
  throw new AppError(
    "Conflict",
    "this Idempotency-Key placed an order more than a day ago; use another key for a new order",
  );
}

const isSameOrder = (a: Order, b: Order): boolean =>
  a.account === b.account &&
  a.symbol === b.symbol &&
  a.side === b.side &&
  a.type === b.type &&
  a.amount === b.amount &&
  // That of a market order is from the book of its moment.
  (a.type === "market" || a.price === b.price);
