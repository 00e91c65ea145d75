/**
 * A kind of strategy. It decides which orders should be open and books fills, and it plans, describes and reports its
 * strategies. The engine ensures that each order exists once.
 */

import type * as z from "zod";
import type { Decimal } from "../kernel/decimal.ts";
import type { Pair } from "../kernel/pair.ts";
import type { Soon } from "../kernel/soon.ts";
import type { Millis } from "../kernel/time.ts";
import type { Event } from "../model/events.ts";
import type { Bounds, LargestOrders, Limits, LimitTerms } from "../model/limits.ts";
import type { BidAsk, Book, Market } from "../model/market.ts";
import type { CandleSeries, CandleSource, Elsewhere } from "../model/memory.ts";
import type {
  Capital,
  Draft,
  Fill,
  Funds,
  LeaseWindow,
  MeasuredFill,
  Order,
  OwnBase,
  Resting,
} from "../model/order.ts";
import type { Exposure } from "../model/proposal.ts";
import type {
  Accounts,
  PairAmounts,
  Reserve,
  Strategy,
  StrategyConfig,
  StrategyState,
} from "../model/strategy.ts";
import type { ConfigForm } from "./config-form.ts";
import type { StrategyLog } from "./definition.ts";
import type { ConfiguredExchanges, OtherPrices } from "./exchanges.ts";
import type { KillHere } from "./kill-permit.ts";
import type {
  CodedText,
  EditRequest,
  PlanReader,
  PlanText,
  ReadyEdit,
  ReadyStart,
  StartRequest,
} from "./plan.ts";
import type { Store, StrategyView } from "./stores/store.ts";
import type { Timing, VenueOrder } from "./venue.ts";

/** Prices that kinds request besides those of the market itself. */
export interface RequestedPrices {
  /** Prices of the pair from other sources; undefined if no kind needs them. */
  readonly elsewhere?: Elsewhere | undefined;
  /** Completed candles, a series for each span; undefined if no kind needs them. */
  readonly candles?: readonly CandleSeries[] | undefined;
  /** Newest fills of the strategies that use them; undefined if none does, or if all are older than they need. */
  readonly fills?: readonly MeasuredFill[] | undefined;
}

/** Market prices that a pass observed. */
export interface PriceSnapshot extends RequestedPrices {
  /** Undefined if the exchange did not return it; then no new order is placed. */
  readonly market: Market | undefined;
  /** Also undefined if the order book is crossed or has an empty side. */
  readonly quote: BidAsk | undefined;
  /** Order book including own orders; undefined if no kind reads it, or the exchange did not return it. */
  readonly book?: Book | undefined;
  /** The account's open orders on the pair, as the exchange reports them. */
  readonly open: readonly VenueOrder[];
  /** Why the market was not observed. */
  readonly error: string | null;
  /** Whether that is because the exchange does not list the pair. */
  readonly isUnlisted?: boolean;
}

/** Context of one strategy in a pass. */
export interface StrategyContext {
  readonly observed: PriceSnapshot;
  /** Protocol time. */
  readonly now: Millis;
  /** Time between two passes, estimated from the last one. */
  readonly interval: Millis;
  /** Whether the market time of the prices is simulated. */
  readonly isSimulated: boolean;
  readonly window: LeaseWindow;
  /** Undefined if the balances were not read. */
  readonly funds: Funds | undefined;
  /** Assets whose funds exclude what an invisible order may lock. */
  readonly doubted: ReadonlySet<string>;
  readonly capital: Capital | undefined;
  readonly confidence: Decimal | undefined;
  /** Free base that belongs to no strategy of the account; undefined if uncertain. */
  readonly ownBase: OwnBase | undefined;
  readonly resting: readonly Resting[];
  readonly killed: boolean;
  /** Whether the base is sold within the price collar although the kill switch is on. */
  readonly panics: boolean;
  /** Open orders on the exchange that have no row, of this database's strategies and of unknown ones. */
  readonly orphan: string | null;
  readonly stranger: string | null;
  /** An order that the exchange accepted but does not show after the expected delay. */
  readonly unshown: string | null;
  readonly epoch: number;
  readonly timing: Timing;
  /** Number of orders that can still be placed. */
  readonly limit: number;
  /** Why orders wait, if the exchange responds slowly. */
  readonly slow: string | null;
  readonly bounds: Bounds;
  /**
   * Returns the strategy after checking its loss and the account's loss against their limits at `quote`, and its stop
   * prices at the market's price, if there is one.
   */
  readonly judge: <S extends Strategy>(strategy: S, quote: BidAsk, market: BidAsk | undefined) => S;
}

