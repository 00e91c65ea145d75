import type { Decimal } from "../kernel/decimal.ts";
import type { Pair } from "../kernel/pair.ts";
import type { Millis } from "../kernel/time.ts";
import type { Market } from "../model/market.ts";
import type { OrderTerms } from "../model/order.ts";
import type { Exposure } from "../model/proposal.ts";
import type { CurrentPlan } from "../model/shown-plan.ts";
import type { PairAmounts, Strategy, StrategyConfig } from "../model/strategy.ts";
import type { Venue } from "./venue.ts";

/** A start as requested: the options of every strategy, and the config as the definition's schema reads it. */
export interface StartRequest {
  readonly definition: string;
  readonly exchange: string;
  readonly symbol: Pair;
  readonly config: Readonly<Record<string, unknown>>;
  readonly baseBudget?: Decimal | undefined;
  readonly quoteBudget?: Decimal | undefined;
  readonly dryRun?: boolean | undefined;
  readonly dryBalance?: Readonly<Record<string, Decimal>> | undefined;
  readonly name?: string | undefined;
}

/** A change as requested: only the fields that change, as the form of its definition reads them. */
export interface EditRequest<S extends Strategy = Strategy> {
  readonly strategy: S;
  readonly config: Readonly<Record<string, unknown>>;
}

/** Who asks for a plan, and how. */
export interface PlanReader {
  /** The caller, whose token's limits apply. */
  readonly actor: string;
  /** The plan that was shown, for a start of exactly that plan. */
  readonly planHash?: string | undefined;
  /** Whether the plan is only shown: then the account may lack funds. */
  readonly isShown: boolean;
}

/** A planned action: what it would do, and what it counts. */
export interface Planned {
  readonly market: Market;
  readonly killed: boolean;
  readonly shown: CurrentPlan;
  readonly planHash: string;
  /** The most that it can use of the account's own balances. */
  readonly uses: PairAmounts;
  readonly warnings: readonly CodedText[];
  readonly exposure: () => Exposure | Promise<Exposure>;
  readonly facts: () => PlanFacts | Promise<PlanFacts>;
}

/** A start after its reads, before anything is stored. */
export interface ReadyStart extends Planned {
  readonly venue: Venue;
  /** Throws AppError if it cannot start now. */
  readonly check: () => void;
  /** Returns what is stored; a limited caller's strategy never trades beyond its exposure. */
  readonly begin: (isLimited: boolean) => Promise<Begun>;
}

/** A change after its checks, before anything is stored. */
export interface ReadyEdit {
  readonly changes: readonly FieldChange[];
  readonly warnings: readonly CodedText[];
  readonly shown: CurrentPlan;
  readonly exposure: () => Promise<Exposure>;
  /** Returns what is stored; a limited caller's strategy never trades beyond its exposure. */
  readonly config: (isLimited: boolean) => Promise<StrategyConfig>;
  /** Reads the market, and plans the change. */
  readonly plan: () => Promise<PlannedEdit>;
}

/** What a change would do now. */
export interface PlannedEdit extends Omit<Planned, "shown" | "planHash" | "exposure"> {
  /** Number of open orders that stay. */
  readonly kept: number;
  /** Number of open orders that are canceled. */
  readonly cancelled: number;
}

/** What a start stores. */
export interface Begun extends Pick<Strategy, "version" | "config" | "state" | "status"> {
  /** The beginning of its id. */
  readonly prefix: string;
  /** Market time. */
  readonly startedAt: Millis;
}

/** A start that is done: its strategy, what its first pass did, and what it can use. */
export interface Started {
  readonly id: string;
  readonly message: string;
  readonly uses: PairAmounts;
  readonly warnings: readonly CodedText[];
}

export interface CodedText {
  readonly code: string;
  readonly message: string;
}

/** An order of a plan. */
export interface PlannedOrder extends OrderTerms {
  /** The definition's id of the order. */
  readonly id: string;
  /** Whether it fills at once, at up to its price. */
  readonly crosses?: boolean | undefined;
}

export interface NotPlaced {
  readonly id: string;
  readonly reason: string;
  readonly detail?: string | undefined;
}

export interface FieldChange {
  readonly field: string;
  readonly from: string;
  readonly to: string;
}

/** What a start or a change would do. */
export interface PlanFacts {
  /** Describes what is started, such as "a grid of 4 slots of 100 USDT". */
  readonly what: string;
  /** Market price; null if it is unknown. */
  readonly price: Decimal | null;
  readonly triggerPrice?: StrategyConfig["triggerPrice"];
  /** Orders that are placed, those that fill at once first. */
  readonly orders: readonly PlannedOrder[];
  readonly refused: readonly NotPlaced[];
  /** Describes orders that are not placed; by default each reason once. */
  readonly waits?: string | undefined;
  /** Free balances that other strategies do not need. */
  readonly free: PairAmounts;
  /** The maximum loss, as a sentence without a full stop. */
  readonly worstCase: string;
  readonly losses: readonly { readonly price: Decimal; readonly loss: Decimal }[];
  /** What it does by itself, at prices and times, as sentences. */
  readonly endings: readonly string[];
  /** Conditions, for a person who reads no details. */
  readonly notes: readonly string[];
  readonly details: Readonly<Record<string, unknown>>;
}

/** The part of a plan's answer that a kind's own lines need. */
export interface PlanText {
  readonly symbol: string;
  readonly orders: readonly {
    readonly side: "buy" | "sell";
    readonly price: string;
    readonly amount: string;
    readonly crosses: boolean;
  }[];
  readonly refused: readonly NotPlaced[];
  readonly uses: { readonly quote: string; readonly base: string };
  readonly free: { readonly quote: string; readonly base: string };
  readonly details: unknown;
}
