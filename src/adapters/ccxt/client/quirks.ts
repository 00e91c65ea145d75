import type { Decimal } from "../../../kernel/decimal.ts";
import type { Pair } from "../../../kernel/pair.ts";
import type { Millis } from "../../../kernel/time.ts";
import type { Span } from "../../../model/fill.ts";
import type { Market } from "../../../model/market.ts";
import type { NewOrder } from "../../../model/order.ts";
import type { Tier } from "../../../model/venues.ts";
import type { CallRate, OrderIds, Timing } from "../../../ports/venue.ts";
import type { Ccxt, CcxtClass, Dict } from "./ccxt.ts";
import type { AccountKind } from "./keeping.ts";
import type { ExchangeRefusal, Meaning } from "./told.ts";

/** Of an account's private calls. */
export interface PrivateRate extends CallRate {
  /** Of the burst, what no pass takes for its reads: a person's calls and a stop's come first. */
  readonly reserve: number;
  /** What a pass may need until it has placed something; where it is given, none begins with less. */
  readonly pass?: number;
}

export type PrivateCall =
  | "balances"
  | "openOrders"
  | "order"
  | "fills"
  | "fee"
  | "create"
  | "cancel"
  | "kind";

/** How far one question for own executions reaches. Its answer shows the newest rows of its span first. */
export interface FillReach {
  /** The longest span of one question; undefined where any will do. */
  readonly span?: Millis;
  /** How long ago it may begin: of what is older the exchange tells nothing. */
  readonly back?: Millis;
  /** Most rows of an answer. */
  readonly page: number;
  /** The unit in which the exchange takes the ends of a span. */
  readonly tick: Millis;
  /** It tells the rows that follow a full page, also where they are all of one unit of time. */
  readonly goesOn: boolean;
}

/** What one exchange does differently, all in its own file. */
export interface Quirks {
  /** The name by which people know it, for messages. */
  readonly name: string;
  /** Where ccxt sends its requests; no other host is asked. */
  readonly host: string;
  load(): Promise<CcxtClass>;
  readonly options: Dict;
  readonly timing: Timing;
  readonly rate: PrivateRate;
  /** Of accounts of other kinds than the least. */
  readonly tiers?: Partial<Record<Tier, PrivateRate>>;
  /** Public calls for strangers, well below what the exchange allows an address: steps ask from the same one. */
  readonly publicRate: CallRate;
  /** What each request of such a call takes of the rate; 1 where nothing is said. */
  readonly costs: Partial<Record<PrivateCall, number>>;
  /** Private calls of one key have to arrive in the order of their nonces, so one at a time. */
  readonly serial: boolean;
  /** Where accounts differ it is found out from the account's own fills. */
  readonly buyFeeIn: Market["buyFeeIn"];
  /** The exchange takes a market buy by its cost only, so a limit that takes at once is sent instead. */
  readonly buysByCost: boolean;

  /** The refusal that a body tells; undefined when it tells none. */
  refusalIn(body: object): Omit<ExchangeRefusal, "status"> | undefined;
  meaningOf(refusal: ExchangeRefusal): Meaning | undefined;

  /** All spot markets, asked without keys. */
  markets(exchange: Ccxt): Promise<readonly Dict[]>;
  /** What has to be set beside the markets themselves. */
  readonly withMarkets?: (exchange: Ccxt, markets: readonly Dict[]) => void;
  /** Levels and trades to ask for; left out, the exchange's own default is enough. */
  readonly bookLevels?: number;
  readonly publicTrades?: number;
  /** Candles of one answer that may begin at any time. */
  readonly candlePage: number;
  /** Candles back from now beyond which it tells none; left out where it tells all. */
  readonly candleReach?: number;

