/** The matching engine behind all four emulated exchanges: accounts, books, executions; no HTTP. */
import {
  type Decimal,
  decimal,
  div,
  max,
  min,
  mul,
  ONE,
  roundToStep,
  ZERO,
} from "../../src/kernel/decimal.ts";
import type { Pair } from "../../src/kernel/pair.ts";
import type { Millis } from "../../src/kernel/time.ts";
import type { Candle, Side } from "../../src/model/market.ts";
import { type Account, free, holding, newAccount } from "./account.ts";
import type { Listing } from "./catalog.ts";
import type { Execution, Order, OrderRequest, Refusal, StopWords } from "./order.ts";
import { ambient, createPrices, type Prices } from "./prices.ts";

const DUST = decimal("0.00000001");

export interface EngineOptions {
  readonly listings: Map<Pair, Listing>;
  readonly clock: () => Millis;
  readonly ids: { readonly order: (number: number) => string; readonly trade: (number: number) => string };
  readonly maxOpen: number;
  /** An order that may only rest, and would take, is accepted and then cancelled; otherwise it is refused. */
  readonly cancelsTaking?: boolean | undefined;
  /** The asset a buy's fee is taken in when the order does not say; a sell's is quote. */
  readonly buyFeeIn: "base" | "quote";
}

/** What streams push: an execution, an order that rests or is canceled, another price. */
export type Change =
  | { readonly kind: "trade"; readonly execution: Execution }
  | { readonly kind: "order"; readonly order: Order }
  | { readonly kind: "price"; readonly listing: Listing };

export type Engine = ReturnType<typeof createEngine>;

