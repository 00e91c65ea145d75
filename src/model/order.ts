import { type Decimal, ONE, ZERO } from "../kernel/decimal.ts";
import type { Pair } from "../kernel/pair.ts";
import { HOUR, MINUTE, type Millis, SECOND } from "../kernel/time.ts";
import type { AccountKey } from "./account.ts";
import type { Side } from "./market.ts";

export const ORDER_TYPES = ["limit", "market"] as const;
export type OrderType = (typeof ORDER_TYPES)[number];

/** Types of orders that wait for a price. People place them on the exchange; edgemaker only lists them. */
export const STOP_TYPES = ["stop_limit", "stop_market"] as const;

/** An order that is sent when the market reaches a price; until then it is not in the book, and cannot trade. */
export interface StopTerms {
  readonly type: (typeof STOP_TYPES)[number];
  /** In quote; null if it cannot be read. */
  readonly triggerPrice: Decimal | null;
  readonly isTriggered: boolean;
}

/** Returns whether an open order is in the exchange's book, where it can trade. */
export const isInBook = ({ stop }: { readonly stop?: StopTerms | undefined }): boolean =>
  stop?.isTriggered !== false;

/**
 * `gtc` stays open until canceled. `ioc` fills what it can at once, and cancels the rest. `post_only` is refused if
 * it would be a taker order.
 */
export type TimeInForce = "gtc" | "ioc" | "post_only";

export const ORDER_STATUSES = [
  "open",
  "partially_filled",
  "filled",
  "canceled",
  "expired",
  "rejected",
  "unknown",
] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

export interface Fee {
  readonly asset: string;
  readonly amount: Decimal;
}

export interface NewOrder {
  readonly clientId: string;
  readonly symbol: Pair;
  readonly side: Side;
  readonly type: OrderType;
  /** Limit price; ignored for a market order. */
  readonly price: Decimal;
  readonly amount: Decimal;
  /** Default: `gtc`. */
  readonly timeInForce?: TimeInForce;
}

/** What an order buys or sells; of an order in a book, the open amount. */
export type OrderTerms = Pick<NewOrder, "side" | "price" | "amount">;

/**
 * `pending` is written before the order is sent. `submitted`: the exchange accepted it, but does not show it yet.
 * `unknown`: there was no clear response. filled, canceled, expired and rejected are final.
 */
export type OrderState = "pending" | "submitted" | OrderStatus;

/** Order of a slot, of an exit that sells a strategy's base, or manual. */
export type OrderKind = "slot" | "exit" | "hand";

/** One intent and its result: at most one order on the exchange, ever. */
export interface Order extends Required<NewOrder> {
  readonly account: AccountKey;
  readonly strategy: string | null;
  readonly kind: OrderKind;
  readonly generation: number;
  readonly slot: number;
  readonly state: OrderState;
  readonly exchangeId: string | null;
  /** Filled amount that the exchange reports; never decreases. */
  readonly filled: Decimal;
  /** Sums of the booked fills. */
  readonly booked: Decimal;
  readonly bookedNotional: Decimal;
  readonly bookedFees: Readonly<Record<string, Decimal>>;
  /** Part of the booked amount that was taken from the order itself, because its trades have not arrived. */
  readonly gap: Decimal;
  /** Quote exchanged and fees so far, as the exchange reports them. */
  readonly notional: Decimal | null;
  readonly fees: readonly Fee[] | null;
  readonly reason: string | null;
  /** Protocol time after which no request is sent. */
  readonly sendBy: Millis;
  /** Protocol time after which no request takes effect. */
  readonly notAfter: Millis;
  readonly misses: number;
  readonly missedAt: Millis | null;
  /** Protocol time at which it became final. */
  readonly endedAt: Millis | null;
  /** Protocol time since which trades are missing: more is filled than booked. */
  readonly behindSince: Millis | null;
  /** Market time. */
  readonly createdAt: Millis;
  /** Whether the order is final and all its fills are booked. Its slot can then place another one. */
  readonly settled: boolean;
  /** Actor of a manual order; null for an order of a strategy. */
  readonly actor: string | null;
  /** The id that a strategy's own function gave it; null for every other order. */
  readonly label: string | null;
}

