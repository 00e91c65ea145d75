/** What a stored strategy has come to, as its kind tells it. */
import type { Accounts } from "../model/strategy.ts";
import type { Kinds } from "../ports/kind.ts";
import type { StrategyView } from "../ports/stores/strategy-store.ts";
import { upgraded } from "./pass/upgrade.ts";

/** At the last price seen. */
export function accountsOf({ strategy, memory }: StrategyView, kinds: Kinds): Accounts {
  const kind = kinds(strategy.kind);
  return kind.accounts(upgraded(kind, strategy), memory.marks[strategy.symbol]?.mid);
}

/** Whether the last price is one at which it trades; undefined where none is known. */
export function isInRange({ strategy, memory }: StrategyView, kinds: Kinds): boolean | undefined {
  const mid = memory.marks[strategy.symbol]?.mid;
  const kind = kinds(strategy.kind);
  return mid === undefined ? undefined : kind.isInRange(upgraded(kind, strategy).state, mid);
}
