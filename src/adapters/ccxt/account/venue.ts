import { VenueError } from "../../../kernel/errors.ts";
import type { Pair } from "../../../kernel/pair.ts";
import { type AccountRef, accountKey } from "../../../model/account.ts";
import type { MarketData } from "../../../ports/market.ts";
import type { Venue, VenueOrder } from "../../../ports/venue.ts";
import { type Ccxt, type Dict, fieldOf } from "../client/ccxt.ts";
import type { Quirks } from "../client/quirks.ts";
import { CallFailed, noAnswer } from "../client/refusals.ts";
import { buyFeeIn } from "./buy-fee.ts";
import { openOnEveryPair } from "./every-pair.ts";
import type { ExchangeLink } from "./exchange-link.ts";
import { accountFeeReader } from "./fees.ts";
import { readOrders, readSpan } from "./fills.ts";
import { publicData } from "./public-data.ts";
import { balancesOf, readMarket, venueOrderOf } from "./reading.ts";
import { sendCancel, sendOrder } from "./send-order.ts";
import { createSession, type LeaseHold, type PrivateSession, type SessionCaller } from "./session.ts";
import { openingOf } from "./spending.ts";

export interface AccountAccess extends Omit<SessionCaller, "account"> {
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
    return readMarket(fresh, { buyFeeIn: asset }, await fees(symbol));
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
  const openOn = async (symbol: Pair) =>
    (await session.read("openOrders", symbol, (exchange) => quirks.openOrders(exchange, symbol))).map(
      describe,
    );
  const ofPass = openOfPass(link, session);

  const openOnAll = async () => {
    if (quirks.opensByPair)
      return openOnEveryPair(link, accountKey(account), { balances, openOrders: openOn });
    const list = (exchange: Ccxt) => quirks.openOrders(exchange, undefined);
    return (await withPairNames(link, await session.read("openOrders", undefined, list))).map(describe);
  };

  return {
    async openOrders(symbol) {
      if (symbol === undefined) return openOnAll();
      return hold && !quirks.opensByPair ? (await ofPass(symbol)).map(describe) : openOn(symbol);
    },

    ...(quirks.orders
      ? {
          orders: async (symbol, ids) =>
            (await ordersById(link, session, symbol, ids)).map(describe).filter(on(symbol)),
        }
      : {}),

    async endedOrders(symbol, since, page) {
      const now = session.now();
      const { rows, next } = await session.read("order", symbol, (exchange) =>
        quirks.ended(exchange, symbol, { since, now, page }),
      );
      return { orders: rows.map(describe).filter(on(symbol)).filter(isClosedOrder), next };
    },

    async order({ symbol, id, clientId }) {
      const found = await session.read("order", symbol, async (exchange) => {
        const byId = id === undefined ? undefined : await quirks.byId(exchange, symbol, id);
        return byId ?? (clientId === undefined ? undefined : quirks.find(exchange, symbol, clientId));
      });
      const order = found && describe(found);
      return order?.symbol === symbol ? order : undefined;
    },
  };
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
    const mine = orders.filter((order) => names.get(String(quirks.marketIdOf(order))) === symbol);
    return session.knowing(symbol, (exchange) =>
      mine.map(({ info }) => exchange.parseOrder(info, exchange.market(symbol))),
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

/** Assigns orders of all pairs to pairs by the exchange's market id; ccxt only guesses if it lacks the market. */
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
    const symbol = names.get(idOf(order));
    if (!symbol) throw new VenueError("unavailable", `${quirks.name} shows an order on an unknown pair`);
    return { ...order, symbol };
  });
}
