import { type Decimal, decimal } from "../../kernel/decimal.ts";
import type { Pair } from "../../kernel/pair.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Keys } from "../../ports/venue.ts";
import type { Ccxt } from "../ccxt/client/ccxt.ts";

/** Private messages need the account's keys. Where one connection has both, it is the private one. */
export type Line = "private" | "public";

export interface StreamAccess {
  /** Throws VenueError if there are none. */
  keys(): Promise<Keys>;
  /** Makes a signed REST call in the account's turn, with its rate limit. Throws VenueError. */
  call<T>(call: (exchange: Ccxt) => Promise<T>): Promise<T>;
  /** Whether it is a unified account, on exchanges with two kinds. */
  isUnified(): Promise<boolean>;
  /** This machine's clock. */
  readonly now: () => Millis;
}

/** A connection's address; some exchanges put a key into it, so it is never logged. */
export interface Address {
  readonly path: string;
  /** Extends the login. Absent if it lasts as long as the connection. */
  readonly renew?: () => Promise<unknown>;
}

/** A request to follow topics, and the number of confirmations that answer it. */
export interface TopicRequest {
  readonly text: string;
  readonly confirmations: number;
}

/** What a message says. */
export type StreamReading =
  | { readonly kind: "login" | "confirmed" }
  | {
      readonly kind: "refused";
      readonly reason: string;
      /** Whether the exchange refuses the orders' topic or the login, and whether it does so because of the keys. */
      readonly isPrivate: boolean;
      readonly isKeys: boolean;
    }
  /** Undefined if the market cannot be read. */
  | { readonly kind: "fill"; readonly market: string | undefined }
  | { readonly kind: "price"; readonly market: string; readonly bid: Decimal; readonly ask: Decimal };

/** Returns the best prices of a market; nothing if a side of its book is empty. Throws for a text that is no number. */
export const bestPrices = (market: unknown, bid: unknown, ask: unknown): StreamReading[] =>
  bid && ask
    ? [{ kind: "price", market: String(market), bid: decimal(String(bid)), ask: decimal(String(ask)) }]
    : [];

/** The rules of one exchange's streams; sources are in docs/exchanges.md. */
export interface StreamDialect {
  readonly hosts: Readonly<Record<Line, string>>;
  /** Whether public messages need a connection of their own. */
  readonly isSplit: boolean;
  readonly ping: string;
  readonly silentAfter: Millis;
  readonly renewEvery?: Millis;
  /** Returns the exchange's market id of a pair; undefined if the id of its market list is the right one. */
  readonly marketOf?: (symbol: Pair) => string;
  address(line: Line, access: StreamAccess): Promise<Address>;
  /** Returns the message that logs in before the first topic; undefined if there is none. */
  login?(line: Line, access: StreamAccess): Promise<string | undefined>;
  /** Returns the request for the account's fills on all pairs. */
  fills(access: StreamAccess): Promise<TopicRequest>;
  /** Returns requests that start or stop the best prices of some markets. */
  prices(markets: readonly string[], isOn: boolean): readonly TopicRequest[];
  /** Throws for a message that is broken. */
  read(message: string | Uint8Array): readonly StreamReading[];
}
