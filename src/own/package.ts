/** The module that strategy files import as `edgemaker`. */

export { type Amount, Money } from "../kernel/money.ts";
export type {
  CandleRequest,
  Declared,
  DeclaredOrder,
  PriceLevel,
  StrategyCandle,
  StrategyDefinition,
  StrategyInput,
  StrategyReference,
} from "../ports/definition.ts";
export { defineStrategy } from "./define.ts";
export * as z from "./zod.ts";