/** Lines of one strategy's code. */
export interface StrategyLines extends StrategyLog {
  readonly account: string;
  readonly strategy: string;
}

/** A strategy after its part of a pass, and the orders that it requests. */
export interface DraftedStrategy<S extends Strategy = Strategy> {
  readonly strategy: S;
  readonly intents: readonly Draft[];
  /** Limits to check when the intents are recorded. */
  readonly terms: LimitTerms | null;
  readonly cancels: readonly Order[];
  /** Further notices. */
  readonly events: readonly Event[];
  /** Lines of its code for the server's log. */
  readonly log?: StrategyLog | undefined;
  /** Orders that a stop leaves open on the exchange. */
  readonly released: readonly Order[];
  readonly funds: Funds | undefined;
  /** Prices that its intents were checked against, if the exchange's own prices are not reliable. */
  readonly priced?: BidAsk | undefined;
  /** Whether the strategy becomes active when these intents are accepted. */
  readonly placing: boolean;
  readonly short: boolean;
}

/** The result after its orders got client ids. */
export interface AdvancedStrategy<S extends Strategy = Strategy> extends DraftedStrategy<S> {
  readonly intents: readonly Order[];
}

/** An order that existed only on the exchange, with its fills. */
export interface FoundOrder {
  readonly order: Order;
  readonly fills: readonly Fill[];
  /** Whether the strategy has ended. */
  readonly ended: boolean;
}

/** Candles that a kind uses: their source, and the number of the newest completed ones. */
export type CandleRequirement = CandleSource & { readonly count: number };

/** The part of a strategy's context that is known before balances are read. */
export interface PlacingContext
  extends Pick<StrategyContext, "observed" | "now" | "interval" | "isSimulated"> {
  /** Number of slots without an order that do not wait for a limit. */
  readonly free: number;
  /** Its orders that are open or can become open, with their filled amounts. */
  readonly live: readonly Order[];
}

/** The database with its strategies, and what applies to all of them. */
export interface StoreDeps {
  readonly store: Store;
  /** The kinds of strategy that this program supports. */
  readonly kinds: Kinds;
  /** Limits from the settings. They apply in addition to stored limits, which cannot raise them. */
  readonly limits?: Limits | undefined;
  /**
   * Interval of passes in protocol time: `--tick-interval` on Node, `EDGEMAKER_PASSES_PER_MINUTE` on Workers. Undefined
   * if this process runs none.
   */
  readonly interval?: Millis | undefined;
  /** The local kill switch, which applies in addition to the stored one; absent without one. */
  readonly killHere?: KillHere;
}

/** What the verbs of a strategy read. */
export interface StrategyDeps extends StoreDeps, ConfiguredExchanges, OtherPrices {}

/** What can be started of a kind: grids, quotes, or one strategy that the user wrote. */
export interface KindDefinition {
  readonly name: string;
  readonly title: string;
  readonly summary: string | null;
  /** Whether it comes with the program. */
  readonly builtIn: boolean;
  readonly version: number;
  /** Returns the hashes of its files; absent without files. */
  readonly fileHashes?: (() => Promise<readonly string[]>) | undefined;
  /** Returns the JSON schema of its config. */
  readonly schema: () => Record<string, unknown>;
  /** Forms of its config. */
  readonly forms: readonly [ConfigForm, ...ConfigForm[]];
  /** Form of a change of a running strategy; no field is required. */
  readonly editForm: ConfigForm;
}

/** The part of a status that a kind's own lines need. */
export interface StrategyText {
  readonly symbol: string;
  readonly orders: readonly {
    readonly id: string;
    readonly side: "buy" | "sell";
    readonly price: string;
    readonly amount: string;
  }[];
  readonly waiting: readonly { readonly id: string; readonly reason: string; readonly detail: string }[];
  readonly details: unknown;
}

