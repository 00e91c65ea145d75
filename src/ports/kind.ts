/** A kind of strategy: what should rest, and its own books. That each order exists once is the engine's. */
import type { Decimal } from "../kernel/decimal.ts";
import type { Pair } from "../kernel/pair.ts";
import type { Millis } from "../kernel/time.ts";
import type { Event } from "../model/events.ts";
import type { Fill } from "../model/fill.ts";
import type { Capital, Funds, LeaseWindow, OwnBase, Resting } from "../model/intent.ts";
import type { Bounds, LimitTerms } from "../model/limits.ts";
import type { Book, Market, Quote } from "../model/market.ts";
import type { Elsewhere } from "../model/memory.ts";
import type { Draft, Order } from "../model/order.ts";
import type { Reserve } from "../model/reserve.ts";
import type { Accounts, Strategy, StrategyConfig, StrategyState } from "../model/strategy.ts";
import type { Timing, VenueOrder } from "./venue.ts";

/** What a pass has seen of a market's prices. */
export interface PriceSight {
  /** Undefined when the venue did not give it: then nothing new is placed. */
  readonly market: Market | undefined;
  /** Undefined too of a book that is empty on a side, or crossed. */
  readonly quote: Quote | undefined;
  /** One's own orders among all others; undefined where no kind reads it, or the venue did not give it. */
  readonly book?: Book | undefined;
  /** What other places say of the pair; undefined where no kind asks. */
  readonly elsewhere?: Elsewhere | undefined;
  /** The account's open orders on the pair, as the venue tells them. */
  readonly open: readonly VenueOrder[];
  /** Why the market was not observed. */
  readonly error: string | null;
}

/** What one strategy may know and use of a pass. */
export interface StrategyContext {
  readonly sight: PriceSight;
  /** Protocol time. */
  readonly now: Millis;
  /** Between two passes, as far as the last one tells. */
  readonly interval: Millis;
  /** Prices are of the moment in which they are asked for, in a time of their own. */
  readonly isSimulated: boolean;
  readonly window: LeaseWindow;
  /** Undefined when the balances were not read. */
  readonly funds: Funds | undefined;
  readonly capital: Capital | undefined;
  readonly confidence: Decimal | undefined;
  /** Free base that no strategy of the account holds; undefined when it is not known for certain. */
  readonly ownBase: OwnBase | undefined;
  readonly resting: readonly Resting[];
  readonly killed: boolean;
  /** The switch is on, and the base is sold all the same: no further through the price than the collar. */
  readonly panics: boolean;
  /** Open orders without a row: of this database's strategies, and of some that it does not know. */
  readonly held: string | null;
  readonly stranger: string | null;
  /** An order that the exchange has taken and does not show, long after it should. */
  readonly unshown: string | null;
  readonly epoch: number;
  readonly timing: Timing;
  /** How many orders may still be placed. */
  readonly limit: number;
  /** Why orders wait, where it is the exchange's answers that take so long. */
  readonly slow: string | null;
  readonly bounds: Bounds;
  /** The strategy after its own loss, and its account's, have been held against their limits. */
  readonly judge: <S extends Strategy>(strategy: S, quote: Quote) => S;
}

/** A strategy after its part of a pass, and what it asks for. */
export interface Drafted<S extends Strategy = Strategy> {
  readonly strategy: S;
  readonly intents: readonly Draft[];
  /** Of limits, where the intents are recorded. */
  readonly terms: LimitTerms | null;
  readonly cancels: readonly Order[];
  /** What else there is to say of it. */
  readonly events: readonly Event[];
  /** Orders left to the person by a stop that keeps them. */
  readonly released: readonly Order[];
  readonly funds: Funds | undefined;
  /** The prices that its intents were held against, where the venue's own say nothing. */
  readonly priced?: Quote | undefined;
  /** It is active as soon as these intents are accepted. */
  readonly placing: boolean;
  readonly short: boolean;
}

/** The same once its orders have their client ids. */
export interface Advanced<S extends Strategy = Strategy> extends Drafted<S> {
  readonly intents: readonly Order[];
}

/** An order that the venue alone knew, with the fills that a pass has found of it. */
export interface FoundOrder {
  readonly order: Order;
  readonly fills: readonly Fill[];
  /** It has come to its end. */
  readonly ended: boolean;
}

/** What is known before balances are read. */
export interface PlacingSight extends Pick<StrategyContext, "sight" | "now" | "interval" | "isSimulated"> {
  /** Slots that have no order and wait for no limit. */
  readonly free: number;
  /** Its orders that rest, or may, with what has filled of them as just seen. */
  readonly live: readonly Order[];
}

export interface Kind<
  Config extends StrategyConfig = StrategyConfig,
  State extends StrategyState = StrategyState,
> {
  readonly name: string;
  /** Of the state that it stores. */
  readonly version: number;
  /** A state that an older version has stored. */
  upgrade(state: StrategyState, version: number): State;
  /** Moves its books by one fill of a slot's order, fees included; a slot that is no more is the strategy as a whole. */
  bookFill(state: State, symbol: Pair, fill: Fill, slot: number): State;
  /** After an order's last fill. */
  bookEnd(state: State, order: Order): State;
  /** Before and after the fills of an order are booked that a restored database had forgotten. */
  beforeFound(strategy: Strategy<Config, State>, found: FoundOrder): State;
  afterFound(state: State, order: Order): State;
  /** The books after a restored database has given up so many generations of ids. */
  skipGenerations(strategy: Strategy<Config, State>, count: number): State;
  /** Gives all base to the strategy as a whole: no slot sells it any more. */
  release(state: State): State;
  /** All base that it holds, and what that cost in quote. */
  holdings(state: State): { readonly base: Decimal; readonly cost: Decimal };
  /** What it still needs of the account's free balances; `orders` are unsettled ones, its own among them. */
  reserve(strategy: Strategy<Config, State>, orders: readonly Order[], market: Market): Reserve;
  /** Per asset, what its books say that its fills have moved. */
  movedByBooks(state: State, symbol: Pair): Readonly<Record<string, Decimal>>;
  /** What its fills have come to at a price, or at the one it began at. */
  accounts(strategy: Pick<Strategy<Config, State>, "symbol" | "state">, mark?: Decimal): Accounts;
  /** Between the lowest and the highest price at which it would have an order. */
  isInRange(state: State, mid: Decimal): boolean;
  /** What of a market it goes by. */
  readonly reads: "ticker" | "book";
  /** Whether it goes by what other places say of the pair too, and how old that may be. */
  asksElsewhere?(config: Config): { readonly every: Millis } | undefined;
  /** Whether it may want an order now: only then are balances worth a call. */
  mayPlace(strategy: Strategy<Config, State>, seen: PlacingSight): boolean;
  /** Orders that stand in the way of what should rest. */
  outdated(state: State, live: readonly Order[], quote?: Quote): Order[];
  /** What a strategy that is wanted to run asks for next; `live` are its unsettled orders. */
  run(
    strategy: Strategy<Config, State>,
    live: readonly Order[],
    context: StrategyContext,
  ): Partial<Drafted<Strategy<Config, State>>>;
}

/** The kinds that a program knows, by name. Throws for one that it does not. */
export type Kinds = (name: string) => Kind;
