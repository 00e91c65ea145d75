/** Computes the P&L of a stored strategy through its kind. */
import type { Accounts } from "../model/strategy.ts";
import type { Kinds } from "../ports/kind.ts";
import type { StrategyView } from "../ports/stores/strategy-store.ts";
import { upgraded } from "./pass/upgrade.ts";

/** Returns the P&L at the last price read. */
export function accountsOf({ strategy, memory }: StrategyView, kinds: Kinds): Accounts {
  const kind = kinds(strategy.kind);
  return kind.accounts(upgraded(kind, strategy), memory.marks[strategy.symbol]?.mid);
}

/** Returns whether the last price is inside the strategy's range; undefined if no price is known. */
export function isInRange({ strategy, memory }: StrategyView, kinds: Kinds): boolean | undefined {
  const mid = memory.marks[strategy.symbol]?.mid;
  const kind = kinds(strategy.kind);
  return mid === undefined ? undefined : kind.isInRange(upgraded(kind, strategy).state, mid);
}
