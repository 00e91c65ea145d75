/** A strategy that a user writes: a pure function from market data and its own state to the orders that should be open. */
import type * as z from "zod";
import type { Amount, Money } from "../kernel/money.ts";
import type { Pair } from "../kernel/pair.ts";
import type { Millis, TIMEFRAMES } from "../kernel/time.ts";
import type { Side } from "../model/market.ts";

/** An order that should be open. Its id identifies it from one call to the next; at most one order per id is open. */
export type DeclaredOrder = {
  readonly id: string;
  readonly side: Side;
  /** The engine rounds it to the tick: a buy down, a sell up. */
  readonly price: Amount;
  /** Whether it can be a taker order; default: as the definition says. */
  readonly mayTake?: boolean | undefined;
} & (
  | {
      /** In base; the engine rounds it down to the lot. */
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

/** A completed candle. `at` is the time at which it opened; `volume` is in base, null if it cannot be read. */
export interface StrategyCandle {
  readonly at: Millis;
  readonly open: Money;
  readonly high: Money;
  readonly low: Money;
  readonly close: Money;
  readonly volume: Money | null;
}

/** Candles that a function uses. `symbol` and `exchange` default to those of the strategy. */
export interface CandleRequest {
  readonly timeframe: keyof typeof TIMEFRAMES;
  /** Number of the newest completed candles. */
  readonly count: number;
  readonly symbol?: string | undefined;
  readonly exchange?: string | undefined;
}

/** One request, or several by name. */
export type CandleRequests = CandleRequest | Readonly<Record<string, CandleRequest>>;

/** Completed candles, oldest first: of the one request, or by the names of the requests. */
export type RequestedCandles<Requests extends CandleRequests> = Requests extends CandleRequest
  ? readonly StrategyCandle[]
  : { readonly [Name in keyof Requests]: readonly StrategyCandle[] };

/** Prices of the same pair at other sources: the other exchanges by id, and `dex` for the chain. */
export interface StrategyReference {
  /** Median of the prices; null if no source has a price that is new enough. */
  readonly price: Money | null;
  /** Why there is no price; null if there is one, or the definition requests none. */
  readonly reason: string | null;
  /** Each mid price, when it was read, and the quote that it is the mid of: null for the chain and in backtests. */
  readonly prices: readonly {
    readonly source: string;
    readonly price: Money;
    readonly bid: Money | null;
    readonly ask: Money | null;
    readonly at: Millis;
  }[];
}

/** Input of the function. The quote and the book exclude the strategy's own orders. */
export interface StrategyInput<
  Config = unknown,
  State = unknown,
  Requests extends CandleRequests = CandleRequest,
> {
  readonly config: Config;
  readonly now: Millis;
  readonly quote: { readonly bid: Money; readonly ask: Money; readonly mid: Money };
  readonly book: { readonly bids: readonly PriceLevel[]; readonly asks: readonly PriceLevel[] };
  /** The newest completed candles, oldest first; empty unless the definition requests candles. */
  readonly candles: RequestedCandles<Requests>;
  /** Prices elsewhere; none unless the definition requests them. */
  readonly reference: StrategyReference;
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
  /**
   * The strategy's books: its base, the cost of that base, and the profit of its sells. `base` includes the base that
   * the strategy could use at its start; the cost of that base is its value at the price of the start.
   */
  readonly position: {
    readonly base: Money;
    readonly cost: Money;
    readonly averageCost: Money | null;
    readonly realized: Money;
  };
  /** Base and quote that its orders can use, including what its open orders lock. */
  readonly free: { readonly base: Money; readonly quote: Money };
  readonly open: readonly {
    readonly id: string;
    readonly side: Side;
    readonly price: Money;
    readonly amount: Money;
    readonly filled: Money;
  }[];
  /** Fills since the last call, oldest first; `id` is null if the engine no longer knows the order's id. */
  readonly fills: readonly {
    readonly id: string | null;
    readonly side: Side;
    readonly price: Money;
    readonly amount: Money;
    readonly at: Millis;
  }[];
  /** What the last call returned as its state; before that, the definition's `initial`. */
  readonly state: State;
  /** Returns a number from 0 up to 1, the same one for the same strategy at the same time. */
  readonly random: () => number;
}

/** Result of a call: the orders, or the orders with a new state. Without a state, the stored one stays. */
export type Declared<State = unknown> =
  | readonly DeclaredOrder[]
  | {
      readonly orders: readonly DeclaredOrder[];
      readonly state?: State;
      readonly notes?: StrategyNotes | undefined;
      /** Lines for the server's log, as `console.log` writes them. */
      readonly log?: readonly string[] | undefined;
    };

/** Lines that a call wrote, and how many more it wrote. */
export interface StrategyLog {
  readonly lines: readonly string[];
  readonly dropped: number;
}

/** At most 20 values by name, which the strategy's status shows until the next call. */
export type StrategyNotes = Readonly<Record<string, string | number | boolean>>;

export interface StrategyDefinition<
  Schema extends z.ZodObject = z.ZodObject,
  State = unknown,
  Requests extends CandleRequests = CandleRequest,
> {
  readonly name: string;
  readonly summary?: string | undefined;
  readonly config: Schema;
  /** The state before the first call. */
  readonly initial?: State | undefined;
  /** Version of the state and the config. edgemaker upgrades a stored strategy of another version, or pauses it. */
  readonly version?: number | undefined;
  /** Converts a state that an older version returned. */
  readonly upgrade?: ((state: unknown, version: number) => State) | undefined;
  /** An open order stays while its price and its remaining amount are within this tolerance. */
  readonly tolerance?:
    | { readonly price?: Amount | undefined; readonly amount?: Amount | undefined }
    | undefined;
  /** Whether its orders can be taker orders, unless an order says otherwise. */
  readonly mayTake?: boolean | undefined;
  /** Candles that the function uses: at most 200 in a request, and 400 together. */
  readonly candles?: Requests | undefined;
  /**
   * Whether the function uses prices of other exchanges and of the chain. Those older than the maximum age in milliseconds
   * do not count: 5 seconds to 1 hour, by default one minute.
   */
  readonly reference?: boolean | { readonly maxAge?: Millis | undefined } | undefined;
  /**
   * Returns all orders that should be open, at most 100; the strategy's others are canceled. It must not return a
   * promise. The same input must give the same result, because a pass can call it several times. If it throws, the
   * strategy pauses until a person resumes it.
   */
  orders(view: StrategyInput<z.output<Schema>, State, Requests>): Declared<State>;
}

/** A definition with any config and state. */
// biome-ignore lint/suspicious/noExplicitAny: what one definition sees is no other one's.
export type AnyStrategyDefinition = StrategyDefinition<any, any, any> & Partial<LoadedFrom>;

/** Where a definition was loaded from, and how to run it safely. */
export interface LoadedFrom {
  /** File and line of the function. */
  readonly source: string;
  /** Returns the file and line that threw; undefined if the error does not come from the user's code. */
  readonly locate: (error: unknown) => string | undefined;
  /** Runs the user's code, and throws when it exceeds the time limit. */
  readonly guard: <T>(work: () => T) => T;
  /**
   * Runs a job of its code in another process, and returns what that process answered: plain data of any form. Rejects
   * with the reason if the code throws, takes too long or ends its process. Absent if the code runs in this process.
   */
  readonly ask: (job: CodeJob, input: object, caller: CodeCaller) => Promise<unknown>;
  /** Returns what its code has written to its console since the last time. */
  readonly takeLog: () => StrategyLog;
  /**
   * Returns the hash of its files as they were loaded, followed by their hash now if they have changed since. Absent if
   * there are no files, as on Workers.
   */
  readonly fileHashes: () => Promise<readonly string[]>;
  /** Whether every call runs twice, as in a backtest: different results are a fault. */
  readonly isCalledTwice: boolean;
}

/** Checks a config, calls the function, or backtests it. */
export type CodeJob = "config" | "orders" | "backtest";

/** Whom a job is for: a running strategy, or a person's request if `id` is empty. */
export interface CodeCaller {
  readonly account: string;
  readonly id: string;
  readonly resumes: number;
  /** Aborts when the caller no longer waits. */
  readonly signal?: AbortSignal | undefined;
  /** Receives the completed share of a backtest. */
  readonly hear?: ((done: number) => void) | undefined;
}

/** The strategy definitions that the program loaded. */
export type StrategyDefinitions = readonly AnyStrategyDefinition[];

/** What a program was built from. */
export interface Build {
  readonly version: string;
  /** Null if no commit describes it. */
  readonly commit: string | null;
}
