import { messageOf, StoreError, VenueError } from "../../errors.ts";
import { div, mul, ZERO } from "../../kernel/decimal.ts";
import type { Pair } from "../../kernel/pair.ts";
import { MINUTE, type Millis, SECOND } from "../../kernel/time.ts";
import type {
  AccountRef,
  CancelOutcome,
  CreateOutcome,
  NewOrder,
  Permit,
  Timing,
  Venue,
  VenueOrder,
} from "../../ports.ts";
import { applied, type BookChange, type BookedOrder, type Books, type VenueBooks } from "./books.ts";
import { depthAt, MOST_LEVELS } from "./depth.ts";
import { type MarketClock, marketTime } from "./market-clock.ts";
import { type Listed, type Rules, settle } from "./matching.ts";
import type { Shock } from "./path.ts";
import { cancel, place } from "./placing.ts";
import { candlesAt, tickerAt, tradesAt } from "./prints.ts";

/** The venue refuses late requests itself, so nothing arrives after its time and nothing is shown late. */
export const SANDBOX_TIMING: Timing = {
  leaseTtl: 5 * SECOND,
  requestTimeout: 2 * SECOND,
  expiry: 0,
  skew: 0,
  readLag: 0,
  secondMiss: 0,
  overlap: MINUTE,
  backoff: { first: SECOND, most: SECOND },
};

type Shocks = Readonly<Record<string, readonly Shock[]>>;

export interface Simulation {
  readonly account: AccountRef;
  /** Which of the real venues it stands for. */
  readonly venue: string;
  readonly books: Books;
  readonly clock: MarketClock;
  readonly listings: (venue: string, symbol: Pair, shocks: Shocks) => Listed | undefined;
  readonly rules: Rules;
  readonly timing: Timing;
}

interface Moment {
  readonly books: VenueBooks;
  readonly now: Millis;
  readonly at: Millis;
  readonly listed: (symbol: Pair) => Listed;
}

/** A simulated venue: each call first lets resting orders meet the price up to now. */
export function simulatedVenue(simulation: Simulation): Venue {
  const { account, books, timing } = simulation;
  const exchange = account.exchange;
  const settled = () => settledMoment(simulation);
  const withMarket = async <T>(symbol: Pair, read: (listed: Listed, at: Millis) => T): Promise<T> => {
    const { now, shocks, settledAt } = await reading(books.time(exchange));
    return read(listing(simulation, symbol, shocks), marketNow(simulation, now, settledAt));
  };

  return {
    account,
    timing,
    market: async (symbol) => listing(simulation, symbol, {}).market,
    ticker: (symbol) => withMarket(symbol, ({ market, path }, at) => tickerAt(market, path, at)),
    book: (symbol, limit) =>
      withMarket(symbol, ({ market, path }, at) => depthAt(market, path.at(at), at, limit)),
    trades: (symbol, limit) =>
      withMarket(symbol, ({ market, path }, at) => tradesAt(market, path, at, limit)),
    candles: (symbol, range) =>
      withMarket(symbol, ({ market, path }, at) => candlesAt(market, path, at, range)),

    async balances() {
      const { books: now } = await settled();
      return Object.entries(now.holdings).map(([asset, { total, used }]) => ({
        asset,
        free: total - used,
        used,
      }));
    },

    async openOrders(symbol) {
      const { books: now } = await settled();
      return now.open.filter((order) => symbol === undefined || order.symbol === symbol).map(told);
    },

    async order({ symbol, ...key }) {
      await settled();
      const found = await reading(books.order(exchange, key));
      return found && found.symbol === symbol ? told(found) : undefined;
    },

    async fills(symbol, since) {
      await settled();
      const fills = await reading(books.fills(exchange, symbol, since));
      return fills.map(({ fee, ...fill }) => ({
        ...fill,
        notional: mul(fill.price, fill.amount, "half"),
        fees: fee.amount === ZERO ? [] : [fee],
      }));
    },

    create: (order, permit) => create(simulation, order, permit),
    cancel: (order, permit) => cancelOne(simulation, order, permit),
  };
}

function listing({ listings, venue, account }: Simulation, symbol: Pair, shocks: Shocks): Listed {
  const found = listings(venue, symbol, shocks);
  if (!found) throw new VenueError("unlisted", `${symbol} is not listed on ${account.exchange}`);
  return found;
}

