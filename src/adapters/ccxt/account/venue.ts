import { type Decimal, mul, ZERO } from "../../../kernel/decimal.ts";
import { BudgetSpent, UnreadableError, VenueError } from "../../../kernel/errors.ts";
import { isOurs } from "../../../kernel/ids.ts";
import { type Pair, splitPair } from "../../../kernel/pair.ts";
import { readableList } from "../../../kernel/readable-list.ts";
import { DAY, HOUR, MINUTE, type Millis } from "../../../kernel/time.ts";
import {
  type AccountKey,
  type AccountRef,
  accountKey,
  type Balance,
  type Balances,
} from "../../../model/account.ts";
import type { Market } from "../../../model/market.ts";
import type { MarketData, OpenOrderList, UnreadableOrder, Venue, VenueOrder } from "../../../ports/venue.ts";
import { type Ccxt, type Dict, fieldOf, isDict, type TradedFees } from "../client/ccxt.ts";
import { CallFailed, noAnswer, type Quirks } from "../client/quirks.ts";
import type { ExchangeLink } from "./exchange-link.ts";
import { publicData, readOrders, readSpan } from "./fills.ts";
import { openingOf } from "./lease-calls.ts";
import { type AccountFees, balancesOf, readFeeRates, readMarket, venueOrderOf } from "./reading.ts";
import { sendCancel, sendOrder } from "./send-order.ts";
import { createSession, type LeaseHold, type PrivateSession, type SessionCaller } from "./session.ts";

interface AccountAccess extends Omit<SessionCaller, "account"> {
  readonly account: AccountRef;
}

/** Maximum number of orders per call. */
const BATCH = 50;

/** Returns an account on a real exchange, for one invocation. */
export function ccxtVenue(link: ExchangeLink, access: AccountAccess): Venue {
  const { account, keys, hold } = access;
  const { quirks, catalog, timing } = link;
  const session = createSession(link, { account: accountKey(account), keys, hold });
  const data = publicData(link, hold ? "step" : "own");
  const fees = accountFeeReader(link, accountKey(account), session);

  const listed = async (symbol: Pair) => readMarket(await catalog.fresh(symbol), quirks, undefined);
  const market = async (symbol: Pair) => {
    const fresh = await catalog.fresh(symbol);
    const asset = await buyFeeIn(link, accountKey(account));
    return readMarket(fresh, { ...quirks, buyFeeIn: asset }, await fees(symbol));
  };

  const balances = async () =>
    balancesOf(await session.read("balances", undefined, (exchange) => quirks.balances(exchange)), quirks);

  return {
    account,
    orderIds: quirks.orderIds,
    timing,
    ...data,
    market,
    listed,
    forAnyone: dataForAnyone(link),
    enter: session.enter,
    ...(link.rate?.pass ? { spare: session.spare } : {}),
    leave: session.leave,
    wait: session.wait,
    opening: (isUrgent) => openingOf(link, isUrgent),
    under: (lease, request) => ccxtVenue(link, { ...access, hold: { now: lease.now, ...request } }),

    balances,
    readsTogether: !quirks.serial,
    ...orderReads(link, { account, session, hold, balances }),

    fills: (symbol, span) => readSpan({ session, quirks }, symbol, span),
    fillsOf: (symbol, orderIds, since) => readOrders({ session, quirks }, symbol, orderIds, since),

    create: (order, permit) => sendOrder({ link, session, market, quote: data.quote }, order, permit),
    cancel: (order, permit) => sendCancel({ session }, order, permit),
  };
}

const publicDataOf = new WeakMap<ExchangeLink, MarketData>();
/** Returns public data for callers without a token; it belongs to no account, so all venues of an exchange share it. */
function dataForAnyone(link: ExchangeLink): MarketData {
  const known = publicDataOf.get(link);
  if (known) return known;
  const { quirks, catalog } = link;
  const made: MarketData = {
    ...publicData(link, "anyone"),
    market: async (symbol) => readMarket(await catalog.forAnyone.fresh(symbol), quirks, undefined),
  };
  publicDataOf.set(link, made);
  return made;
}

