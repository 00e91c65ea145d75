import * as z from "zod";
import { type Decimal, max, mul, ONE, text, ZERO } from "../../kernel/decimal.ts";
import { AppError, messageOf, StoreError, VenueError } from "../../kernel/errors.ts";
import {
  decimalField,
  exchangeField,
  flagField,
  MAX_AMOUNT,
  pairField,
  textField,
  wordField,
} from "../../kernel/fields.ts";
import { manualOrderId } from "../../kernel/ids.ts";
import { type Pair, splitPair } from "../../kernel/pair.ts";
import { midOf } from "../../kernel/spread.ts";
import { DAY, type Millis } from "../../kernel/time.ts";
import { countedNotional, exposureOf, limitError, type MarketLook, thinBook } from "../../limits/allowed.ts";
import { readStandings } from "../../limits/operations/exposed-reads.ts";
import { firstRefusal, termsOf } from "../../limits/standing.ts";
import { accountKey, balanceIn, unreadBalance } from "../../model/account.ts";
import { type ActorAndRequest, byOf } from "../../model/events.ts";
import type { LimitRefusal, Standings, StandingsRead } from "../../model/limits.ts";
import { type BidAsk, type Market, SIDES, takeFrom } from "../../model/market.ts";
import { type Order, takes } from "../../model/order.ts";
import type { Exposure, Preview } from "../../model/proposal.ts";
import { type Call, operation } from "../../operation.ts";
import type { Deps, ProcessDeps } from "../../ports/deps.ts";
import type { ConfiguredExchanges } from "../../ports/exchanges.ts";
import { killRefusal, watchKill } from "../../ports/kill-permit.ts";
import type { StoreDeps, StrategyDeps } from "../../ports/kind.ts";
import type { ManualOrderRecord, ManualOrderTerms } from "../../ports/stores/store.ts";
import type { CreateOutcome, Venue, VenueOrder } from "../../ports/venue.ts";
import {
  acceptedId,
  asOpen,
  asRequested,
  asSent,
  CreatedShape,
  manualOrder,
  manualOrderOutcome,
  orderOut,
  type PreparedOrder,
  prepareOrder,
  SEND_WITHIN_MS,
  unknownOutcome,
} from "../manual-order.ts";
import { previewOrder } from "../preview.ts";
import {
  hasEnded,
  ifAnswered,
  type OrderReach,
  openMet,
  orderReach,
  selfCross,
  venueFor,
} from "./self-cross.ts";

const isLimitWithout = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  "type" in value &&
  value.type === "limit" &&
  (!("price" in value) || value.price === undefined);

const orderInput = (ids: readonly string[]) =>
  z
    .object({
      exchange: exchangeField(ids),
      symbol: pairField(),
      side: wordField("Invalid side", SIDES).describe("buy or sell"),
      type: wordField("Invalid type", ["limit", "market"]).describe("limit or market"),
      amount: decimalField("Invalid amount", MAX_AMOUNT).describe("Size in base"),
      price: decimalField("Invalid price").optional().describe("Limit price in quote; required for limit"),
      postOnly: flagField("Invalid request", "postOnly")
        .optional()
        .describe("true: post-only, so it is never a taker order"),
      clientOrderId: textField(
        "Invalid request",
        /^(?!em)[0-9a-z]{1,18}$/,
        "clientOrderId must be 1 to 18 characters of 0-9a-z, and must not begin with em",
      )
        .optional()
        .describe("Your own order id: 1 to 18 characters of 0-9a-z, not starting with em"),
    })
    .refine(({ type, postOnly }) => type === "limit" || postOnly !== true, {
      path: ["postOnly"],
      error: "Invalid request: a market order is always a taker order, so it cannot be postOnly",
    })
    .refine(({ type, price }) => type !== "limit" || price !== undefined, {
      path: ["price"],
      error: "Price required: a limit order needs a price",
      when: ({ value }) => isLimitWithout(value),
    });

type OrderRequest = z.output<ReturnType<typeof orderInput>>;

/** Largest move of the market, as a share, between the read of its price and the response to an order. */
const MAX_PRICE_MOVE: Decimal = ONE / 100n;

/** Returns whether an order could have filled by the response: the market is as near as it could move. */
const couldFill = ({ side, price }: PreparedOrder, quote: BidAsk): boolean => {
  const move = mul(price, MAX_PRICE_MOVE, "up");
  return takes({ side, price: side === "buy" ? price + move : price - move }, quote);
};

/** Maximum number of attempts when others change or use limits at the same moment. */
const RECORDING_TRIES = 5;

/** Prices an order without a limit price at the worst price that it can reach in the book. */
const atReach = <O extends Pick<Order, "type" | "price">>(order: O, { worst }: OrderReach): O =>
  order.type === "market" ? { ...order, price: worst } : order;

const COUNTED_LEVELS = 100;

