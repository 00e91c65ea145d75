import { isLasting, limitedAgain, waitsForLimit } from "../../engine/decide/limited.ts";
import { isOfVenue } from "../../engine/decide/troubles.ts";
import { type Decimal, ZERO } from "../../kernel/decimal.ts";
import { isAhead, LONGEST_PAUSE } from "../../kernel/time.ts";
import { refusedWithin } from "../../limits/standing.ts";
import type { Resting } from "../../model/intent.ts";
import type { Market } from "../../model/market.ts";
import { need } from "../../model/need.ts";
import { takes } from "../../model/own-orders.ts";
import type { Refusal } from "../../model/strategy.ts";
import { unsoldBase } from "../ledger/booking.ts";
import type { GridState, Slot } from "../state/state.ts";
import { roomsOf } from "./capital.ts";
import { beyondRoom } from "./room.ts";
import type { View, Wish } from "./wish.ts";

export function refuse(
  slot: Slot,
  wish: Wish | undefined,
  view: View,
  state: GridState,
): Omit<Refusal, "slot"> | undefined {
  const { market, quote, now, killed, isRecovering, funds, resting, config } = view;
  if (!wish)
    return { reason: slot.side === "sell" && unsoldBase(slot) === ZERO ? "no_base" : "below_minimum" };
  if (killed) return { reason: "killed" };
  if (isRecovering) return { reason: "recovering" };
  if (state.halted) return { reason: "limit_loss", detail: state.halted };
  if (!market.active) return { reason: "market_closed" };
  if (isDoubtful(view)) return { reason: "low_confidence" };
  if (isAhead(slot.retryAt, now, LONGEST_PAUSE)) return rejectedBefore(slot, state.refused);
  if (waitsForLimit(slot, limitVersion(view))) return limitedBefore(slot, state.refused);
  const crossing = crosses(wish, resting);
  if (crossing) return crossing;
  if (config.postOnly !== false && takes(wish, quote)) return { reason: "would_take" };
  const { asset, amount } = need(market, wish);
  if (funds && amount > (funds[asset] ?? ZERO))
    return { reason: wish.side === "buy" ? "no_quote" : "inventory_missing" };
  return (
    (wish.side === "buy" ? overLimit(amount, view) : undefined) ??
    beyondRoom(wish, view.room) ??
    beyondBounds(wish, view)
  );
}

const limitVersion = ({ now, bounds }: View) => ({ now, version: bounds?.standings.version });

/** Returns a slot's refusal with its backoff; one that already waits does not restart its backoff. */
export const backedOff = (slot: Slot, refusal: Omit<Refusal, "slot">, view: View) =>
  view.backoff && !waitsForLimit(slot, limitVersion(view))
    ? limitedAgain(slot, refusal, limitVersion(view), view.backoff)
    : { slot, refusal };

const limitedBefore = ({ index }: Slot, before: readonly Refusal[]): Omit<Refusal, "slot"> => {
  const result = before.find(({ slot, reason }) => slot === index && isLasting(reason));
  return { reason: result?.reason ?? "limit_order", ...(result?.detail ? { detail: result.detail } : {}) };
};

const isDoubtful = ({ confidence, config }: View): boolean =>
  config.confidence !== undefined && confidence !== undefined && confidence < config.confidence;

export const limitOrderOf = (wish: Wish, { symbol }: Market) => ({ symbol, type: "limit" as const, ...wish });

const beyondBounds = (wish: Wish, { market, quote, bounds }: View): Omit<Refusal, "slot"> | undefined =>
  bounds && refusedWithin(limitOrderOf(wish, market), quote, bounds);

/** Returns whether a buy exceeds its share of the capital or the reserve of quote; these limits never refuse sells. */
function overLimit(amount: Decimal, { capital, config }: View): Omit<Refusal, "slot"> | undefined {
  const over = capital && roomsOf(config, capital).find(({ room }) => amount > room);
  return over && { reason: over.reason };
}

const rejectedBefore = ({ index }: Slot, before: readonly Refusal[]): Omit<Refusal, "slot"> => {
  const result = before.find(({ slot, reason }) => slot === index && isOfVenue(reason));
  return { reason: result?.reason ?? "rejected", ...(result?.detail ? { detail: result.detail } : {}) };
};

const crosses = ({ side, price }: Wish, resting: readonly Resting[]): Omit<Refusal, "slot"> | undefined => {
  const met = resting.find(
    (other) => other.side !== side && (side === "buy" ? other.price <= price : other.price >= price),
  );
  const id = met && (met.order?.exchangeId ?? met.order?.clientId ?? met.id);
  return (
    met && { reason: "would_self_cross", ...(id ? { detail: `it could fill against order ${id}` } : {}) }
  );
};