/** Reads the account's orders, open or not. */
function orderReads(
  link: ExchangeLink,
  {
    account,
    session,
    hold,
    balances,
  }: Pick<AccountAccess, "account"> &
    Pick<Venue, "balances"> & {
      readonly session: PrivateSession;
      readonly hold: LeaseHold | undefined;
    },
): Pick<Venue, "openOrders" | "orders" | "order" | "endedOrders"> {
  const { quirks } = link;
  const describe = (order: Dict): VenueOrder => venueOrderOf(order, quirks, session.now());
  const describeAll = (orders: readonly Dict[], symbol?: Pair): OpenOrderList =>
    describeRows(orders, (order) => onPair(describe(order), symbol), quirks);
  const openOn = async (symbol: Pair) =>
    describeAll(
      await withoutOtherPairs(
        link,
        await session.read("openOrders", symbol, (exchange) => quirks.openOrders(exchange, symbol)),
        symbol,
      ),
      symbol,
    );
  const ofPass = openOfPass(link, session);

  const openOnAll = async () => {
    if (quirks.opensByPair)
      return openOnEveryPair(link, accountKey(account), { balances, openOrders: openOn });
    const list = (exchange: Ccxt) => quirks.openOrders(exchange, undefined);
    return describeAll(await withPairNames(link, await session.read("openOrders", undefined, list)));
  };

  return {
    async openOrders(symbol) {
      if (symbol === undefined) return openOnAll();
      return hold && !quirks.opensByPair ? describeAll(await ofPass(symbol), symbol) : openOn(symbol);
    },

    ...(quirks.orders
      ? {
          orders: async (symbol, ids) =>
            describeAll(await ordersById(link, session, symbol, ids)).filter(on(symbol)),
        }
      : {}),

    async endedOrders(symbol, since, page) {
      const now = session.now();
      const { rows, next } = await session.read("order", symbol, (exchange) =>
        quirks.ended(exchange, symbol, { since, now, page }),
      );
      const orders = describeAll(rows);
      // A strategy that recovers could have placed it.
      const lost = orders.unreadable?.find(({ clientId }) => clientId === null || isOurs(clientId));
      if (lost) throw new UnreadableError(lost.reason);
      return { orders: orders.filter(on(symbol)).filter(isClosedOrder), next };
    },

    async order({ symbol, id, clientId }) {
      const found = await session.read("order", symbol, async (exchange) => {
        const byId = id === undefined ? undefined : await quirks.byId(exchange, symbol, id);
        return byId ?? (clientId === undefined ? undefined : quirks.find(exchange, symbol, clientId));
      });
      if (!found) return undefined;
      const order = describe(found);
      if (order.symbol === symbol) return order;
      // An id can belong to another pair; our own id cannot.
      if (clientId === undefined && (await isOnListedPair(link, found))) return undefined;
      throw new UnreadableError(`${quirks.name} shows the order on another pair`);
    },
  };
}

/** Returns the orders that can be read, and what can be read of the others. */
function describeRows(
  orders: readonly Dict[],
  describe: (order: Dict) => VenueOrder,
  { clientIdOf }: Quirks,
): OpenOrderList {
  const unreadable: UnreadableOrder[] = [];
  const read = orders.flatMap((order) => {
    try {
      return [describe(order)];
    } catch (error) {
      const { id, info } = order;
      const clientId = isDict(info) ? clientIdOf(order) : undefined;
      const reason = error instanceof VenueError ? error.message : "the exchange's order cannot be read";
      unreadable.push({ id: typeof id === "string" ? id : null, clientId: clientId ?? null, reason });
      return [];
    }
  });
  return readableList(read, unreadable);
}

/** Returns an order of a list of one pair. Throws UnreadableError if the order names another pair. */
function onPair(order: VenueOrder, symbol: Pair | undefined): VenueOrder {
  if (symbol === undefined || order.symbol === symbol) return order;
  throw new UnreadableError("the exchange's symbol cannot be read");
}

/** Removes the orders on other pairs, because some exchanges list all pairs. What names no known pair stays. */
async function withoutOtherPairs(
  { catalog, quirks }: ExchangeLink,
  orders: readonly Dict[],
  symbol: Pair,
): Promise<readonly Dict[]> {
  if (orders.every((order) => order.symbol === symbol)) return orders;
  const names = await catalog.names();
  return orders.filter((order) => (names.get(String(quirks.marketIdOf(order))) ?? symbol) === symbol);
}

async function isOnListedPair({ catalog, quirks }: ExchangeLink, order: Dict): Promise<boolean> {
  return (await catalog.names()).has(String(quirks.marketIdOf(order)));
}

const on =
  (symbol: Pair) =>
  (order: VenueOrder): boolean =>
    order.symbol === symbol;

const isClosedOrder = ({ status }: VenueOrder): boolean => status !== "open" && status !== "partially_filled";