/** An order that a strategy plans, before it has its client id. */
export type Draft = Omit<Order, "clientId"> & Pick<Intent, "ownBase">;

/** Returns the part of an order that is sent to the exchange. */
export const sentOrderOf = ({
  clientId,
  symbol,
  side,
  type,
  price,
  amount,
  timeInForce,
}: Order): NewOrder => ({
  clientId,
  symbol,
  side,
  type,
  price,
  amount,
  timeInForce,
});

/** Initial values of every order. */
export const NEW_ORDER = {
  state: "pending",
  exchangeId: null,
  filled: 0n,
  booked: 0n,
  bookedNotional: 0n,
  bookedFees: {},
  gap: 0n,
  notional: null,
  fees: null,
  reason: null,
  misses: 0,
  missedAt: null,
  endedAt: null,
  behindSince: null,
  settled: false,
  actor: null,
  label: null,
} as const;

/** Groups rows by a key, in their order. */
export function groupBy<T, K>(rows: readonly T[], keyOf: (row: T) => K): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return groups;
}

const groupsOfLists = new WeakMap<readonly Order[], ReadonlyMap<string | null, readonly Order[]>>();

/**
 * Returns the orders of one strategy in a list that does not change. The list is grouped once: a pass searches it for
 * each of its strategies.
 */
export function ordersOf(orders: readonly Order[], strategy: string): readonly Order[] {
  const groups = groupsOfLists.get(orders) ?? groupBy(orders, (order) => order.strategy);
  groupsOfLists.set(orders, groups);
  return groups.get(strategy) ?? [];
}

/** A span of market time, from inclusive to exclusive. */
export interface Span {
  readonly from: Millis;
  readonly to: Millis;
}

/** A booked fee. A fee in a third asset also has its value in quote at the fill. */
export interface BookedFee extends Fee {
  readonly value?: Decimal;
  /**
   * It is the fee rate × what was traded, because the exchange's fee cannot be read; or only its value is, without a
   * price for the fee's asset.
   */
  readonly isEstimated?: boolean;
}

/**
 * Times after a fill at which the mid of its market is stored: the first one that a pass reads at that time, or at most
 * `late` after it.
 */
export const HORIZONS = [
  { name: "mid1s", after: SECOND, late: SECOND },
  { name: "mid10s", after: 10 * SECOND, late: 5 * SECOND },
  { name: "mid1m", after: MINUTE, late: 30 * SECOND },
  { name: "mid5m", after: 5 * MINUTE, late: 2 * MINUTE },
  { name: "mid1h", after: HOUR, late: 2 * MINUTE },
] as const satisfies readonly { readonly name: string; readonly after: Millis; readonly late: Millis }[];
/** Maximum age of the price that counts as the mid at a fill. */
const MAX_MID_AGE_MS: Millis = 10 * SECOND;
/** Returns whether a price counts as the mid at a fill. A later price would contain what the fill moved. */
export const isMidAt = (fill: Pick<Fill, "at">, price: { readonly at: Millis }): boolean =>
  price.at <= fill.at && fill.at - price.at <= MAX_MID_AGE_MS;
export type HorizonName = (typeof HORIZONS)[number]["name"];

/** Mids of a fill's market at its horizons; null if unknown. */
type HorizonMids = Readonly<Record<HorizonName, Decimal | null>>;

/** A booked execution of one of our orders. */
export interface Fill extends OrderTerms {
  readonly account: AccountKey;
  readonly symbol: Pair;
  readonly tradeId: string;
  readonly clientId: string;
  readonly strategy: string | null;
  readonly notional: Decimal;
  readonly fees: readonly BookedFee[];
  /** Market time. */
  readonly at: Millis;
  /** The trade arrived after its amount was booked from the order itself, so it changes nothing. */
  readonly superseded: boolean;
}