const isSameOrder = (a: Order, b: Order): boolean =>
  a.account === b.account &&
  a.symbol === b.symbol &&
  a.side === b.side &&
  a.type === b.type &&
  a.amount === b.amount &&
  // That of a market order is from the book of its moment.
  (a.type === "market" || a.price === b.price);

export const createOrder = (ids: readonly string[]) =>
  operation({
    name: "create_order",
    summary: "Place an order",
    effect: "trade",
    access: "token",
    http: { route: "POST /orders", from: "body", idempotent: true, keys: true },
    cli: {
      path: "orders create",
      examples: [
        "edgemaker orders create --exchange kraken --symbol BTC/USDT --side buy --type limit --amount 0.001 --price 50000",
      ],
    },
    input: () => orderInput(ids),
    output: CreatedShape,
    failure: "Order failed",
    async prepare(deps, input, call) {
      const { symbol, price = 0n, exchange } = input;
      const venue = deps.venue(exchange, call.keys);
      const read = async () => [await venue.market(symbol), await venue.ticker(symbol)] as const;
      const [market, quote] = await orUnknown(deps, { venue, input }, call, read);
      const order = prepareOrder({ ...input, price }, market, quote);
      const request = { venue, market, quote, order, input };
      return {
        preview: () => previewHandOrder(deps, request, call),
        exposure: () => orderExposure(request),
        strategies: [],
        isCountedByOrders: true,
        act: () => orUnknown(deps, request, call, () => placeHandOrder(deps, request, call)),
      };
    },
  });

interface HandOrderRequest {
  readonly venue: Venue;
  readonly market: Market;
  readonly quote: BidAsk;
  readonly order: PreparedOrder;
  readonly input: OrderRequest;
}

/**
 * Throws `Order unknown` instead of an exchange's failure if an earlier attempt of the request has recorded the order,
 * which can be open.
 */
async function orUnknown<T>(
  { store }: StoreDeps,
  { venue, input }: Pick<HandOrderRequest, "venue" | "input">,
  { requestKey }: Call,
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (requestKey === undefined || !(error instanceof VenueError)) throw error;
    const clientId = input.clientOrderId ?? manualOrderId(requestKey);
    const earlier = await store.orderByClientId(accountKey(venue.account), clientId);
    throw earlier && earlier.state !== "rejected" ? unknownOutcome(earlier) : error;
  }
}

/** Returns the exposure as limits count it: a sell at its limit price if that is above the mid. */
async function orderExposure({
  venue,
  quote,
  order,
  input: { symbol },
}: HandOrderRequest): Promise<Exposure> {
  const { side, amount, price, type } = order;
  if (side === "sell") {
    const counted = type === "limit" ? max(price, midOf(quote)) : midOf(quote);
    return exposureOf({ symbol, mid: counted, parts: [{ base: amount, quote: ZERO }], exits: false });
  }
  const reach = await orderReach(venue, symbol, order);
  if (reach.limit === null)
    return { trades: "unknown", why: "the order book has less than this order would buy" };
  const counted = countedNotional(atReach({ ...order, symbol }, reach), quote);
  return exposureOf({ symbol, mid: midOf(quote), parts: [{ base: ZERO, quote: counted }], exits: false });
}

async function previewHandOrder(
  deps: Deps,
  { venue, market, quote, order, input: { exchange, symbol } }: HandOrderRequest,
  { actor }: Call,
): Promise<Preview> {
  const reach = await orderReach(venue, symbol, order);
  await checkLimits(deps, venue, atReach({ ...order, symbol, actor }, reach));
  const book = await venue.book(symbol, 100);
  const [balances, killed] = [await venue.balances(), await deps.store.killed()];
  const met = await openMet(venue, symbol, reach);
  return previewOrder(order, { exchange, market, quote, book, balances, killed, met });
}

async function placeHandOrder(
  deps: Deps,
  { quote, order: prepared, input: { exchange, symbol, clientOrderId } }: HandOrderRequest,
  call: Call,
) {
  const { keys, requestKey, actor } = call;
  const venue = await venueFor(deps, exchange, keys);
  const reach = await orderReach(venue, symbol, prepared);
  // No order of anyone is inside the spread, so only an order that reaches the best price can fill against one.
  const isTaker = prepared.type === "market" || takes(prepared, quote);
  const open = isTaker ? await openMet(venue, symbol, reach) : undefined;
  const requestedAt = deps.local.monotonic();
  const standings = await readStandings(deps, venue.account, actor);
  const clientId = clientOrderId ?? manualOrderId(requestKey ?? deps.local.randomText(15));
  const account = accountKey(venue.account);
  const moment = { now: standings.now, at: quote.at };
  const order = manualOrder({ ...prepared, symbol, account, clientId, ...moment, actor }, venue.timing);
  const by = byOf(call);
  const recorded = await recordIntent(deps, { venue, order, standings, reach, open, requestKey, by });
  const placed = (found: VenueOrder) => ({ success: true as const, exchange, order: orderOut(found) });
  if ("earlier" in recorded) return placed(await madeBefore(venue, recorded.earlier));
  const mayLeave = () => deps.local.monotonic() - requestedAt <= SEND_WITHIN_MS;
  const kill = watchKill(deps, order, recorded.requestedAt);
  const outcome = await venue.create(order, kill.unlessOn({ mayLeave, sendBy: order.sendBy }));
  await noteAnswer(deps, order, outcome);
  if (outcome.result === "not_sent" && kill.isOn()) throw killRefusal(deps.killHere, "no order is placed");
  const id = acceptedId(order, outcome);
  // An exchange can accept a post-only order and cancel it at once.
  const isSure = !isTaker && !prepared.postOnly && !couldFill(prepared, quote);
  return placed(isSure ? asOpen(order, id) : await lookAt(venue, order, id));
}