export function createEngine(options: EngineOptions) {
  const { listings, clock, ids } = options;
  const prices: Prices = createPrices(listings, clock);
  const accounts: Account[] = [];
  const byId = new Map<string, Order>();
  const books = new Map<Pair, Set<Order>>([...listings.keys()].map((symbol) => [symbol, new Set()]));
  const executions: Execution[] = [];
  const histories = new Map<Pair, readonly Candle[]>();
  const settings = {
    /** How late reads show what is new. */
    ordersLate: 0 as Millis,
    tradesLate: 0 as Millis,
    /** A third asset that fees are taken in, with its price in quote. */
    deduct: undefined as Deduction | undefined,
    maxOpen: options.maxOpen,
    /** Decimals in which an asset is credited, where they are fewer than a trade's. */
    decimals: new Map<string, number>(),
  };
  const credited = (asset: string, amount: Decimal): Decimal => {
    const decimals = settings.decimals.get(asset);
    return decimals === undefined ? amount : roundToStep(amount, ONE / 10n ** BigInt(decimals), "down");
  };
  /** Orders of one account that have traded with each other: the one that came, the one that rested. */
  const selfTrades: [Order, Order][] = [];
  let numbers = 0;
  const listeners = new Set<(change: Change) => void>();
  const emit = (change: Change) => {
    for (const listener of listeners) listener(change);
  };

  const bookOf = (symbol: Pair) => books.get(symbol) as Set<Order>;

  function execute(
    order: Order,
    price: Decimal,
    amount: Decimal,
    maker: boolean,
    notional = mul(price, amount, "half"),
  ) {
    const { listing, account, side } = order;
    remember(order);
    order.filled += amount;
    order.notional += notional;
    order.updatedAt = clock();
    if (!account) return finish(order);
    const rate = maker ? listing.maker : listing.taker;
    const fee = feeOf(order, { notional, amount, rate, deduct: settings.deduct });
    order.fee += fee;
    const feeIn = (asset: string) => (order.feeIn === asset ? fee : ZERO);
    const { base, quote } = listing;
    if (side === "buy") {
      holding(account, base).total += credited(base, amount - feeIn(base));
      holding(account, quote).total -= notional + feeIn(quote);
    } else {
      holding(account, base).total -= amount + feeIn(base);
      holding(account, quote).total += credited(quote, notional - feeIn(quote));
    }
    if (order.feeIn !== base && order.feeIn !== quote) holding(account, order.feeIn).total -= fee;
    release(order);
    const at = clock();
    const number = ++numbers;
    const execution: Execution = {
      number,
      id: ids.trade(number),
      order,
      price,
      amount,
      notional,
      fee: { asset: order.feeIn, amount: fee },
      maker,
      at,
      visibleAt: at + settings.tradesLate,
    };
    executions.push(execution);
    finish(order);
    emit({ kind: "trade", execution });
  }

  // What stays set aside is what the rest may still cost.
  function release(order: Order) {
    if (!order.account) return;
    const rest = order.status === "open" ? order.amount - order.filled : ZERO;
    const needed = rest === ZERO || order.cost !== undefined ? ZERO : reserveFor(order, rest);
    holding(order.account, reservedAsset(order)).used += needed - order.reserved;
    order.reserved = needed;
  }

  function finish(order: Order) {
    if (order.cost !== undefined) order.amount = order.filled;
    else if (order.filled >= order.amount && order.status === "open") end(order, "filled");
  }

  function remember({ was, amount, filled, notional, fee, status, updatedAt }: Order) {
    if (settings.ordersLate === 0) return;
    const until = clock() + settings.ordersLate;
    was.push({ until, amount, filled, notional, fee, status, updatedAt });
  }

  function end(order: Order, status: "filled" | "canceled") {
    remember(order);
    order.status = status;
    order.updatedAt = clock();
    release(order);
    order.account?.open.delete(order.id);
    bookOf(order.listing.symbol).delete(order);
    if (status === "canceled") emit({ kind: "order", order });
  }

  /** Opposite orders an order may meet, best first, older first; its own account's among them. */
  function opposite(order: Order): Order[] {
    return [...bookOf(order.listing.symbol)]
      .filter((one) => one.side !== order.side)
      .filter((one) => order.type === "market" || reaches(order.side, order.price, one.price))
      .sort((a, b) => {
        if (a.price === b.price) return a.number - b.number;
        return a.price < b.price === (order.side === "buy") ? -1 : 1;
      });
  }

  // Other people's orders meet only what accounts rest: the ambient depth is other people's already.
  function take(order: Order) {
    const levels: { price: Decimal; amount: Decimal; maker?: Order }[] = opposite(order).map((maker) => ({
      price: maker.price,
      amount: maker.amount - maker.filled,
      maker,
    }));
    if (order.account) levels.push(...ambientLevels(order));
    levels.sort((a, b) => (a.price === b.price ? 0 : a.price < b.price === (order.side === "buy") ? -1 : 1));
    for (const { price, amount, maker } of levels) {
      const expected = rest(order, price);
      const met = min(expected, amount);
      if (met <= ZERO) break;
      if (maker && order.account && maker.account === order.account) {
        if (order.stp === "taker") return end(order, "canceled");
        selfTrades.push([order, maker]);
      }
      execute(order, price, met, false);
      if (maker) execute(maker, price, met, true);
    }
  }

  function rest(order: Order, price: Decimal): Decimal {
    if (order.cost === undefined) return order.amount - order.filled;
    return roundToStep(div(order.cost - order.notional, price, "down"), order.listing.lot, "down");
  }

  function ambientLevels(order: Order) {
    const { bids, asks } = ambient(order.listing, prices, clock());
    const levels = order.side === "buy" ? asks : bids;
    return order.type === "market"
      ? levels
      : levels.filter(({ price }) => reaches(order.side, order.price, price));
  }

  const make = (account: Account | undefined, request: OrderRequest): Order => {
    const number = ++numbers;
    const { listing, side, clientId, type, force, stp = "none", price, amount, byCost } = request;
    const standard = side === "buy" && options.buyFeeIn === "base" ? listing.base : listing.quote;
    return {
      number,
      id: ids.order(number),
      clientId,
      account,
      listing,
      side,
      type,
      force,
      stp,
      price: type === "limit" ? price : ZERO,
      amount: byCost ? ZERO : amount,
      cost: byCost ? amount : undefined,
      feeIn: settings.deduct?.asset ?? request.feeIn ?? standard,
      filled: ZERO,
      notional: ZERO,
      fee: ZERO,
      reserved: ZERO,
      status: "open",
      at: clock(),
      updatedAt: clock(),
      visibleAt: clock() + settings.ordersLate,
      hidesFee: false,
      was: [],
    };
  };

  /** Takes an order in: it meets what it reaches, and rests if it may. */
  function place(account: Account, request: OrderRequest): Order | Refusal {
    const refused = refusal(account, request, {
      maxOpen: settings.maxOpen,
      price: prices.now(request.listing.symbol),
    });
    if (refused) return refused;
    const order = make(account, request);
    const takes = order.force === "maker" && (opposite(order).length > 0 || ambientLevels(order).length > 0);
    if (takes && !options.cancelsTaking) return "would_take";
    account.orders.push(order);
    account.open.set(order.id, order);
    const same = account.byClientId.get(order.clientId);
    if (order.clientId !== "" && same) same.push(order);
    else if (order.clientId !== "") account.byClientId.set(order.clientId, [order]);
    byId.set(order.id, order);
    release(order);
    if (takes) end(order, "canceled");
    else take(order);
    if (order.status === "canceled") return order;
    if (order.cost !== undefined) end(order, "filled");
    else if (order.status === "open" && (order.type === "market" || order.force !== "gtc"))
      order.force === "maker" ? bookOf(order.listing.symbol).add(order) : end(order, "canceled");
    else if (order.status === "open") bookOf(order.listing.symbol).add(order);
    if (order.status === "open") emit({ kind: "order", order });
    return order;
  }

  /** Sets the price; resting orders of accounts that it reaches fill whole, at their own price. */
  function move(symbol: Pair, price: Decimal) {
    prices.set(symbol, price);
    for (const order of [...bookOf(symbol)]) {
      if (!order.account || order.status !== "open") continue;
      if (order.side === "buy" ? price <= order.price : price >= order.price)
        execute(order, order.price, order.amount - order.filled, true);
    }
    emit({ kind: "price", listing: listings.get(symbol) as Listing });
  }

  return {
    listings,
    clock,
    prices,
    /** Minutes of pairs whose past is given, ascending; what is missing nobody has traded in. */
    histories,
    accounts,
    executions,
    selfTrades,
    settings,
    /** Called with each change, as it happens. */
    listeners,
    place,
    move,

    addAccount(balances: Readonly<Record<string, string>>): Account {
      const account = newAccount(accounts.length + 1, balances);
      accounts.push(account);
      return account;
    },

    /** An order that waits for a price outside the book. */
    placeStop(account: Account, request: OrderRequest, stop: StopWords): Order {
      const order: Order = { ...make(account, request), stop };
      account.orders.push(order);
      account.open.set(order.id, order);
      byId.set(order.id, order);
      release(order);
      return order;
    },

    /** Undefined when it is none of the account's, or not open any more. */
    cancel(account: Account, id: string): Order | undefined {
      const order = account.open.get(id);
      if (order) end(order, "canceled");
      return order;
    },

    /** Someone else's order: takes what accounts rest, then rests itself. */
    placeOther(request: OrderRequest): Order {
      const order = make(undefined, request);
      take(order);
      if (order.status === "open") bookOf(order.listing.symbol).add(order);
      return order;
    },

    /** Someone meets a resting order, whole or in part, at its price. */
    fill(id: string, amount?: Decimal) {
      const order = byId.get(id);
      if (order?.status !== "open") throw new Error(`no open order ${id}`);
      execute(order, order.price, min(amount ?? ONE * ONE, order.amount - order.filled), true);
    },

    /** Someone meets so little of a resting order that its cost rounds to nothing. */
    dust(id: string) {
      const order = byId.get(id);
      if (order?.status === "open") execute(order, order.price, DUST, true, ZERO);
    },

    order: (id: string): Order | undefined => byId.get(id),
    resting: (symbol: Pair): Order[] => [...bookOf(symbol)],

    deposit(account: Account, asset: string, amount: Decimal) {
      const balance = holding(account, asset);
      balance.total = max(balance.used, balance.total + amount);
    },
  };
}

