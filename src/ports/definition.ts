/** A strategy that its user has written: a pure function from what it sees to the orders that should be open. */
import type * as z from "zod";
import type { Amount, Money } from "../kernel/money.ts";
import type { Pair } from "../kernel/pair.ts";
import type { Millis } from "../kernel/time.ts";
import type { Side } from "../model/market.ts";

/** An order that should be open. Its id names it from one call to the next: at most one order of an id is open. */
export type DeclaredOrder = {
  readonly id: string;
  readonly side: Side;
  /** Rounded to the tick: a buy down, a sell up. */
  readonly price: Amount;
} & (
  | {
      /** In base, rounded down to the lot. */
      readonly size: Amount;
      readonly quoteSize?: undefined;
    }
  | {
      /** In quote, at the order's price. */
      readonly quoteSize: Amount;
      readonly size?: undefined;
    }
);

export interface PriceLevel {
  readonly price: Money;
  readonly amount: Money;
}

/** What the function sees. Prices and amounts are of others: its own orders are left out of quote and book. */
export interface StrategyInput<Config = unknown, State = unknown> {
  readonly config: Config;
  readonly now: Millis;
  readonly quote: { readonly bid: Money; readonly ask: Money; readonly mid: Money };
  readonly book: { readonly bids: readonly PriceLevel[]; readonly asks: readonly PriceLevel[] };
  readonly market: {
    readonly symbol: Pair;
    readonly base: string;
    readonly quote: string;
    readonly tick: Money;
    readonly lot: Money;
    readonly minAmount: Money;
    readonly minNotional: Money;
    /** Fee rates, as shares of the notional. */
    readonly maker: Money;
    readonly taker: Money;
  };
  /** Its books: base held, what that cost, and what sells have earned. */
  readonly position: {
    readonly base: Money;
    readonly cost: Money;
    readonly averageCost: Money | null;
    readonly realized: Money;
  };
  /** Base and quote that its orders may use, what the open ones bind included. */
  readonly free: { readonly base: Money; readonly quote: Money };
  readonly open: readonly {
    readonly id: string;
    readonly side: Side;
    readonly price: Money;
    readonly amount: Money;
    readonly filled: Money;
  }[];
  /** Fills since the last call, the oldest first; `id` is null where its order's id is no longer known. */
  readonly fills: readonly {
    readonly id: string | null;
    readonly side: Side;
    readonly price: Money;
    readonly amount: Money;
    readonly at: Millis;
  }[];
  /** What the last call returned as its state; before that, the definition's `initial`. */
  readonly state: State;
  /** From 0 up to 1: the same numbers for the same strategy at the same time. */
  readonly random: () => number;
}

/** The orders alone keep the state as it is. */
export type Declared<State = unknown> =
  | readonly DeclaredOrder[]
  | { readonly orders: readonly DeclaredOrder[]; readonly state: State };

export interface StrategyDefinition<Schema extends z.ZodObject = z.ZodObject, State = unknown> {
  readonly name: string;
  readonly summary?: string | undefined;
  readonly config: Schema;
  /** The state before the first call. */
  readonly initial?: State | undefined;
  /** Of the state and the config: a stored strategy of another version is upgraded, or paused. */
  readonly version?: number | undefined;
  /** Takes a state that an older version has returned. */
  readonly upgrade?: ((state: unknown, version: number) => State) | undefined;
  /** An open order stays while its price is this near, and so much of its amount is left. */
  readonly tolerance?:
    | { readonly price?: Amount | undefined; readonly amount?: Amount | undefined }
    | undefined;
  /** Allows orders that take. */
  readonly mayTake?: boolean | undefined;
  orders(view: StrategyInput<z.output<Schema>, State>): Declared<State>;
}

/** Of any config and state. */
// biome-ignore lint/suspicious/noExplicitAny: what one definition sees is no other one's.
export type AnyStrategyDefinition = StrategyDefinition<any, any> & Partial<LoadedFrom>;

/** What is known of a definition that was loaded from a file. */
export interface LoadedFrom {
  /** File and line of its function. */
  readonly source: string;
  /** File and line at which its code threw; undefined where the error is not of its code. */
  readonly locate: (error: unknown) => string | undefined;
  /** Calls what runs its code, and ends it at a time limit: throws then. */
  readonly guard: <T>(work: () => T) => T;
  /** A backtest asks it each time twice: answers that differ are a fault. */
  readonly isCalledTwice: boolean;
}

/** Those that a program has loaded. */
export type StrategyDefinitions = readonly AnyStrategyDefinition[];
