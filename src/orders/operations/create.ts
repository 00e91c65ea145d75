import * as z from "zod";
import { type Decimal, max, mul, ONE, ZERO } from "../../kernel/decimal.ts";
import { AppError, messageOf, VenueError } from "../../kernel/errors.ts";
import {
  decimalField,
  exchangeField,
  flagField,
  MOST_AMOUNT,
  pairField,
  textField,
  wordField,
} from "../../kernel/fields.ts";
import { handOrderId } from "../../kernel/ids.ts";
import { midOf } from "../../kernel/spread.ts";
import { countedNotional } from "../../limits/allowed.ts";
import { exposureOf } from "../../limits/exposure.ts";
import { readStandings } from "../../limits/operations/standings.ts";
import { accountKey } from "../../model/account.ts";
import { byOf } from "../../model/events.ts";
import { type Market, type Quote, SIDES } from "../../model/market.ts";
import type { Order } from "../../model/order.ts";
import { takes } from "../../model/own-orders.ts";
import type { Exposure, Preview } from "../../model/proposal.ts";
import { type Call, operation } from "../../operation.ts";
import type { Deps } from "../../ports/deps.ts";
import { killRefusal } from "../../ports/kill-here.ts";
import { watchKill } from "../../ports/kill-permit.ts";
import type { CreateOutcome, Venue, VenueOrder } from "../../ports/venue.ts";
import {
  acceptedId,
  asOpen,
  asRequested,
  asSent,
  handOrder,
  handOutcome,
  SEND_WITHIN,
  unknownOutcome,
} from "../hand.ts";
import { type PreparedOrder, prepareOrder } from "../prepare.ts";
import { previewOrder } from "../preview.ts";
import { CreatedShape, orderOut } from "../schema.ts";
import { atReach, checkLimits, recordIntent } from "./recording.ts";
import { ifAnswered, openMet, orderReach } from "./self-cross.ts";
import { venueFor } from "./venue.ts";

const orderInput = (ids: readonly string[]) =>
  z
    .object({
      exchange: exchangeField(ids),
      symbol: pairField(),
      side: wordField("Invalid side", SIDES).describe("buy or sell"),
      type: wordField("Invalid type", ["limit", "market"]).describe("limit or market"),
      amount: decimalField("Invalid amount", MOST_AMOUNT).describe("Size in base"),
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

const isLimitWithout = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  "type" in value &&
  value.type === "limit" &&
  (!("price" in value) || value.price === undefined);

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
  readonly quote: Quote;
  readonly order: PreparedOrder;
  readonly input: OrderRequest;
}

/**
 * Throws `Order unknown` instead of an exchange's failure if an earlier attempt of the request has recorded the order,
 * which can be open.
 */
async function orUnknown<T>(
  { store }: Deps,
  { venue, input }: Pick<HandOrderRequest, "venue" | "input">,
  { requestKey }: Call,
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (requestKey === undefined || !(error instanceof VenueError)) throw error;
    const clientId = input.clientOrderId ?? handOrderId(requestKey);
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

/** Largest move of the market, as a share, between the read of its price and the response to an order. */
const MOST_MOVE: Decimal = ONE / 100n;

/** Returns whether an order could have filled by the response: the market is as near as it could move. */
const couldFill = ({ side, price }: PreparedOrder, quote: Quote): boolean => {
  const move = mul(price, MOST_MOVE, "up");
  return takes({ side, price: side === "buy" ? price + move : price - move }, quote);
};

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
  const clientId = clientOrderId ?? handOrderId(requestKey ?? deps.local.randomText(15));
  const account = accountKey(venue.account);
  const moment = { now: standings.now, at: quote.at };
  const order = handOrder({ ...prepared, symbol, account, clientId, ...moment, actor }, venue.timing);
  const by = byOf(call);
  const recorded = await recordIntent(deps, { venue, order, standings, reach, open, requestKey, by });
  const placed = (found: VenueOrder) => ({ success: true as const, exchange, order: orderOut(found) });
  if ("earlier" in recorded) return placed(await madeBefore(venue, recorded.earlier));
  const mayLeave = () => deps.local.monotonic() - requestedAt <= SEND_WITHIN;
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
async function noteAnswer({ store, log }: Deps, order: Order, outcome: CreateOutcome): Promise<void> {
  try {
    await store.settleByHand(handOutcome(order, outcome));
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
