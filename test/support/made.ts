// Values as the engine passes them on, each of them plain but for what a test says of it.
import { judgeEnding } from "../../src/engine/decide/ending.ts";
import type { StrategyPass } from "../../src/engine/decide/intents.ts";
import { judgeLoss } from "../../src/engine/decide/loss.ts";
import type { MarketSnapshot, Observation } from "../../src/engine/reconcile/reconcile.ts";
import { gridKind } from "../../src/grid/kind.ts";
import { clientOrderId, type OrderKey, strategyTag } from "../../src/kernel/ids.ts";
import type { Bounds, Limits } from "../../src/model/limits.ts";
import type { BidAsk } from "../../src/model/market.ts";
import { type Fill, NEW_ORDER, type Order } from "../../src/model/order.ts";
import type { Strategy } from "../../src/model/strategy.ts";
import type { Kind } from "../../src/ports/kind.ts";
import type { Snapshot } from "../../src/ports/stores/pass-store.ts";
import type { Timing, VenueFill, VenueOrder } from "../../src/ports/venue.ts";
import { d, market, slot, state } from "./grid.ts";

export const SYMBOL = "BTC/USDT";
export const ACCOUNT = "live:kraken:api.kraken.com";
/** The number of the grid `g`, by which its orders are known. */
export const NUMBER = 1_700_000_000_000;
/** Well after everything that happens in a test that says nothing else. */
export const NOW = 10_000_000;

export const idOf = (over: Partial<OrderKey> = {}): string =>
  clientOrderId({ tag: strategyTag(NUMBER), generation: 0, slot: 0, serial: 0, ...over });

export const TIMING: Timing = {
  leaseTtl: 45_000,
  requestTimeout: 10_000,
  expiry: 5_000,
  skew: 1_000,
  readLag: 60_000,
  secondMiss: 20_000,
  overlap: 2_000,
  tradesEvery: 0,
  backoff: { first: 15_000, max: 300_000 },
};

/** A buy of 2 at 100 by the grid `g`, which its exchange calls `x1` and which rests there. */
export const order = (over: Partial<Order> = {}): Order => ({
  ...NEW_ORDER,
  clientId: idOf(over.slot === undefined ? {} : { slot: over.slot }),
  account: ACCOUNT,
  strategy: "g",
  kind: "slot",
  generation: 0,
  slot: 0,
  symbol: SYMBOL,
  side: "buy",
  type: "limit",
  price: d("100"),
  amount: d("2"),
  timeInForce: "post_only",
  state: "open",
  exchangeId: "x1",
  createdAt: 1_000,
  sendBy: 40_000,
  notAfter: 51_000,
  ...over,
});

/** The same order as the exchange tells it. */
export const reportedOrder = (over: Partial<VenueOrder> = {}): VenueOrder => ({
  id: "x1",
  clientId: idOf(),
  symbol: SYMBOL,
  side: "buy",
  type: "limit",
  price: d("100"),
  amount: d("2"),
  filled: 0n,
  status: "open",
  at: 1_500,
  ...over,
});

/** The order has filled, and the exchange tells what it came to. */
export const describeFilled = (over: Partial<VenueOrder> = {}): VenueOrder =>
  reportedOrder({
    filled: d("2"),
    notional: d("200"),
    fees: [{ asset: "USDT", amount: d("0.2") }],
    status: "filled",
    ...over,
  });

/** An execution of 1 of that order, at 100, with a fee of 0.1. */
export const trade = (over: Partial<VenueFill> = {}): VenueFill => ({
  id: "t1",
  orderId: "x1",
  symbol: SYMBOL,
  side: "buy",
  price: d("100"),
  amount: d("1"),
  notional: d("100"),
  fees: [{ asset: "USDT", amount: d("0.1") }],
  at: 2_000,
  ...over,
});

/** The same as it is booked. */
export const fill = (over: Partial<Fill> = {}): Fill => ({
  account: ACCOUNT,
  symbol: SYMBOL,
  tradeId: "t1",
  clientId: idOf(),
  strategy: "g",
  side: "buy",
  price: d("100"),
  amount: d("1"),
  notional: d("100"),
  fees: [{ asset: "USDT", amount: d("0.1") }],
  at: 2_000,
  superseded: false,
  ...over,
});

