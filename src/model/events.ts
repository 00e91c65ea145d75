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
  | "rounded"
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
  | "waits"
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

/** Links events in a hash chain: changing, removing, inserting or moving one breaks it. */
/** An event's chain and position: the account whose passes write it, or "" for people's actions; positions count from 1. */
type ChainedPlace = StoredEvent & { readonly chain: string; readonly seq: number };

/** A checkpoint's entry for one chain: it ends at `seq` with this hash, and its stored events begin at `from`. */
export interface ChainMark {
  readonly chain: string;
  readonly seq: number;
  readonly hash: string;
  readonly from: number;
  /** Hash of the event before `from`; empty if no events were deleted. */
  readonly before: string;
}

export interface Checkpoint {
  readonly number: number;
  readonly at: Millis;
  readonly marks: readonly ChainMark[];
  /** Id of the operator's key that signed it. */
  readonly key: string;
  readonly signature: string;
}

/** Returns the text of an event's SHA-256; `before` is the hash of the previous event, empty for the first. */
export const eventText = (
  before: string,
  { chain, seq, account, strategy, at, kind, message, actor, request }: ChainedPlace,
): string => JSON.stringify([before, chain, seq, account, strategy, at, kind, message, actor, request]);

/** Returns the text that a checkpoint signs; `before` is the signature of the previous checkpoint, empty for the first. */
export const checkpointText = (
  before: string,
  { number, at, marks }: Pick<Checkpoint, "number" | "at" | "marks">,
) =>
  JSON.stringify([
    before,
    number,
    at,
    marks.map(({ chain, seq, hash, from, before: cut }) => [chain, seq, hash, from, cut]),
  ]);
