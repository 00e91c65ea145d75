/** What is told of: each event is kept, with who had it done. */
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
  | "alarm"
  | "notice"
  | "recovered"
  | "cycle"
  | "audit";

/** Of an event that concerns every account. */
export const EVERY_ACCOUNT: AccountKey = "";

/** Append-only; `at` is protocol time. */
export interface Event {
  readonly account: AccountKey;
  readonly strategy: string | null;
  readonly at: Millis;
  readonly kind: EventKind;
  readonly message: string;
}

/** What is told of, without when and by whom. */
export type EventView = Omit<Event, "at">;

/** Who has something done, and in which request; null where that is none. */
export interface By {
  /** A token's id, `admin` for the operator's own, `local` for the command line, `agent:…` for either's agent, `step`. */
  readonly actor: string;
  readonly request: string | null;
}

/** What passes do of themselves. */
export const BY_STEP: By = { actor: "step", request: null };

/** An event as it is kept. Those from before there were actors have none. */
export type KeptEvent = Event & { readonly actor: string | null; readonly request: string | null };

/** What was done with the stored keys of an exchange. */
export const keysEvent = (
  account: AccountKey,
  done: "stored" | "replaced" | "removed" | "encrypted with another EDGEMAKER_KEK",
): EventView => ({
  account,
  strategy: null,
  kind: "keys",
  message: `keys of ${parseAccountKey(account).exchange} ${done}`,
});

/** That an order by hand is about to be sent. */
export const handEvent = ({ account, side, type, amount, symbol, price, clientId }: Order): EventView => ({
  account,
  strategy: null,
  kind: "order",
  message: `${clientId}: ${type} ${side} ${text(amount)} ${symbol}${type === "limit" ? ` at ${text(price)}` : ""}`,
});
