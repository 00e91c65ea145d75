/** What a kind adds to the list and the status of its strategies, beside what all have. */
import type * as z from "zod";
import type { Decimal } from "../kernel/decimal.ts";
import type { Millis } from "../kernel/time.ts";
import type { Strategy } from "../model/strategy.ts";
import type { StrategyDefinitions } from "./definition.ts";
import type { StartRequest } from "./plan.ts";
import type { StrategyView } from "./stores/store.ts";

/** The part of a status that a kind's own lines need. */
export interface StrategyText {
  readonly symbol: string;
  readonly orders: readonly {
    readonly id: string;
    readonly side: "buy" | "sell";
    readonly price: string;
    readonly amount: string;
  }[];
  readonly details: unknown;
}

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
  /** Word for all its strategies in a filter. */
  readonly word: string;
  /** What the kill switch does to its strategies. */
  readonly killed: string;
  /** Returns what can be started. */
  definitions(loaded: StrategyDefinitions): readonly DefinitionOut[];
  definitionOf(strategy: S): string;
  /** Returns what it was started with, in quote, and the price at that time. */
  startedWith(strategy: S): { readonly capital: Decimal; readonly price: Decimal };
  /** Returns the settings of a start that would start it again: its config as its form reads it, and its budget. */
  settingsOf(strategy: S): Pick<StartRequest, "config" | "baseBudget" | "quoteBudget">;
  /** Returns a price for its base while no pass has stored the market's. */
  markOf?(strategy: S): Decimal | undefined;
  /** Returns the lowest and the highest price of its levels; undefined without levels. */
  rangeOf?(strategy: S): { readonly lower: Decimal; readonly upper: Decimal } | undefined;
  /** Returns notices that its passes do not store. */
  noticesOf?(view: StrategyView<S>): readonly NoticeOut[];
  /** Returns the definition's id of a slot's order; by default the slot's number. */
  orderId?(strategy: S, slot: number): string;
  /** Schema of its part of a status. The field `kind` of that part has the word above. */
  readonly details: () => z.ZodObject;
  /** Returns its own part; `timeOf` converts a stored time to market time. */
  detailsOf(
    view: StrategyView<S>,
    timeOf: (at: Millis | null) => Millis | null,
  ): Readonly<Record<string, unknown>>;
  /** Returns its own lines of a status for people. */
  linesOf(status: StrategyText): Readonly<Record<string, string>>;
}
