/** Events; each one is stored with the actor that caused it. */
import { text } from "../kernel/decimal.ts";
import type { Millis } from "../kernel/time.ts";
import { type AccountKey, parseAccountKey } from "./account.ts";
import type { Order } from "./order.ts";

export type EventKind =
  | "started"
  | "wants"
  | "status"
  | "lost"
  | "rejected"
  | "error"
  | "adopted"
  | "made_way"
  | "exit"
  | "edited"
  | "renamed"
  | "moved"
  | "unreadable"
  | "kill"
  | "watch"
  | "limits"
  | "order"
  | "cancel"
  | "token"
  | "server"
  | "wrong_tokens"
  | "keys"
  | "plan"
  | "channel"
  | "agreement"
  | "alarm"
  | "notice"
  | "recovered"
  | "cycle"
  | "audit";

/** Account of an event that concerns every account. */
export const EVERY_ACCOUNT: AccountKey = "";

/** Append-only; `at` is protocol time. */
export interface Event {
  readonly account: AccountKey;
  readonly strategy: string | null;
  readonly at: Millis;
  readonly kind: EventKind;
  readonly message: string;
}

/** An event without its time and actor. */
export type EventView = Omit<Event, "at">;

/** Who requested an action, and in which request; null without a request. */
export interface ActorAndRequest {
  /**
   * A token's id, `admin` for the operator's token, `local` for the command line, `agent:…` for an agent of either,
   * or `step` for a pass.
   */
  readonly actor: string;
  readonly request: string | null;
}

export interface Caller {
  /** A token's id, `local` for the command line, or `public`. */
  readonly actor: string;
  readonly requestId?: string;
  /** Whether an agent calls, with the token of its owner. */
  readonly isAgent?: boolean;
}

/** Returns the actor and request of a call for its events. */
export const byOf = ({ actor, requestId, isAgent }: Caller): ActorAndRequest => ({
  actor: isAgent ? `agent:${actor}` : actor,
  request: requestId ?? null,
});

/** Actor of actions that passes take without a request. */
export const BY_PASS: ActorAndRequest = { actor: "step", request: null };

/** A stored event. Events older than the actor column have no actor. */
export type StoredEvent = Event & { readonly actor: string | null; readonly request: string | null };

/** Event for a change of an exchange's stored keys. */
export const keysEvent = (
  account: AccountKey,
  done: "stored" | "replaced" | "removed" | "encrypted with another EDGEMAKER_KEK",
): EventView => ({
  account,
  strategy: null,
  kind: "keys",
  message: `keys of ${parseAccountKey(account).exchange} ${done}`,
});

/** Event for a manual order that is about to be sent. */
export const manualOrderEvent = ({
  account,
  side,
  type,
  amount,
  symbol,
  price,
  clientId,
}: Order): EventView => ({
  account,
  strategy: null,
  kind: "order",
  message: `${clientId}: ${type} ${side} ${text(amount)} ${symbol}${type === "limit" ? ` at ${text(price)}` : ""}`,
});