/** What measures a stored fill, with the mids at its time and at its horizons. */
export interface MeasuredFill extends Omit<Fill, "account" | "symbol" | "fees">, HorizonMids {
  readonly mid: Decimal | null;
}

/** What it takes to know what a fill earned against the mid at its time. */
export type SpreadFill = Pick<
  MeasuredFill,
  "tradeId" | "side" | "amount" | "notional" | "at" | "superseded" | "mid"
>;

/** How far an account's executions on a pair were read, in market time. */
export interface FillCursor {
  /** Everything before this time was read. */
  readonly at: Millis;
  /** A further span that was read; the part between was skipped because the pass had no calls left. */
  readonly ahead: Span | null;
}

/** Trade id prefix of a fill that was booked from its order's own sums: its time and price are not those of a trade. */
export const INFERRED = "order:";
export const isInferred = ({ tradeId }: Pick<Fill, "tradeId">): boolean => tradeId.startsWith(INFERRED);

/*
 * Finds orders of one account that would trade with each other. Self-trades are forbidden on exchanges and cost two
 * fees, so no order is sent that could fill against another one of ours.
 */

/** The worst price at which an order can trade: a buy up to `limit`, a sell down to it. */
export interface Reach {
  readonly side: Side;
  /** In quote; null for any price. */
  readonly limit: Decimal | null;
}

interface RestingTerms {
  readonly side: Side;
  readonly type: OrderType;
  readonly price: Decimal;
}

/** Returns whether two orders could trade with each other. A market order can trade at any price. */
export function meets({ side, limit }: Reach, other: RestingTerms): boolean {
  if (side === other.side) return false;
  if (limit === null || other.type === "market") return true;
  return side === "buy" ? other.price <= limit : other.price >= limit;
}

/** Returns whether an order would be a taker order at these prices. It is not if its opposite side has no price. */
export const takes = (
  { side, price }: Pick<RestingTerms, "side" | "price">,
  { bid, ask }: { readonly bid: Decimal; readonly ask: Decimal },
): boolean => (side === "buy" ? ask > 0n && price >= ask : bid > 0n && price <= bid);

const UNCLEAR: readonly OrderState[] = ["pending", "unknown"];
const RESTING: readonly OrderState[] = ["submitted", "open", "partially_filled"];

/** Returns whether an open order can still trade. An IOC order has finished as soon as it is accepted. */
export const mayBeMet = ({ state, timeInForce, settled }: Order): boolean =>
  !settled && (UNCLEAR.includes(state) || (timeInForce !== "ioc" && RESTING.includes(state)));

export const reachOf = ({ side, type, price }: RestingTerms): Reach => ({
  side,
  limit: type === "market" ? null : price,
});

/** Returns the first of these orders that the other order would trade with. */
export function firstMet<T extends RestingTerms>(reach: Reach, orders: readonly T[]): T | undefined {
  const met = orders.filter((order) => meets(reach, order));
  return met.reduce<T | undefined>(
    (best, order) => (best && !isBefore(order, best) ? best : order),
    undefined,
  );
}

const isBefore = (a: RestingTerms, b: RestingTerms): boolean =>
  a.side === "sell" ? a.price < b.price : a.price > b.price;

/** When a request of a pass can be sent and take effect, in protocol time. */
export interface LeaseWindow {
  readonly sendBy: Millis;
  readonly notAfter: Millis;
}

/** Free balance per asset that this pass can still use; null if it cannot be read. */
export type Funds = Readonly<Record<string, Decimal | null>>;

/** Returns the funds after an order; an unreadable balance stays unknown. */
export const spendFunds = (funds: Funds, asset: string, amount: Decimal): Funds =>
  funds[asset] === null ? funds : { ...funds, [asset]: (funds[asset] ?? ZERO) - amount };

export interface Resting {
  readonly side: Side;
  readonly price: Decimal;
  /** The order's row; absent if it was placed elsewhere. Then `id` is the exchange's. */
  readonly order?: Order | undefined;
  readonly id?: string | undefined;
}

