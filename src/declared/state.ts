import { NO_POSITION, type PositionConfig, type PositionState } from "../engine/position/state.ts";
import type { Tolerance } from "../engine/position/tolerance.ts";
import { type Decimal, decimal } from "../kernel/decimal.ts";
import { Money } from "../kernel/money.ts";
import type { Millis } from "../kernel/time.ts";
import type { Side } from "../model/market.ts";
import { NEW_STRATEGY_STATE, type Strategy } from "../model/strategy.ts";
import type { AnyStrategyDefinition } from "../ports/definition.ts";

export interface DeclaredConfig extends PositionConfig {
  /** The name of its definition, and the version that it was started with. */
  readonly definition: string;
  readonly version: number;
  /** What the user gave, as JSON. */
  readonly options: Readonly<Record<string, unknown>>;
}

export interface DeclaredFill {
  readonly id: string | null;
  readonly side: Side;
  readonly price: Decimal;
  readonly amount: Decimal;
  readonly at: Millis;
}

export interface DeclaredState extends PositionState {
  /** The id that each slot's order has, by the slot's index. */
  readonly ids: readonly string[];
  /** What the function has returned as its state, as JSON text, and the version that did; null before. */
  readonly memory: { readonly json: string; readonly version: number } | null;
  /** That the function has not been called with yet. */
  readonly fills: readonly DeclaredFill[];
  /** Why it does not run, and the resumes under which that was found: a person's next resume calls it again. */
  readonly fault: { readonly message: string; readonly resumes: number } | null;
}

export type DeclaredStrategy = Strategy<DeclaredConfig, DeclaredState>;

export const newDeclaredState = (startPrice: Decimal): DeclaredState => ({
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