/** Reads orders in batches of the maximum size per call. */
async function ordersById(
  { quirks }: ExchangeLink,
  session: PrivateSession,
  symbol: Pair,
  ids: readonly string[],
): Promise<Dict[]> {
  const found: Dict[] = [];
  for (let first = 0; first < ids.length; first += BATCH) {
    const some = ids.slice(first, first + BATCH);
    const orders = await session.read("order", symbol, async (exchange) => quirks.orders?.(exchange, some));
    found.push(...(orders ?? []));
  }
  return found;
}

/** Reads one list of all pairs for every pair of a pass. Orders on unlisted pairs are ignored. */
function openOfPass({ quirks, catalog }: ExchangeLink, session: PrivateSession) {
  let all: Promise<readonly Dict[]> | undefined;
  const list = () =>
    session.read("openOrders", undefined, (exchange) =>
      quirks.openOrders(unreadLists(exchange, quirks), undefined),
    );

  return async function openOn(symbol: Pair): Promise<readonly Dict[]> {
    all ??= list().catch((error: unknown) => {
      all = undefined;
      throw error;
    });
    const orders = await all;
    if (orders.length === 0) return [];
    const names = await catalog.names();
    // An order whose pair cannot be read can be on this one; if it is ours, it is looked up.
    const mine = orders.filter((order) => {
      const id = quirks.marketIdOf(order);
      return typeof id !== "string" || names.get(id) === symbol;
    });
    return session.knowing(symbol, (exchange) =>
      mine.map((order) =>
        typeof quirks.marketIdOf(order) === "string"
          ? exchange.parseOrder(order.info, exchange.market(symbol))
          : { ...order, symbol: undefined },
      ),
    );
  };
}

/**
 * Returns the instance with lists of unparsed orders: a pass parses an order when its market is loaded. Parsing takes
 * most of a call's time.
 */
const unreadLists = (exchange: Ccxt, { marketIdOf }: Quirks): Ccxt =>
  Object.assign(Object.create(exchange), {
    parseOrders(rows: unknown): readonly Dict[] {
      if (!Array.isArray(rows))
        throw new CallFailed(noAnswer("the exchange's list of orders cannot be read"));
      return rows.map((info: unknown) => ({
        id: fieldOf(info, "orderId") ?? fieldOf(info, "id"),
        symbol: marketIdOf({ info }),
        info,
      }));
    },
  });

/**
 * Assigns orders of all pairs to pairs by the exchange's market id; ccxt only guesses if it lacks the market. An order
 * of a pair that the list lacks, such as a delisted one, gets this id as its pair.
 */
async function withPairNames(
  { catalog, quirks }: ExchangeLink,
  orders: readonly Dict[],
): Promise<readonly Dict[]> {
  if (orders.length === 0) return orders;
  const idOf = (order: Dict) => String(quirks.marketIdOf(order));
  const known = await catalog.names();
  const lacking = orders.map(idOf).find((id) => !known.has(id));
  const names = lacking === undefined ? known : await catalog.names(lacking);
  return orders.map((order) => {
    const id = quirks.marketIdOf(order);
    return { ...order, symbol: names.get(String(id)) ?? (typeof id === "string" ? id : undefined) };
  });
}

const LEARNED_FEE_CACHE_MS: Millis = HOUR;
/** A first buy can follow soon. */
const UNKNOWN_FEE_CACHE_MS: Millis = MINUTE;

/** Maximum number of accounts; keys in requests create accounts, and anybody can send new keys. */
const MAX_CACHED_ACCOUNTS = 1000;

/** Returns the asset of this account's fees for buys; if accounts of the exchange differ, its fills show it. */
export async function buyFeeIn(
  { quirks, keeping, local, buyFees }: ExchangeLink,
  account: AccountKey,
): Promise<Market["buyFeeIn"]> {
  if (quirks.buyFeeIn !== "unknown") return quirks.buyFeeIn;
  const known = buyFees.get(account);
  if (known && local.monotonic() < known.until) return known.asset;
  const asset = learned(await keeping.traded.buyFees(account));
  if (buyFees.size >= MAX_CACHED_ACCOUNTS) buyFees.clear();
  const storedFor = asset === "unknown" ? UNKNOWN_FEE_CACHE_MS : LEARNED_FEE_CACHE_MS;
  buyFees.set(account, { asset, until: local.monotonic() + storedFor });
  return asset;
}

