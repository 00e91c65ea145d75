/** What a kind adds to the list and the status of its strategies, beside what all have. */
import type { Decimal } from "../kernel/decimal.ts";
import type { Strategy } from "../model/strategy.ts";
import type { StrategyDefinitions } from "./definition.ts";
import type { StrategyView } from "./stores/store.ts";

/** A notice as responses show it. */
export interface NoticeOut {
  readonly code: string;
  readonly message: string;
}

/** What can be started. */
interface DefinitionOut {
  readonly name: string;
  readonly title: string;
  readonly summary: string | null;
  /** Whether it comes with the program. */
  readonly builtIn: boolean;
  readonly version: number;
  /** JSON schema of its config. */
  readonly config: Record<string, unknown>;
}

export interface KindReading<S extends Strategy = Strategy> {
  /** All its strategies in a filter. */
  readonly word: string;
  /** What the kill switch does to its strategies. */
  readonly killed: string;
  /** Returns what can be started. */
  definitions(ids: readonly string[], loaded: StrategyDefinitions): readonly DefinitionOut[];
  definitionOf(strategy: S): string;
  /** Returns what it was started with, in quote, and the price at that time. */
  startedWith(strategy: S): { readonly capital: Decimal; readonly price: Decimal };
  /** Returns a price for its base while no pass has stored the market's. */
  markOf?(strategy: S): Decimal | undefined;
  /** Returns notices that its passes do not store. */
  noticesOf?(view: StrategyView<S>): readonly NoticeOut[];
}
