import { cancellable } from "../engine/decide/intents.ts";
import {
  bookTrade,
  countOrder,
  movedByPosition,
  positionAccounts,
  positionReserve,
} from "../engine/position/ledger.ts";
import type { Pair } from "../kernel/pair.ts";
import type { Fill, Order } from "../model/order.ts";
import type { Strategy } from "../model/strategy.ts";
import type { StrategyDefinitions } from "../ports/definition.ts";
import type { Kind } from "../ports/kind.ts";
import { candleNeed, elsewhereNeed, findDefinition } from "./pass/ask.ts";
import { mayDeclare, runDeclared } from "./pass/run.ts";
import type { DeclaredConfig, DeclaredState, DeclaredStrategy } from "./state.ts";

const DECLARED = "declared";

/** Declared strategy: a user's function returns the orders that should be open. */
export const declaredKind = (definitions: StrategyDefinitions): Kind<DeclaredConfig, DeclaredState> => ({
  name: DECLARED,
  version: 1,
  upgrade: (state) => state as DeclaredState,
  bookFill: (state: DeclaredState, symbol: Pair, fill: Fill, slot: number) =>
    withNewFill(bookTrade(state, symbol, fill), fill, slot),
  bookEnd: (state: DeclaredState, order: Order) => countOrder(state, order),
  beforeFound: ({ state }: DeclaredStrategy) => state,
  afterFound: (state: DeclaredState) => state,
  skipGenerations: ({ state }: DeclaredStrategy) => state,
  release: (state: DeclaredState) => state,
  holdings: ({ base, cost }: DeclaredState) => ({ base, cost }),
  reserve: positionReserve,
  movedByBooks: movedByPosition,
  accounts: positionAccounts,
  isInRange: ({ fault }: DeclaredState) => fault === null,
  reads: "book",
  asksElsewhere: ({ definition }: DeclaredConfig) => elsewhereNeed(findDefinition(definitions, definition)),
  candlesFor: ({ definition }: DeclaredConfig) => candleNeed(findDefinition(definitions, definition)),
  mayPlace: (strategy: DeclaredStrategy, context) => mayDeclare(definitions, strategy, context),
  outdated: (_state: DeclaredState, live: readonly Order[]) => cancellable(live),
  run: (strategy: DeclaredStrategy, live: readonly Order[], context) =>
    runDeclared(definitions, strategy, live, context),
});

const withNewFill = (
  state: DeclaredState,
  { side, price, amount, at }: Fill,
  slot: number,
): DeclaredState => ({
  ...state,
  fills: [...state.fills, { id: state.ids[slot] || null, side, price, amount, at }],
});

export const isDeclared = (strategy: Strategy): strategy is DeclaredStrategy => strategy.kind === DECLARED;

/** Returns a strategy as a declared one. Throws for a strategy of another kind. */
export function asDeclared(strategy: Strategy): DeclaredStrategy {
  if (!isDeclared(strategy)) throw new TypeError(`strategy ${strategy.id} is of another kind`);
  return strategy;
}