export const quote = (over: Partial<BidAsk> = {}): BidAsk =>
  ({ symbol: SYMBOL, bid: d("104"), ask: d("106"), last: d("105"), at: NOW, ...over }) as BidAsk;

/** A market whose trades were read, and which told none. */
export const observedMarket = (over: Partial<MarketSnapshot> = {}): MarketSnapshot => ({
  market: market(),
  quote: quote(),
  error: null,
  open: [],
  tradesRead: true,
  trades: [],
  unreadable: [],
  reading: undefined,
  ...over,
});

type Received = Partial<Omit<Observation, "reports">> & {
  readonly reports?: Readonly<Record<string, VenueOrder | "missing">>;
};

/** A pass that has seen one market, and of orders nothing but what is said. */
export const observation = (
  of: Partial<MarketSnapshot> = {},
  { reports = {}, ...over }: Received = {},
): Observation => ({
  markets: new Map([[SYMBOL, observedMarket(of)]]),
  reports: new Map(Object.entries(reports)),
  balances: undefined,
  balancesFirst: false,
  refused: new Map(),
  found: [],
  unlooked: new Map(),
  foreign: [],
  late: [],
  timing: TIMING,
  ...over,
});

/** The running grid `g` of two slots, in epoch 1. */
export const strategy = (over: Partial<Strategy> = {}): Strategy =>
  ({
    id: "g",
    kind: "grid",
    version: 1,
    number: NUMBER,
    account: ACCOUNT,
    symbol: SYMBOL,
    config: {},
    state: state([slot(), slot({ index: 1, lower: d("110"), upper: d("120"), side: "sell" })], { epoch: 1 }),
    wants: "run",
    keepOrders: false,
    sellBase: false,
    status: "running",
    phase: "active",
    lastError: null,
    startedAt: 500,
    stoppedAt: null,
    epoch: 1,
    resumes: 0,
    request: null,
    ...over,
  }) as Strategy;

/** What the database holds of the account: the grid `g`, and whatever else is said. */
export const snapshot = (over: Partial<Snapshot> = {}): Snapshot =>
  ({
    lease: { account: ACCOUNT, token: 1, owner: "one", now: NOW, until: NOW + TIMING.leaseTtl },
    kill: { on: false },
    strategies: [strategy()],
    orders: [],
    cursors: {},
    booked: {},
    memory: { baseline: null, moved: {}, balances: null, marks: {} },
    failures: 0,
    epoch: 1,
    limits: {},
    limitUses: [],
    ...over,
  }) as unknown as Snapshot;

/** Limits of an account of which nothing has been used. */
export const bounds = (limits: Limits = {}, version = 1): Bounds => ({
  standings: {
    version,
    all: [
      { scope: "every", actor: null, limits, used: { now: NOW, today: {}, openOrders: 0, lastAt: null } },
    ],
  },
  now: undefined,
});

/** The check of a pass: a strategy's loss and its end, without limits of the account. */
export const judged =
  (kind: Pick<Kind, "name" | "holdings" | "accounts">): StrategyPass["judge"] =>
  (one, quote, atMarket) => {
    const after = judgeLoss(kind as Kind, one, { quote, bounds: bounds(), accountLoss: null });
    return atMarket ? judgeEnding(kind, after, atMarket) : after;
  };

/** A turn in which everything is known, free and allowed. */
export const turn = (over: Partial<StrategyPass> = {}): StrategyPass => ({
  kind: gridKind as StrategyPass["kind"],
  observed: observedMarket(),
  now: NOW,
  interval: 60_000,
  isSimulated: false,
  window: { sendBy: NOW + 35_000, notAfter: NOW + 51_000 },
  funds: { USDT: d("10000"), BTC: d("100") },
  doubted: new Set(),
  capital: undefined,
  confidence: undefined,
  ownBase: { least: 0n, isSure: true },
  resting: [],
  killed: false,
  panics: false,
  orphan: null,
  stranger: null,
  unshown: null,
  epoch: 1,
  clears: false,
  isWaiting: false,
  readAt: undefined,
  timing: TIMING,
  limit: 100,
  slow: null,
  bounds: bounds(),
  judge: (one) => one,
  ...over,
});