export const reaches = (side: Side, limit: Decimal, price: Decimal): boolean =>
  side === "buy" ? price <= limit : price >= limit;

export const reservedAsset = ({ side, listing }: Order) => (side === "buy" ? listing.quote : listing.base);

/** What a resting amount of the order still may cost. */
export function reserveFor(order: Order, amount: Decimal): Decimal {
  const { side, listing, price, type } = order;
  if (side === "sell") return amount;
  if (type === "market") return ZERO;
  const notional = mul(price, amount, "up");
  return order.feeIn === listing.quote
    ? mul(notional, ONE + max(listing.maker, listing.taker), "up")
    : notional;
}

/** Decimals of a fee: exchanges do not charge finer than this. */
const FEE_UNIT = decimal("0.0000000001");

export interface Deduction {
  readonly asset: string;
  /** In quote. */
  readonly price: Decimal;
}

interface Charged {
  readonly notional: Decimal;
  readonly amount: Decimal;
  readonly rate: Decimal;
  readonly deduct: Deduction | undefined;
}

export function feeOf(order: Order, { notional, amount, rate, deduct }: Charged): Decimal {
  if (deduct && order.feeIn === deduct.asset)
    return roundToStep(div(mul(notional, rate, "up"), deduct.price, "up"), FEE_UNIT, "up");
  return roundToStep(mul(order.feeIn === order.listing.base ? amount : notional, rate, "up"), FEE_UNIT, "up");
}

/** Why an exchange does not take an order; undefined when it does. */
export function refusal(
  account: Account,
  request: OrderRequest,
  now: { readonly maxOpen: number; readonly price: Decimal },
): Refusal | undefined {
  const { listing, side, type, price, amount, byCost } = request;
  if (!listing.active) return "market_closed";
  if (type === "limit" && (price <= ZERO || price % listing.tick !== ZERO)) return "tick";
  if (!byCost && amount % listing.lot !== ZERO) return "lot";
  if (amount <= ZERO || (!byCost && amount < listing.minAmount)) return "min_amount";
  const notional = byCost ? amount : mul(type === "limit" ? price : now.price, amount, "half");
  if (notional < listing.minNotional) return "min_notional";
  const resting = [...account.open.values()].filter((order) => order.listing === listing).length;
  if (resting >= now.maxOpen) return "too_many";
  const asset = side === "buy" ? listing.quote : listing.base;
  const needed = side === "sell" ? amount : byCost ? amount : mul(notional, ONE + listing.taker, "up");
  return free(account, asset) < needed ? "funds" : undefined;
}