// The exchange's response is valid even if it could not be stored; the next pass looks the order up.
async function noteAnswer(
  { store, log }: StoreDeps & ProcessDeps,
  order: Order,
  outcome: CreateOutcome,
): Promise<void> {
  try {
    await store.settleByHand(manualOrderOutcome(order, outcome));
  } catch (error) {
    log("warn", "the response to an order could not be stored", {
      clientId: order.clientId,
      reason: messageOf(error),
    });
  }
}

/** Looks up an order whose first request got no clear response or died; edgemaker never sends it again. */
async function madeBefore(venue: Venue, order: Order): Promise<VenueOrder> {
  const { symbol, clientId, exchangeId, state, reason } = order;
  if (state === "rejected") throw new AppError("Order failed", `the order was not placed: ${reason}`);
  const found = await ifAnswered(() => venue.order({ symbol, clientId, id: exchangeId ?? undefined }));
  if (found) return asRequested(order, found);
  if (exchangeId !== null) return asSent(order, exchangeId);
  throw unknownOutcome(order);
}

// The order is on the exchange: a response that shows it as sent is better than none.
async function lookAt(venue: Venue, order: Order, id: string): Promise<VenueOrder> {
  const found = await ifAnswered(() => venue.order({ symbol: order.symbol, id, clientId: order.clientId }));
  return found ? asRequested(order, found) : asSent(order, id);
}

interface Recording {
  readonly venue: Venue;
  readonly order: Order;
  /** Limits as last read. */
  readonly standings: StandingsRead;
  /** The worst price at which it can trade, and an open order of the account that it would fill. */
  readonly reach: OrderReach;
  readonly open: VenueOrder | undefined;
  readonly requestKey: string | undefined;
  readonly by: ActorAndRequest;
}

/**
 * An intent recorded by a statement that was requested at `requestedAt` of this process's clock, or by an earlier attempt
 * of the request.
 */
type RecordedIntent = { readonly requestedAt: Millis } | { readonly earlier: Order };

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

type SameOrder = Pick<Order, "symbol" | "side" | "type" | "price" | "amount" | "actor">;

/** Throws the error with which recording the order would fail now. */
async function checkLimits(deps: StrategyDeps, venue: Venue, order: SameOrder): Promise<void> {
  const standings = await readStandings(deps, venue.account, order.actor ?? "");
  const look = await secondLook(deps, venue, { symbol: order.symbol, now: standings.now });
  const refused = firstRefusal(order, look, standings) ?? (await thinFor(venue, order, { look, standings }));
  if (refused) throw await refusalError(venue, order, { refused, look });
}

/** Reads the market right before the order is recorded, because an earlier read can be outdated. */
async function secondLook(
  { marketTime }: ConfiguredExchanges,
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
  const free = unreadBalance(balances, asset) ? needed : balanceIn(balances, asset).free;
  if (free >= needed) return limitError(refused);
  const lacking = `nothing was sent: the account has ${text(free)} ${asset} free`;
  return new AppError("Order failed", `${lacking}; besides, ${refused.detail}`, {
    code: "funds_missing",
    fields: { limit: refused.reason },
  });
}

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
  handTerms: ManualOrderTerms,
): Promise<RecordedIntent | Exclude<ManualOrderRecord, { readonly result: "recorded" }>> {
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
async function earlierOf({ store }: StoreDeps, { order, requestKey }: Recording): Promise<Order | undefined> {
  if (requestKey === undefined) return undefined;
  const earlier = await store.orderByClientId(order.account, order.clientId);
  if (!earlier) return undefined;
  const isSame = isSameOrder(earlier, order);
  if (order.sendBy - earlier.sendBy < DAY) return isSame ? earlier : undefined;
  // The same key derives the same client order id, also for another order.
  if (!isSame && order.clientId !== manualOrderId(requestKey)) return undefined;
  throw new AppError(
    "Conflict",
    "this Idempotency-Key placed an order more than a day ago; use another key for a new order",
  );
}