/** Returns the fee asset of buys; a fee in a third asset, or no fee, gives no information. */
function learned(bought: readonly TradedFees[]): Market["buyFeeIn"] {
  for (const { symbol, fees } of bought) {
    const { base, quote } = splitPair(symbol);
    const assets = fees.map(({ asset }) => asset);
    if (assets.includes(base)) return "base";
    if (assets.includes(quote)) return "quote";
  }
  return "unknown";
}

interface Reads {
  balances(): Promise<Balances>;
  openOrders(symbol: Pair): Promise<OpenOrderList>;
}

/** Part of an order's cost that can be locked for its fee. */
const FEE_SHARE = 50n;
const MAX_PAIRS_READ = 20;

/**
 * Returns open orders of all pairs for an exchange that lists only one pair per request: pairs that were traded here,
 * and pairs whose base is locked. Locked balances that stay unexplained are reported: an order is on an unknown pair.
 */
export async function openOnEveryPair(
  { keeping, catalog, quirks }: ExchangeLink,
  account: AccountKey,
  reads: Reads,
): Promise<OpenOrderList> {
  const balances = await reads.balances();
  const found = new Map<Pair, OpenOrderList>();
  const listOn = async (symbols: readonly Pair[]) => {
    for (const symbol of symbols) if (!found.has(symbol)) found.set(symbol, await reads.openOrders(symbol));
  };
  const lacking = () => unexplained(balances, [...found.values()].flat());
  await listOn(await keeping.traded.symbols(account));
  if (lacking().length > 0) {
    const pairs = [...(await catalog.names()).values()];
    for (const asset of lacking())
      await listOn(pairs.filter((pair) => splitPair(pair).base === asset).slice(0, MAX_PAIRS_READ));
  }
  // Orders on pairs that nothing names: the list says that it lacks them.
  const unlisted = lacking().map(
    (asset): UnreadableOrder => ({
      id: null,
      clientId: null,
      reason: `${quirks.name} lists open orders of one pair at a time, and ${asset} is locked in orders on a pair that edgemaker never traded; name the pair`,
    }),
  );
  const lists = [...found.values()];
  return readableList(lists.flat(), [...lists.flatMap(({ unreadable = [] }) => unreadable), ...unlisted]);
}

function unexplained(balances: readonly Balance[], orders: readonly VenueOrder[]): string[] {
  const reserved = new Map<string, Decimal>();
  for (const { symbol, side, price, amount, filled } of orders) {
    const { base, quote } = splitPair(symbol);
    const [asset, part] =
      side === "buy" ? [quote, mul(price, amount - filled, "up")] : [base, amount - filled];
    reserved.set(asset, (reserved.get(asset) ?? ZERO) + part);
  }
  return balances
    .filter(({ asset, used }) => {
      const explained = reserved.get(asset) ?? ZERO;
      return used > explained + explained / FEE_SHARE;
    })
    .map(({ asset }) => asset);
}

/** Time until a failed request is retried. */
const FAILED_FEES_PAUSE = 10 * MINUTE;
const MAX_CACHED_FEES = 1000;

/** Reads this account's fees once a day; returns the last ones if the exchange does not return them now. */
export function accountFeeReader(link: ExchangeLink, account: AccountKey, session: PrivateSession) {
  const { keeping, log, local, quirks } = link;
  return async function feesFor(symbol: Pair): Promise<AccountFees> {
    if (!(await session.keys())) return undefined;
    const key = `${account} ${symbol}`;
    const known = link.fees.get(key);
    if (known && local.monotonic() < known.until) return known.rates;
    const kept = await keeping.markets.fees(account, symbol);
    if (kept && kept.age < DAY) return remember(key, kept.value, DAY - kept.age);
    try {
      const rates = readFeeRates(
        await session.read("fee", symbol, (exchange) => exchange.fetchTradingFee(symbol)),
      );
      await keeping.markets.keepFees(account, symbol, rates);
      return remember(key, rates, DAY);
    } catch (error) {
      if (!(error instanceof VenueError)) throw error;
      if (error instanceof BudgetSpent) return kept?.value ?? "unread";
      log("warn", `${quirks.name} does not show this account's fees`, { symbol, reason: error.message });
      return remember(key, kept?.value ?? "unread", FAILED_FEES_PAUSE);
    }
  };

  function remember(key: string, rates: NonNullable<AccountFees>, span: number): NonNullable<AccountFees> {
    if (link.fees.size >= MAX_CACHED_FEES) link.fees.clear();
    link.fees.set(key, { rates, until: local.monotonic() + span });
    return rates;
  }
}
