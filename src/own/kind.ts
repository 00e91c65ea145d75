import {
  bookTrade,
  countOrder,
  movedByPosition,
  positionAccounts,
  positionReserve,
} from "../engine/position/position.ts";
import type { Pair } from "../kernel/pair.ts";
import type { Fill, Order } from "../model/order.ts";
import type { StrategyDefinitions } from "../ports/definition.ts";
import type { Kind } from "../ports/kind.ts";
import { candleNeeds, elsewhereNeed, findDefinition, requirementOf } from "./pass/ask.ts";
import { mayDeclare, runOwnStrategy } from "./pass/run.ts";
import { type OwnStrategy, type OwnStrategyConfig, type OwnStrategyState, STORED_OWN } from "./state.ts";

/** Declared strategy: a user's function returns the orders that should be open. */
export const ownStrategyKind = (
  definitions: StrategyDefinitions | undefined,
  leavesUnknown = false,
): Kind<OwnStrategyConfig, OwnStrategyState> => ({
  ...STORED_OWN,
  bookFill: (state: OwnStrategyState, symbol: Pair, fill: Fill, slot: number) =>
    withNewFill(bookTrade(state, symbol, fill), fill, slot),
  bookEnd: (state: OwnStrategyState, order: Order) => countOrder(state, order),
  beforeFound: ({ state }: OwnStrategy) => state,
  afterFound: (state: OwnStrategyState) => state,
  skipGenerations: ({ state }: OwnStrategy) => state,
  release: (state: OwnStrategyState) => state,
  holdings: ({ base, cost }: OwnStrategyState) => ({ base, cost }),
  reserve: positionReserve,
  movedByBooks: movedByPosition,
  accounts: positionAccounts,
  isInRange: ({ fault }: OwnStrategyState) => fault === null,
  hasRange: false,
  reads: "book",
  asksElsewhere: ({ definition }: OwnStrategyConfig) =>
    elsewhereNeed(findDefinition(definitions, definition)),
  candlesFor: ({ definition }: OwnStrategyConfig) =>
    candleNeeds(findDefinition(definitions, definition)).map(requirementOf),
  mayPlace: (strategy: OwnStrategy, context) => mayDeclare(definitions, strategy, context),
  outdated: () => [],
  leaves: (strategy: OwnStrategy) =>
    leavesUnknown && isUnknown(strategy, definitions)
      ? `the strategy ${strategy.config.definition} is not loaded here; set EDGEMAKER_STRATEGIES to its folder`
      : undefined,
  run: (strategy: OwnStrategy, live: readonly Order[], context) =>
    runOwnStrategy(
      leavesUnknown && isUnknown(strategy, definitions) ? undefined : definitions,
      strategy,
      live,
      context,
    ),
});

const isUnknown = ({ config }: OwnStrategy, definitions: StrategyDefinitions | undefined): boolean =>
  findDefinition(definitions, config.definition) === undefined;

const withNewFill = (
  state: OwnStrategyState,
  { side, price, amount, at }: Fill,
  slot: number,
): OwnStrategyState => ({
  ...state,
  fills: [...state.fills, { id: state.ids[slot] || null, side, price, amount, at }],
});
