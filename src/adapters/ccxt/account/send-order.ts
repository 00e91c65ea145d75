import { mul, roundToStep, text } from "../../../kernel/decimal.ts";
import { AppError, BudgetSpent, messageOf, VenueError } from "../../../kernel/errors.ts";
import type { Pair } from "../../../kernel/pair.ts";
import type { NewOrder } from "../../../model/order.ts";
import type { CancelOutcome, CreateOutcome, MarketData, Permit } from "../../../ports/venue.ts";
import { BUY_WITHIN, CallFailed, RequestNotSentError } from "../client/quirks.ts";
import type { ExchangeLink } from "./exchange-link.ts";
import type { PrivateSession } from "./session.ts";

const PLAUSIBLE = /^[\w.:-]{1,80}$/;

interface OrderSending {
  readonly link: ExchangeLink;
  readonly session: PrivateSession;
  /** Reads the current quote, never a cached one. */
  readonly quote: (symbol: Pair) => ReturnType<MarketData["ticker"]>;
  readonly market: MarketData["market"];
}

/** Sends an order at most once, and returns only what is certain about its result. */
export async function sendOrder(
  sending: OrderSending,
  order: NewOrder,
  permit: Permit,
): Promise<CreateOutcome> {
  const { link, session } = sending;
  const { quirks } = link;
  const { symbol, side } = order;
  const trace = watchedRequest();
  try {
    const sent = await toImmediateLimit(sending, order);
    const { type, price, amount } = sent;
    const answer = await session.write(
      { kind: "create", symbol, permit, leaving: trace.leaving },
      (exchange, expiry) =>
        exchange.createOrder(
          symbol,
          type,
          side,
          text(amount),
          type === "limit" ? text(price) : undefined,
          quirks.createParams(sent, expiry, exchange),
        ),
    );
    const { id } = answer;
    // With any other id, the order would never be found; its client order id finds it.
    if (typeof id === "string" && quirks.orderIds.form.test(id)) return { result: "accepted", id };
    return { result: "unknown", reason: "the exchange returned no order id" };
  } catch (error) {
    const outcome = trace.outcomeOf(error);
    if (error instanceof CallFailed && error.failure.definite && error.failure.stale)
      await spoil(link, symbol);
    return outcome;
  }
}

// The outcome is valid even if the market cannot be marked; it is reloaded within a day anyway.
async function spoil({ catalog, log }: ExchangeLink, symbol: Pair): Promise<void> {
  await catalog.spoil(symbol).catch((error: unknown) => {
    log("warn", "a market could not be marked for reloading", { symbol, message: messageOf(error) });
  });
}

/** Converts a market buy to an immediate limit order, if the exchange accepts market buys only by cost. */
async function toImmediateLimit({ link, quote, market }: OrderSending, order: NewOrder): Promise<NewOrder> {
  if (!link.quirks.buysByCost || order.type !== "market" || order.side !== "buy") return order;
  const [{ tick }, { ask }] = [await market(order.symbol), await quote(order.symbol)];
  const price = roundToStep(mul(ask, BUY_WITHIN, "down"), tick, "down");
  return { ...order, type: "limit", price, timeInForce: "ioc" };
}

export async function sendCancel(
  { session }: Pick<OrderSending, "session">,
  { symbol, id }: { symbol: Pair; id: string },
  permit: Permit,
): Promise<CancelOutcome> {
  // Without an id, some exchanges cancel every order.
  if (!PLAUSIBLE.test(id)) return { result: "rejected", reason: "the order has no id" };
  const trace = watchedRequest();
  try {
    await session.write({ kind: "cancel", symbol, permit, leaving: trace.leaving }, (exchange) =>
      exchange.cancelOrder(id, symbol),
    );
    return { result: "accepted" };
  } catch (error) {
    if (error instanceof CallFailed && error.failure.missing) return { result: "look" };
    const outcome = trace.outcomeOf(error);
    if (outcome.result !== "not_sent") return outcome;
    return { result: "not_sent", ...(outcome.failure ? { failure: outcome.failure } : {}) };
  }
}

/** Observes whether a request has left; a failure before that had no effect. */
function watchedRequest() {
  let left = false;
  const leaving = () => {
    left = true;
  };

  function outcomeOf(error: unknown): Exclude<CreateOutcome, { result: "accepted" }> {
    if (error instanceof CallFailed) {
      const { definite, reason, failure, wouldTake = false } = error.failure;
      if (definite) return { result: "rejected", reason, failure, wouldTake };
      // Another call failed that comes first, such as the read of the account's kind.
      if (!left) return { result: "not_sent", reason, ...(failure === "rate_limited" ? { failure } : {}) };
      return { result: "unknown", reason };
    }
    if (left) return { result: "unknown", reason: "the exchange's response cannot be read" };
    if (error instanceof VenueError && error.failure.endsWith("credentials"))
      return { result: "rejected", reason: error.message, failure: error.failure };
    const isOurs =
      error instanceof RequestNotSentError || error instanceof VenueError || error instanceof AppError;
    const isBusy =
      error instanceof BudgetSpent || (error instanceof AppError && error.label === "Too many requests");
    return {
      result: "not_sent",
      ...(isOurs ? { reason: error.message } : {}),
      ...(isBusy ? { failure: "rate_limited" } : {}),
    };
  }
  return { leaving, outcomeOf };
}