/** Capital of a strategy, in quote. */
export interface Capital {
  /** Quote, free and in orders, and the cost of all base of strategies with this quote. */
  readonly whole: Decimal;
  readonly quote: Decimal;
  /** Cost of this strategy's base and open buys, and the open buys of all strategies with this quote. */
  readonly position: Decimal;
  readonly openBuys: Decimal;
}

/** Minimum of the free base that belongs to no strategy of the account. */
export interface OwnBase {
  readonly least: Decimal;
  /** Whether no order of ours could make the amount look smaller than it is. */
  readonly isSure: boolean;
}

/** An order that a slot or the strategy as a whole requests. */
export interface Intent extends OrderTerms {
  readonly slot: number;
  /** The part of a sell that the strategy bought; limits do not count it. */
  readonly ownBase?: Decimal | undefined;
}

/** A sum of products of two decimals without rounding: a whole count of 1e-36. */
export type ExactSum = bigint;

/** Returns −D: +1 for an own buy, which gains when the price rises. */
const signOf = ({ side }: Pick<Fill, "side">): bigint => (side === "buy" ? 1n : -1n);

/**
 * Returns what the whole fill earned against a mid: D · (p − m) × amount. Against the mid at the fill it is half of the
 * effective spread; against a later mid it is half of the realized spread, the markout.
 *
 * The literature measures a trade from the side of its taker: direction D (+1 buys, −1
 * sells), price p, mid m at the trade, and a later mid m′. A strategy's order is the other side of that trade and earns
 * what the taker pays; an own taker order therefore has negative spreads.
 *
 * Source: R. D. Huang and H. R. Stoll, "Dealer versus auction markets: A paired comparison of execution costs on NASDAQ
 * and the NYSE", Journal of Financial Economics 41 (1996) 313–357. They value the realized half-spread at a later trade
 * price; here, as in later work, at a later mid.
 */
export const earnedAgainst = (fill: Pick<Fill, "side" | "amount" | "notional">, mid: Decimal): ExactSum =>
  signOf(fill) * (mid * fill.amount - fill.notional * ONE);

/**
 * Returns the price impact on the whole fill: D · (m′ − m) × amount, how far the mid moved against it. Effective =
 * realized + impact.
 */
export const impactOn = (
  fill: Pick<Fill, "side" | "amount">,
  { mid, later }: { readonly mid: Decimal; readonly later: Decimal },
): ExactSum => signOf(fill) * (mid - later) * fill.amount;

/** Returns whether the mid moved against the fill by more than its half-spread, so that it lost money. */
export const isToxic = (fill: Pick<Fill, "side" | "price">, later: Decimal): boolean =>
  signOf(fill) * (later - fill.price) < 0n;

/** Horizon at which a fill counts as toxic. */
export const TOXIC_AT: HorizonName = "mid10s";
/** Minimum number of measured fills; fewer show nothing. */
export const MIN_FILLS = 5;

/** What fills of one side earned until the horizon, over those whose mid there is known. */
interface Flow {
  readonly known: number;
  readonly unknown: number;
  readonly toxic: number;
  readonly earned: ExactSum;
}

/**
 * Returns the flow of fills that were picked off: traders who knew the next price took them. Such fills mostly lost
 * money, and lost money together. Undefined for others.
 */
export function pickedOffFlow(fills: readonly MeasuredFill[]): Flow | undefined {
  let [known, toxic, earned] = [0, 0, 0n];
  for (const fill of fills) {
    const later = fill[TOXIC_AT];
    if (later === null) continue;
    known++;
    if (isToxic(fill, later)) toxic++;
    earned += earnedAgainst(fill, later);
  }
  if (known < MIN_FILLS || 2 * toxic <= known || earned >= 0n) return undefined;
  return { known, unknown: fills.length - known, toxic, earned };
}

/** By how many times a limit order's cost can differ from its price; it can fill at better prices. */
export const MAX_IMPROVEMENT = 10n;

/** Returns whether a price or a cost is at most so many times another one, and at least one part of so many. */
export const isNearWorth = (value: Decimal, worth: Decimal, times: bigint): boolean =>
  value <= worth * times && value * times >= worth;
