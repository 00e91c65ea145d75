/** Decides which hints of an exchange start a pass early, and how long a pass can wait without hints. */

import type { Decimal } from "../../../kernel/decimal.ts";
import type { Pair } from "../../../kernel/pair.ts";
import { midOf } from "../../../kernel/spread.ts";
import { type AccountKey, parseAccountKey } from "../../../model/account.ts";
import type { Strategy } from "../../../model/strategy.ts";
import type { Kinds, WakePrices } from "../../../ports/kind.ts";
import type { StrategyView } from "../../../ports/stores/strategy-store.ts";
import type { StreamTopics } from "../../../ports/stream.ts";

/** What an account's strategies wait for. */
export interface Wakes extends StreamTopics {
  /** Prices at which a strategy of a pair can act. */
  readonly at: ReadonlyMap<Pair, readonly WakePrices[]>;
  /** Whether only fills concern its strategies, so that a pass can wait longer while hints of fills arrive. */
  readonly isQuiet: boolean;
}

/** Returns what the strategies of each real account wait for. */
export function wakesOf(views: readonly StrategyView[], kinds: Kinds): ReadonlyMap<AccountKey, Wakes> {
  const live = views.filter(({ strategy }) => parseAccountKey(strategy.account).kind === "live");
  const accounts = [...new Set(live.map(({ strategy }) => strategy.account))];
  return new Map(
    accounts.map((account) => [
      account,
      accountWakes(
        live.filter(({ strategy }) => strategy.account === account),
        kinds,
      ),
    ]),
  );
}

function accountWakes(views: readonly StrategyView[], kinds: Kinds): Wakes {
  const at = new Map<Pair, WakePrices[]>();
  let isQuiet = true;
  for (const view of views) {
    const { strategy } = view;
    const own = ownWakes(strategy, kinds);
    const prices = [...stopWakes(strategy), ...(own ? [own] : [])].filter(hasPrice);
    isQuiet &&= own !== undefined && prices.length === 0 && isSettled(view);
    if (prices.length > 0) at.set(strategy.symbol, [...(at.get(strategy.symbol) ?? []), ...prices]);
  }
  const orders = [...new Set(views.map(({ strategy }) => strategy.symbol))].sort();
  return { orders, prices: [...at.keys()].sort(), at, isQuiet };
}

/** A state that this version cannot read wakes nothing, and keeps the tick. */
function ownWakes(strategy: Strategy, kinds: Kinds): WakePrices | undefined {
  try {
    return kinds(strategy.kind).wakesAt?.(strategy);
  } catch {
    return undefined;
  }
}

const stopWakes = ({ config: { stopLossPrice, takeProfitPrice } }: Strategy): WakePrices[] => [
  { below: stopLossPrice, above: takeProfitPrice },
];

const hasPrice = ({ below, above }: WakePrices): boolean => below !== undefined || above !== undefined;

/** Returns whether a strategy has all its orders, and nothing to retry. */
const isSettled = ({ strategy, memory, accountError }: StrategyView): boolean =>
  strategy.status === "running" &&
  strategy.phase === "active" &&
  strategy.wants === "run" &&
  strategy.lastError === null &&
  strategy.state.refused.length === 0 &&
  strategy.config.confidence === undefined &&
  (strategy.edits ?? 0) === (strategy.state.edits ?? 0) &&
  accountError === null &&
  memory.turn === 0;

/** Returns whether the mid price has reached a price at which a strategy can act. */
export function reaches(prices: readonly WakePrices[], quote: { bid: Decimal; ask: Decimal }): boolean {
  const mid = midOf(quote);
  return prices.some(
    ({ below, above }) => (below !== undefined && mid <= below) || (above !== undefined && mid >= above),
  );
}
