/** Computes the P&L of a stored strategy through its kind. */
import type { Accounts } from "../model/strategy.ts";
import type { Kind, Kinds } from "../ports/kind.ts";
import type { StrategyView } from "../ports/stores/store.ts";
import { upgraded } from "./pass/upgrade.ts";

/** Returns the P&L at the last price read. */
export function accountsOf({ strategy, memory }: StrategyView, kinds: Kinds): Accounts {
  const kind = kinds(strategy.kind);
  return kind.accounts(upgraded(kind, strategy), memory.marks[strategy.symbol]?.mid);
}

/** Returns whether this version knows the strategy's kind, and no newer one stored it. */
export function isReadable({ strategy }: StrategyView, kinds: Kinds): boolean {
  try {
    return strategy.version <= kinds(strategy.kind).version;
  } catch {
    return false;
  }
}

/**
 * Returns whether the last price is inside the strategy's range; undefined if no price is known, or the strategy cannot
 * be read.
 */
export function isInRange(view: StrategyView, kinds: Kinds): boolean | undefined {
  const { strategy, memory } = view;
  const mid = memory.marks[strategy.symbol]?.mid;
  if (mid === undefined || !isReadable(view, kinds)) return undefined;
  const kind = kinds(strategy.kind);
  return kind.isInRange(upgraded(kind, strategy).state, mid);
}

/** Returns the kinds by name. */
export const kindsOf =
  (kinds: readonly Kind[]): Kinds =>
  (name) => {
    const kind = kinds.find((kind) => kind.name === name);
    if (!kind) throw new Error(`this version of edgemaker has no strategy kind ${name}`);
    return kind;
  };
