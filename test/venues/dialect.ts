/** What one exchange's REST dialect is to the server: routes, signatures, answers, and how it fails. */
import type { IncomingHttpHeaders } from "node:http";
import { type Decimal, text } from "../../src/kernel/decimal.ts";
import type { Pair } from "../../src/kernel/pair.ts";
import type { Millis } from "../../src/kernel/time.ts";
import type { Account, VenueKeys } from "./account.ts";
import type { Listing } from "./catalog.ts";
import type { Engine } from "./engine.ts";
import { asRead, type Execution, type Order } from "./order.ts";

/** One name per use, the same on all four exchanges. */
export type Route =
  | "time"
  | "markets"
  | "currencies"
  | "ticker"
  | "book"
  | "trades"
  | "candles"
  | "balance"
  | "create"
  | "order"
  | "open"
  | "closed"
  | "fills"
  | "fillsOf"
  | "cancel"
  | "cancelAll"
  | "fee"
  | "permissions"
  | "kind"
  | "streamKey";

export interface Requested {
  readonly method: string;
  readonly path: string;
  /** As sent, without the question mark. */
  readonly rawQuery: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Reply {
  readonly status: number;
  readonly body: unknown;
}

export const ok = (body: unknown): Reply => ({ status: 200, body });

export interface Member {
  readonly keys: VenueKeys;
  readonly account: Account;
  /** Highest nonce seen of this key. */
  nonce: bigint;
}

export interface Ask {
  readonly request: Requested;
  readonly engine: Engine;
  readonly now: Millis;
}

export type PrivateAsk = Ask & { readonly member: Member };

/** When and against what the shape of an emulated payload was last checked. */
export interface ShapeCheck {
  readonly on: string;
  readonly source: string;
}

export interface Dialect {
  /** Of every payload, and of those that were checked again. */
  readonly checked: ShapeCheck & { readonly again?: Partial<Record<Route, ShapeCheck>> };
  readonly ids: { readonly order: (number: number) => string; readonly trade: (number: number) => string };
  readonly buyFeeIn: "base" | "quote";
  /** Most open orders of one pair. */
  readonly maxOpen: number;
  /** An order that may only rest, and would take, is accepted and then cancelled. */
  readonly cancelsTaking?: boolean;
  route(request: Requested): Route | undefined;
  /** The member whose key signed, or the exchange's refusal. */
  authenticate(request: Requested, members: ReadonlyMap<string, Member>, now: Millis): Member | Reply;
  readonly open: Partial<Record<Route, (ask: Ask) => Reply>>;
  /** The refusal of a signed call for which its counters have no room. */
  readonly counted?: (route: Route, ask: PrivateAsk) => Reply | undefined;
  readonly signed: Partial<Record<Route, (ask: PrivateAsk) => Reply>>;
  /** A refusal in the exchange's own envelope. */
  says(code: string, text: string): Reply;
  readonly trouble: Readonly<Record<"serverError" | "maintenance" | "unknownRoute", Reply>>;
  /** The refusal of a call that comes too often. */
  limited(route: Route): Reply;
}

/** At least so many decimals, and never fewer than the value has. */
export function padded(value: Decimal, places: number): string {
  const plain = text(value);
  const point = plain.indexOf(".");
  const has = point < 0 ? 0 : plain.length - point - 1;
  if (has >= places) return plain;
  return `${plain}${point < 0 ? "." : ""}${"0".repeat(places - has)}`;
}

export const visibleOrders = ({ member, now }: PrivateAsk): Order[] =>
  member.account.orders.filter((order) => order.visibleAt <= now).map((order) => asRead(order, now));

/** The account's orders that rest, or are still shown to, oldest first. */
export const visibleOpen = (ask: PrivateAsk): Order[] =>
  ask.engine.settings.ordersLate === 0
    ? [...ask.member.account.open.values()].filter((order) => order.visibleAt <= ask.now)
    : visibleOrders(ask).filter(({ status }) => status === "open");

/** The account's executions, newest first. */
export const visibleFills = ({ engine, member, now }: PrivateAsk): Execution[] =>
  engine.executions
    .filter(({ order, visibleAt }) => order.account === member.account && visibleAt <= now)
    .reverse();

/** The newest order with this client id. */
export function byClientId({ member, now }: PrivateAsk, clientId: string): Order | undefined {
  const order = member.account.byClientId.get(clientId)?.findLast(({ visibleAt }) => visibleAt <= now);
  return order && asRead(order, now);
}

export function byOrderId({ engine, member, now }: PrivateAsk, id: string): Order | undefined {
  const order = engine.order(id);
  return order?.account === member.account && order.visibleAt <= now ? asRead(order, now) : undefined;
}

export const inPair =
  (listing: Listing | undefined) =>
  ({ order }: Execution): boolean =>
    listing === undefined || order.listing === listing;

export const listingBy = (engine: Engine, idOf: (listing: Listing) => string, id: string) =>
  [...engine.listings.values()].find((listing) => idOf(listing) === id);

export const average = (order: Order): Decimal =>
  order.filled === 0n ? 0n : (order.notional * 10n ** 18n) / order.filled;

/** A count in a query: its default when absent, at most `most`. */
export function limitOf(
  given: string | null | undefined,
  { standard, most }: { standard: number; most: number },
) {
  const requestCount = given ? Number(given) : standard;
  return Math.min(Number.isInteger(requestCount) && requestCount > 0 ? requestCount : standard, most);
}

export const isReply = (value: Member | Reply): value is Reply => "status" in value;

export type { Pair };