  /** Where there are accounts of two kinds: the question which one a key opens, and what ccxt is then told. */
  readonly kinds?: {
    ask(exchange: Ccxt): Promise<AccountKind>;
    set(exchange: Ccxt, kind: AccountKind): void;
  };
  /** Keys come with a passphrase. */
  readonly passphrase: boolean;
  /** Whether the key may withdraw; undefined where the exchange does not tell. */
  mayWithdraw(exchange: Ccxt): Promise<boolean | undefined>;
  /** The asset as which a holding of another name is spent; undefined for one that is spent under its own, or not at all. */
  readonly spentAs?: (name: string) => string | undefined;
  balances(exchange: Ccxt): Promise<Dict>;
  /** Open orders are listed by pair alone. */
  readonly opensByPair: boolean;
  /** Every open order, all pages; of one pair where `opensByPair`. */
  openOrders(exchange: Ccxt, symbol: Pair | undefined): Promise<readonly Dict[]>;
  /** Orders by the exchange's ids, many in one call, where it takes that. Those that it does not know are left out. */
  readonly orders?: (exchange: Ccxt, ids: readonly string[]) => Promise<readonly Dict[]>;
  readonly fillReach: FillReach;
  /** A page of own executions of a span, both ends in whole units; with rows, those that follow them. */
  fills(exchange: Ccxt, symbol: Pair, span: Span, after: readonly Dict[]): Promise<readonly Dict[]>;
  /** Own executions of some orders, by the exchange's ids, all of those of a span that one question may have. */
  fillsOf(exchange: Ccxt, symbol: Pair, orderIds: readonly string[], span: Span): Promise<readonly Dict[]>;
  /** Wide enough for every id that the exchange documents, or that is recorded of it. */
  readonly orderIds: OrderIds;
  /** A look by the exchange's own id. */
  byId(exchange: Ccxt, symbol: Pair, id: string): Promise<Dict | undefined>;
  /** A look by our own id, everywhere where the exchange may show it; undefined when it is nowhere. */
  find(exchange: Ccxt, symbol: Pair, clientId: string): Promise<Dict | undefined>;
  /** The exchange's own id of the pair of an order. */
  marketIdOf(order: Dict): unknown;
  clientIdOf(order: Dict): string | undefined;
  /** What was filled and asked for, in base, where ccxt divides costs by a rounded price; undefined where it is not told. */
  readonly sizesOf?: (order: Dict) => { readonly filled: unknown; readonly amount: unknown } | undefined;
  /** Whether an order tells its fee, where ccxt tells others beside it and nothing of its being missing. */
  readonly tellsFee?: (order: Dict) => boolean;
  /** Quote exchanged, where ccxt only estimates it. */
  readonly notionalOf?: (order: Dict) => unknown;
  /** The status word, where ccxt does not translate it. */
  readonly statusOf?: (order: Dict) => string | undefined;

  createParams(order: NewOrder, expiry: { readonly now: Millis; readonly by: Millis }, exchange: Ccxt): Dict;
  readonly createHeaders?: (expiry: { readonly by: Millis }) => Readonly<Record<string, string>>;
}

/** A market buy's limit, as a share of the best ask. */
export const BUY_WITHIN: Decimal = 1_010_000_000_000_000_000n;

export const LIVE_TIMING: Timing = {
  leaseTtl: 45_000,
  requestTimeout: 10_000,
  expiry: 5000,
  skew: 1000,
  readLag: 60_000,
  secondMiss: 20_000,
  overlap: 120_000,
  tradesEvery: 300_000,
  backoff: { first: 15_000, most: 300_000 },
};

/** What an exchange does unless its own file says otherwise. */
export const USUAL_QUIRKS = {
  timing: LIVE_TIMING,
  rate: { burst: 10, perSecond: 10, reserve: 2 },
  publicRate: { burst: 30, perSecond: 5 },
  costs: {},
  serial: false,
  buyFeeIn: "base",
  buysByCost: false,
  balances: (exchange) => exchange.fetchBalance({ type: "spot" }),
  byId: (exchange, symbol, id) => unlessMissing(exchange.fetchOrder(id, symbol)),
} as const satisfies Partial<Quirks>;

/** In ccxt's words, which it puts into each exchange's own. A market order never rests anyway. */
export function inForce({ type, timeInForce }: NewOrder): Dict {
  if (type === "market") return {};
  if (timeInForce === "ioc") return { timeInForce: "IOC" };
  return timeInForce === "post_only" ? { postOnly: true } : {};
}

/** Undefined where a look answers that there is no such order; any other failure stays one. */
export async function unlessMissing<T>(look: Promise<T>): Promise<T | undefined> {
  try {
    return await look;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // ccxt's own class for an answer that is in order but holds no order.
  if (error.name === "OrderNotFound") return true;
  return "failure" in error && (error.failure as { missing?: boolean }).missing === true;
}

/** Asks for each of some orders on its own. */
export async function forEach(
  orderIds: readonly string[],
  ask: (orderId: string) => Promise<readonly Dict[]>,
): Promise<readonly Dict[]> {
  const found: Dict[] = [];
  for (const id of orderIds) found.push(...(await ask(id)));
  return found;
}

export const MOST_LIST_PAGES = 200;

/** Reads pages until `next` says that there is none after this one. An item that two pages show counts once. */
export async function pages<C>(
  first: C,
  read: (cursor: C) => Promise<readonly Dict[]>,
  next: (page: readonly Dict[], cursor: C) => C | undefined,
): Promise<readonly Dict[]> {
  const found = new Map<unknown, Dict>();
  let cursor: C | undefined = first;
  for (let count = 0; cursor !== undefined; count++) {
    if (count === MOST_LIST_PAGES) throw new Error("the exchange's list does not end");
    const page: readonly Dict[] = await read(cursor);
    const before = found.size;
    for (const item of page) found.set(item.id, item);
    const after = next(page, cursor);
    if (after !== undefined && found.size === before)
      throw new Error("the exchange's list does not continue");
    cursor = after;
  }
  return [...found.values()];
}
