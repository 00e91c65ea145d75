import { isAhead, MINUTE, type Millis } from "../../kernel/time.ts";
import { parseAccountKey } from "../../model/account.ts";
import type { Funds } from "../../model/intent.ts";
import type { Order } from "../../model/order.ts";
import type { Strategy } from "../../model/strategy.ts";
import type { Advanced, Kind, StrategyContext } from "../../ports/kind.ts";
import type { Snapshot } from "../../ports/stores/step-store.ts";
import type { MarketSnapshot } from "../reconcile/observation.ts";
import { isFinal } from "../reconcile/order-life.ts";
import { isBehind, longestRecovery } from "../reconcile/recovery.ts";

/** Context of one strategy in a pass, with fields for the engine only. */
export interface Turn extends StrategyContext {
  readonly kind: Kind;
  readonly observed: MarketSnapshot;
  /** When all trades of its market were last read before this pass. */
  readonly readAt: Millis | undefined;
  /** Whether the kill switch cancels every order. */
  readonly clears: boolean;
  /** Whether an order of its market waits for its row, or for another lookup. */
  readonly isWaiting: boolean;
}

/** Returns the interval of an account's passes, estimated from its last one, and whether its time is simulated. */
export const rhythmOf = ({
  memory,
  lease,
}: Pick<Snapshot, "memory" | "lease">): Pick<StrategyContext, "interval" | "isSimulated"> => ({
  interval: memory.interval ?? MINUTE,
  isSimulated: parseAccountKey(lease.account).host === "",
});

/** Returns the result of a strategy that does nothing. */
export const unchanged = (strategy: Strategy, funds: Funds | undefined): Advanced => ({
  strategy,
  intents: [],
  terms: null,
  cancels: [],
  events: [],
  released: [],
  funds,
  placing: false,
  short: false,
});

// An order that was pending when the database was restored, or that has no row, can still be open.
export const isRecovering = (
  strategy: Strategy,
  {
    orphan,
    unshown,
    epoch,
    now,
    timing,
  }: Pick<StrategyContext, "orphan" | "unshown" | "epoch" | "now" | "timing">,
): boolean =>
  orphan !== null ||
  unshown !== null ||
  isBehind(strategy, epoch) ||
  isAhead(strategy.state.recoversUntil, now, longestRecovery(timing)) ||
  strategy.state.searchSince !== undefined;

const mayCancel = (order: Order): boolean => order.exchangeId !== null && !isFinal(order);

export const cancellable = (live: readonly Order[]): Order[] => live.filter(mayCancel);
