import {
  NO_POSITION,
  type PositionConfig,
  type PositionState,
  type Tolerance,
} from "../engine/position/position.ts";
import { type Decimal, decimal } from "../kernel/decimal.ts";
import { Money } from "../kernel/money.ts";
import type { Millis } from "../kernel/time.ts";
import type { OrderTerms } from "../model/order.ts";
import { NEW_STRATEGY_STATE, type Strategy, type StrategyState } from "../model/strategy.ts";
import type { AnyStrategyDefinition, StrategyNotes } from "../ports/definition.ts";

export interface OwnStrategyConfig extends PositionConfig {
  /** Name of its definition, and the version at its start. */
  readonly definition: string;
  readonly version: number;
  /** The user's config as JSON. */
  readonly options: Readonly<Record<string, unknown>>;
}

interface OwnStrategyFill extends OrderTerms {
  readonly id: string | null;
  readonly at: Millis;
}

export interface OwnStrategyState extends PositionState {
  /** Id of each slot's order, by the slot's index. */
  readonly ids: readonly string[];
  /** State that the function returned, as JSON text, and its version; null before the first call. */
  readonly memory: { readonly json: string; readonly version: number } | null;
  /** What the last call showed; absent before the first notes. */
  readonly notes?: StrategyNotes;
  /** Fills that were not yet passed to the function. */
  readonly fills: readonly OwnStrategyFill[];
  /** Why it does not run, and the number of resumes when it failed: the next resume calls the function again. */
  readonly fault: { readonly message: string; readonly resumes: number } | null;
}

export type OwnStrategy = Strategy<OwnStrategyConfig, OwnStrategyState>;

export const newOwnStrategyState = (startPrice: Decimal): OwnStrategyState => ({
  ...NEW_STRATEGY_STATE,
  ...NO_POSITION,
  slots: [],
  startPrice,
  ids: [],
  memory: null,
  fills: [],
  fault: null,
});

const DEFAULT_TOLERANCE: Tolerance = { price: decimal("0.0005"), amount: decimal("0.5") };

export const toleranceOf = ({ tolerance = {} }: AnyStrategyDefinition): Tolerance => ({
  price: tolerance.price === undefined ? DEFAULT_TOLERANCE.price : Money.of(tolerance.price).units,
  amount: tolerance.amount === undefined ? DEFAULT_TOLERANCE.amount : Money.of(tolerance.amount).units,
});

export const versionOf = ({ version = 1 }: AnyStrategyDefinition): number => version;

/** How a user's own strategy is stored. */
export const STORED_OWN = {
  name: "declared",
  version: 1,
  upgrade: (state: StrategyState): OwnStrategyState => state as OwnStrategyState,
} as const;

export const isOwnKind = (strategy: Strategy): strategy is OwnStrategy => strategy.kind === STORED_OWN.name;

/** Returns a strategy as a declared one. Throws for a strategy of another kind. */
export function asOwnStrategy(strategy: Strategy): OwnStrategy {
  if (!isOwnKind(strategy)) throw new TypeError(`strategy ${strategy.id} is of another kind`);
  return strategy;
}