export interface Kind<
  Config extends StrategyConfig = StrategyConfig,
  State extends StrategyState = StrategyState,
> {
  /** Name in the database. */
  readonly name: string;
  /** Name of the group of its commands, and of all its strategies in a filter and a status. */
  readonly group: string;
  /** Describes its commands in help. */
  readonly summary: string;
  readonly definitions: readonly KindDefinition[];
  /** Version of the stored state. */
  readonly version: number;
  /** Converts a state that an older version stored. */
  upgrade(state: StrategyState, version: number): State;
  /**
   * Returns the state after one fill of an order, including fees; an order can have several. If the state has no such
   * `slot` (an exit, an order of an earlier generation), the strategy as a whole books the fill.
   */
  bookFill(state: State, symbol: Pair, fill: Fill, slot: number): State;
  /**
   * Returns the state after an order has ended and all its fills are booked. Also called for a canceled or rejected
   * order: only `booked` shows whether it has filled completely.
   */
  bookEnd(state: State, order: Order): State;
  /** Run before and after booking the fills of an order that a restored database had lost. */
  beforeFound(strategy: Strategy<Config, State>, found: FoundOrder): State;
  afterFound(state: State, order: Order): State;
  /** Returns the state after skipping this many generations of ids, because the database was restored. */
  skipGenerations(strategy: Strategy<Config, State>, count: number): State;
  /** Moves all base from the slots to the strategy as a whole. */
  release(state: State): State;
  /** Returns all base of the strategy and its cost in quote. */
  holdings(state: State): { readonly base: Decimal; readonly cost: Decimal };
  /** Returns the free balance that it still needs. `orders` are all unsettled orders, including its own. */
  reserve(strategy: Strategy<Config, State>, orders: readonly Order[], market: Market): Reserve;
  /** Returns the largest buy and sell that its slots place, in quote; absent if only its open orders are known. */
  largestOrders?(state: State): LargestOrders;
  /** Returns the booked balance change of its fills, per asset. */
  movedByBooks(state: State, symbol: Pair): Readonly<Record<string, Decimal>>;
  /** Returns the P&L of its fills at a price; the default is its start price. */
  accounts(strategy: Pick<Strategy<Config, State>, "symbol" | "state">, mark?: Decimal): Accounts;
  /** Returns whether it would have orders at this mid price. */
  isInRange(state: State, mid: Decimal): boolean;
  /** Market data that it needs. */
  readonly reads: "ticker" | "book";
  /** Whether it uses prices from other sources, and their maximum age. */
  asksElsewhere?(config: Config): { readonly every: Millis } | undefined;
  candlesFor?(config: Config): readonly CandleRequirement[];
  /** Fills of its own that it uses: how old the newest can be, and their number. */
  fillsFor?(
    config: Config,
    interval: Millis,
  ): { readonly within: Millis; readonly count: number } | undefined;
  /**
   * Returns whether it could place an order now. If not, the pass does not read balances for it, and can skip its trades.
   * Called before the fills of this pass are booked, and possibly several times.
   */
  mayPlace(strategy: Strategy<Config, State>, context: PlacingContext): Soon<boolean>;
  /**
   * Returns the prices that start a pass early, besides stop prices. Empty if only fills concern it now; undefined or
   * absent if each round can.
   */
  wakesAt?(strategy: Strategy<Config, State>): WakePrices | undefined;
  /** Returns orders that block the desired open orders; a pause that keeps orders cancels only these. */
  outdated(state: State, live: readonly Order[], quote?: BidAsk): Order[];
  /** Returns why this process leaves a running strategy as it is; absent or undefined if it runs it. */
  leaves?(strategy: Strategy<Config, State>): string | undefined;
  /**
   * Returns the next orders of a running strategy; called at most once in a pass. `strategy` contains the fills of this
   * pass, and `live` are its unsettled orders. An absent field of the result changes nothing. If it throws, only this
   * strategy is in error. A promise never rejects: a user's code runs in another process, and a pass waits for it.
   */
  run(
    strategy: Strategy<Config, State>,
    live: readonly Order[],
    context: StrategyContext,
  ): Soon<Partial<DraftedStrategy<Strategy<Config, State>>>>;
  /** Reads what a start needs of the account and its market, and plans it. Throws AppError if it cannot start. */
  readStart(deps: StrategyDeps, request: StartRequest, reader: PlanReader): Promise<ReadyStart>;
  /** Checks a change of a running strategy. Throws AppError if it cannot be made. */
  readEdit(
    deps: StrategyDeps,
    request: EditRequest<Strategy<Config, State>>,
    reader: PlanReader,
  ): Promise<ReadyEdit>;
  /** What the call of a change waits for: that a pass has taken it over, or also that its orders are placed. */
  readonly editWaitsFor: "config" | "orders";
  /** What a pause does with its open orders, unless the call says so. */
  readonly onPause: "keep" | "cancel";
  /** What the kill switch does to its strategies; by default they place nothing. */
  readonly killed?: string;
  /** Returns the most that a running strategy can use, counted from its start. */
  readUse(deps: StrategyDeps, strategy: Strategy<Config, State>): Promise<PairAmounts>;
  /** Returns what it can sell and buy after a resume, with a change that waits for its pass. */
  readExposure(deps: StrategyDeps, strategy: Strategy<Config, State>): Promise<Exposure>;
  /** Describes what its orders can use from now on, such as "up to 500 USDT in buys". */
  describeUse(strategy: Strategy<Config, State>): string;
  /** Returns the name of a strategy's definition; by default the kind's name. */
  definitionOf?(strategy: Strategy<Config, State>): string;
  /** Returns what it was started with, in quote, and the price at that time. */
  startedWith(strategy: Strategy<Config, State>): { readonly capital: Decimal; readonly price: Decimal };
  /** Returns the settings of a start that would start it again: its config as its form reads it, and its budget. */
  settingsOf(strategy: Strategy<Config, State>): Pick<StartRequest, "config" | "baseBudget" | "quoteBudget">;
  /** Returns a price for its base while no pass has stored the market's. */
  markOf?(strategy: Strategy<Config, State>): Decimal | undefined;
  /** Returns the lowest and the highest price of its levels; undefined without levels. */
  rangeOf?(
    strategy: Strategy<Config, State>,
  ): { readonly lower: Decimal; readonly upper: Decimal } | undefined;
  /** Returns notices that its passes do not store. */
  noticesOf?(view: StrategyView<Strategy<Config, State>>): readonly CodedText[];
  /** Returns the definition's id of a slot's order; by default the slot's number. */
  orderId?(strategy: Strategy<Config, State>, slot: number): string;
  /** Returns the price above which a slot that lacks base can buy it; undefined for an order without one. */
  lowerPriceOf?(strategy: Strategy<Config, State>, slot: number): Decimal | undefined;
  /** Schema of the part of a plan that only it has. Its field `kind` has the group's name. */
  readonly planDetails: () => z.ZodObject;
  /** Returns its own lines of a plan for people. */
  planLines(plan: PlanText): Readonly<Record<string, string>>;
  /** Schema of the part of a status that only it has. Its field `kind` has the group's name. */
  readonly statusDetails: () => z.ZodObject;
  /** Returns its own part of a status; `timeOf` converts a stored time to market time. */
  statusDetailsOf(
    view: StrategyView<Strategy<Config, State>>,
    timeOf: (at: Millis | null) => Millis | null,
  ): Readonly<Record<string, unknown>>;
  /** Returns its own lines of a status for people; `waiting` says why orders wait. */
  statusLines(status: StrategyText): Readonly<Record<string, string>>;
}

/** A kind without code of users: it returns its orders at once. */
export interface BuiltInKind<Config extends StrategyConfig, State extends StrategyState>
  extends Kind<Config, State> {
  mayPlace(strategy: Strategy<Config, State>, context: PlacingContext): boolean;
  run(
    strategy: Strategy<Config, State>,
    live: readonly Order[],
    context: StrategyContext,
  ): Partial<DraftedStrategy<Strategy<Config, State>>>;
}

/** Mid prices at or beyond which a strategy can act; undefined in a direction in which it never does. */
export interface WakePrices {
  readonly below?: Decimal | undefined;
  readonly above?: Decimal | undefined;
}

/** The supported kinds by name. Throws for an unknown kind. */
export type Kinds = (name: string) => Kind;
