/** What one exchange's WebSocket dialect is to the hub: login, topics, messages, and when it closes a connection. */
import type { Millis } from "../../../src/kernel/time.ts";
import type { Listing } from "../catalog.ts";
import type { Member } from "../dialect.ts";
import type { Engine } from "../engine.ts";
import type { Execution, Order } from "../order.ts";

export type Message = string | Uint8Array;

/** One connection to an emulated exchange. */
export interface Session {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly openedAt: Millis;
  /** The account it has logged in to. */
  member: Member | undefined;
  /** When the login or listen key ends. */
  until: Millis;
  /** Confirmed topics: `fills`, or `price ` and a symbol. */
  readonly topics: Set<string>;
  /** When the client has last sent anything, pongs too. */
  heardAt: Millis;
  /** When the exchange has last sent data. */
  sentAt: Millis;
  /** Number of its next private message. */
  sequence: number;
  /** Sends an answer or a greeting. */
  readonly send: (message: Message) => void;
  readonly close: (code: number, reason: string) => void;
}

export interface StreamAsk {
  readonly session: Session;
  readonly engine: Engine;
  readonly members: ReadonlyMap<string, Member>;
  readonly now: Millis;
}

export interface BestPrices {
  readonly listing: Listing;
  readonly bid: { readonly price: bigint; readonly amount: bigint };
  readonly ask: { readonly price: bigint; readonly amount: bigint };
  readonly last: bigint;
}

export interface StreamDialect {
  readonly paths: readonly string[];
  /** The exchange ends a connection at this age. */
  readonly lifetime: Millis;
  opened?(ask: StreamAsk): void;
  received(ask: StreamAsk, text: string): void;
  /** Called many times a second: heartbeats, and why the exchange closes the connection now. */
  check(ask: StreamAsk): string | undefined;
  fill(ask: StreamAsk, execution: Execution): Message;
  /** Of exchanges whose topic of fills has the other changes of orders too. */
  order?(ask: StreamAsk, order: Order): Message;
  price(ask: StreamAsk, best: BestPrices): Message;
}

export const FILLS = "fills";
export const priceTopic = ({ symbol }: Listing): string => `price ${symbol}`;
