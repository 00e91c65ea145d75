import { splitPair } from "../../kernel/pair.ts";
import type { Losses } from "../../model/memory.ts";
import type { Order } from "../../model/order.ts";
import type { Strategy } from "../../model/strategy.ts";
import type { Kinds } from "../../ports/kind.ts";
import type { Snapshot } from "../../ports/stores/step-store.ts";
import type { Adopted } from "../reconcile/adopt.ts";
import type { MarketSnapshot, Observation } from "../reconcile/observation.ts";
import { windowOf } from "./intents.ts";
import { judgeLoss } from "./loss.ts";
import { ownBase } from "./own-base.ts";
import { capitalOf, ofAllMarkets, type StrategyAllowance } from "./share.ts";
import { rhythmOf, type Turn } from "./turn.ts";

/** One pass of an account, after its fills are booked. */
export interface AccountPass extends Pick<Adopted, "orphan" | "stranger" | "waiting"> {
  readonly snapshot: Snapshot;
  readonly observation: Observation;
  /** The strategies after this pass. */
  readonly strategies: Strategy[];
  readonly live: readonly Order[];
  readonly losses: Losses;
  readonly slow: string | null;
  readonly kinds: Kinds;
}

/**
 * Returns what a strategy can use now. It places no order before its market's trades are read, because the database
 * can lack an order that has filled.
 */
export function turnOf(
  { snapshot, observation, strategies, kinds, live, losses, orphan, stranger, waiting, slow }: AccountPass,
  share: StrategyAllowance,
  strategy: Strategy,
): Turn {
  const { timing, markets } = observation;
  const observed = markets.get(strategy.symbol) as MarketSnapshot;
  const { market } = observed;
  const { now } = snapshot.lease;
  const all = ofAllMarkets({ strategies, kinds, orders: live }, snapshot, observation);
  const kind = kinds(strategy.kind);
  const accountLoss = losses[splitPair(strategy.symbol).quote]?.watch?.over ?? null;
  return {
    kind,
    ...{ observed, now, ...rhythmOf(snapshot) },
    window: windowOf(snapshot.lease, timing),
    funds: share.funds,
    doubted: share.doubted,
    capital: capitalOf(strategy, observation, { ...all, planned: share.openBuys }),
    confidence: observation.confidence?.get(strategy.symbol)?.value,
    ownBase:
      strategy.phase === "starting" && market
        ? ownBase(market, observation, { ...snapshot, ...all })
        : undefined,
    resting: share.resting.get(strategy.symbol) ?? [],
    killed: snapshot.kill.on,
    panics: snapshot.kill.on && snapshot.kill.sells,
    clears: snapshot.kill.on && snapshot.kill.cancels,
    orphan,
    stranger,
    unshown: observation.contradicted?.clientId ?? null,
    epoch: snapshot.epoch,
    ...searchTermsOf(snapshot, waiting, strategy),
    timing,
    limit: observed.tradesRead ? share.limit : 0,
    slow,
    bounds: share.bounds,
    judge: (one, quote) => judgeLoss(kind, one, { quote, bounds: share.bounds, accountLoss }),
  };
}

const searchTermsOf = (
  { memory }: Snapshot,
  waiting: Adopted["waiting"],
  { symbol }: Strategy,
): Pick<Turn, "isWaiting" | "readAt"> => ({
  isWaiting: waiting.has(symbol),
  readAt: memory.tradesAt?.[symbol],
});