async function moment(simulation: Simulation): Promise<Moment> {
  const { books, now, shocks } = await reading(simulation.books.load(simulation.account.exchange));
  const listed = (symbol: Pair) => listing(simulation, symbol, shocks);
  return { books, now, listed, at: marketNow(simulation, now, books.settledAt) };
}

// Another process may have settled a moment later than this one has read the clock.
const marketNow = ({ clock }: Simulation, now: Millis, settledAt: Millis): Millis =>
  Math.max(marketTime(clock, now), settledAt);

/** Walking a long quiet path again and again costs more than writing down that it was quiet. */
const QUIET: Millis = 240 * MINUTE;
const ATTEMPTS = 50;

async function settledMoment(simulation: Simulation): Promise<Moment> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const seen = await moment(simulation);
    const change = settlement(simulation, seen);
    if (!change) return seen;
    if (await reading(simulation.books.commit(simulation.account.exchange, seen.books.version, change))) {
      return { ...seen, books: applied(seen.books, change) };
    }
  }
  throw new VenueError("unavailable", "the simulated venue is too busy");
}

function settlement({ rules }: Simulation, { books, at, listed }: Moment): BookChange | undefined {
  const change = settle(books, at, (symbol) => listed(symbol as Pair), rules);
  if (change || at - books.settledAt < QUIET) return change;
  return { settledAt: at, orders: [], fills: [], holdings: {} };
}

async function create(simulation: Simulation, order: NewOrder, permit: Permit): Promise<CreateOutcome> {
  const exchange = simulation.account.exchange;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const seen = await settledMoment(simulation).catch(notReached);
    if (!("books" in seen)) return { result: "not_sent" };
    if (!permit.mayLeave()) return { result: "not_sent" };
    if (seen.now > permit.sendBy) return { result: "rejected", reason: "expired before it arrived" };
    const { market, path } = seen.listed(order.symbol);
    const { bids, asks } = depthAt(market, path.at(seen.at), seen.at, MOST_LEVELS);
    const change = place(seen.books, order, {
      market,
      levels: order.side === "buy" ? asks : bids,
      at: seen.at,
    });
    if ("rejected" in change) return { result: "rejected", reason: change.rejected };
    try {
      if (await simulation.books.commit(exchange, seen.books.version, change, permit.sendBy)) {
        return { result: "accepted", id: (change.orders[0] as BookedOrder).id };
      }
    } catch (error) {
      return { result: "unknown", reason: messageOf(error) };
    }
  }
  return { result: "not_sent" };
}

async function cancelOne(
  simulation: Simulation,
  { symbol, id }: { symbol: Pair; id: string },
  permit: Permit,
): Promise<CancelOutcome> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const seen = await settledMoment(simulation).catch(notReached);
    if (!("books" in seen)) return { result: "not_sent" };
    if (!permit.mayLeave()) return { result: "not_sent" };
    const change = cancel(seen.books, id, { market: seen.listed(symbol).market, at: seen.at });
    if (!change) return { result: "look" };
    try {
      if (await simulation.books.commit(simulation.account.exchange, seen.books.version, change))
        return { result: "accepted" };
    } catch (error) {
      return { result: "unknown", reason: messageOf(error) };
    }
  }
  return { result: "not_sent" };
}

const notReached = (error: unknown): { readonly failed: unknown } => {
  if (error instanceof VenueError && error.failure === "unavailable") return { failed: error };
  throw error;
};

const reading = <T>(read: Promise<T>): Promise<T> =>
  read.catch((error: unknown) => {
    if (error instanceof StoreError)
      throw new VenueError("unavailable", "the simulated venue cannot be reached", { cause: error });
    throw error;
  });

function told({
  id,
  clientId,
  symbol,
  side,
  type,
  price,
  amount,
  filled,
  notional,
  fee,
  status,
  at,
}: BookedOrder): VenueOrder {
  return {
    id,
    clientId,
    symbol,
    side,
    type,
    amount,
    filled,
    status,
    at,
    notional,
    price: type === "market" && filled > ZERO ? div(notional, filled, "half") : price,
    fees: filled > ZERO ? [fee] : [],
  };
}
