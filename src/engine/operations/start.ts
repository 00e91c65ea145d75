import { type Decimal, ONE } from "../../kernel/decimal.ts";
import { splitPair } from "../../kernel/pair.ts";
import { NO_STOP } from "../../kernel/stop-flags.ts";
import { exitsOnLoss } from "../../limits/exposure.ts";
import { positionExposure } from "../../limits/position.ts";
import { accountKey, parseAccountKey } from "../../model/account.ts";
import { byOf, type Caller } from "../../model/events.ts";
import type { Standings } from "../../model/limits.ts";
import { type Preview, TRADES_NOTHING } from "../../model/proposal.ts";
import type { Strategy } from "../../model/strategy.ts";
import type { Deps } from "../../ports/deps.ts";
import { killRefusal } from "../../ports/kill-here.ts";
import { fundPaper, type TradingPlace } from "../pass/paper-start.ts";
import { describeStart } from "../pass/start-message.ts";
import { stepNow } from "../pass/tick.ts";
import type { PositionStrategy } from "../position/state.ts";
import type { PositionKind } from "./position-kind.ts";
import type { StartReads } from "./start-reads.ts";
import { viewNamed } from "./views.ts";

type StartCaller = Caller & { readonly requestKey?: string | undefined };

interface CodedText {
  readonly code: string;
  readonly message: string;
}

/** A start after its reads, before anything is stored. */
export interface ReadyStart<S extends PositionStrategy> {
  readonly place: TradingPlace;
  readonly reads: StartReads & { readonly standings: Standings };
  /** Version of the state, and the beginning of the id. */
  readonly version: number;
  readonly prefix: string;
  readonly config: S["config"];
  readonly stateAt: (startPrice: Decimal) => S["state"];
  /** Price at which base is counted for limits; undefined if unknown. */
  readonly mid: Decimal | undefined;
  /** Its largest order in quote; default: a whole side. */
  readonly largest?: Decimal | undefined;
  /** Returns the price at which its base is booked. Throws if the plan is outdated or cannot start. */
  readonly startPrice: () => Decimal;
  readonly preview: () => Preview;
  readonly warnings: CodedText[];
}

/** Prepares a start. A repeated request returns the strategy of the first one. */
export async function prepareStrategyStart<S extends PositionStrategy, Requested extends object>(
  deps: Deps,
  kind: PositionKind<S, Requested>,
  call: StartCaller,
  read: () => Promise<ReadyStart<S>>,
) {
  const earlier = await startedEarlier(deps, call.requestKey ?? null);
  if (earlier)
    return {
      preview: async () => earlierPreview(earlier),
      exposure: TRADES_NOTHING,
      strategies: [],
      act: () => startedOut(deps, kind, earlier, []),
    };
  const ready = await read();
  return {
    async preview() {
      ready.startPrice();
      return ready.preview();
    },
    exposure: ready.place.dryRun ? TRADES_NOTHING : exposureAtStart(ready),
    strategies: [],
    check() {
      if (ready.reads.killed) throw killRefusal(deps.killHere, kind.idle);
      ready.startPrice();
    },
    async act() {
      const strategy = await createStrategy(deps, kind, ready, call);
      return startedOut(deps, kind, strategy, ready.warnings);
    },
  };
}

/** Returns the strategy that an earlier attempt of the same request started. */
export async function startedEarlier({ store }: Deps, request: string | null): Promise<Strategy | undefined> {
  const [view] = request === null ? [] : await store.strategies({ request });
  return view?.strategy;
}

export const earlierPreview = ({ id }: Pick<Strategy, "id">): Preview => ({
  what: `${id} was started by an earlier attempt of this request`,
  cost: "nothing more",
  worstCase: "nothing more is started",
  limits: [],
});

function exposureAtStart<S extends PositionStrategy>({
  config,
  stateAt,
  reads,
  mid,
  largest,
}: ReadyStart<S>) {
  const { market, standings } = reads;
  return positionExposure(
    { symbol: market.symbol, config, state: stateAt(ONE), phase: "starting" },
    { mid, largest, buys: [], exitsOnLoss: exitsOnLoss(standings.all[0]?.limits ?? {}, market.quote) },
  );
}

async function createStrategy<S extends PositionStrategy>(
  deps: Deps,
  { name, idle }: PositionKind<S>,
  { place, reads, version, prefix, config, stateAt, startPrice }: ReadyStart<S>,
  call: StartCaller,
): Promise<Strategy> {
  const { exchange, symbol } = place;
  const { account } = reads.venue;
  const state = stateAt(startPrice());
  await fundPaper(deps, place, reads.venue);
  const { base, quote } = splitPair(symbol);
  const strategy = await deps.store.createStrategy(
    {
      ...{ kind: name, version, config, state, wants: "run", ...NO_STOP },
      ...{ status: "running", phase: "starting", lastError: null, stoppedAt: null },
      prefix: `${prefix}-${exchange}-${base}-${quote}`,
      ...{ account: accountKey(account), symbol, name: place.name ?? null },
      startedAt: deps.marketTime(account, reads.now),
      request: call.requestKey ?? null,
    },
    byOf(call),
  );
  if (!strategy) throw killRefusal(deps.killHere, idle);
  return strategy;
}

async function startedOut<S extends PositionStrategy, Requested extends object>(
  deps: Deps,
  kind: PositionKind<S, Requested>,
  { id, account }: Strategy,
  warnings: CodedText[],
) {
  const ref = parseAccountKey(account);
  const venue = deps.venueOf(ref);
  const pass = venue && (await stepNow(deps, venue));
  const { strategy } = await viewNamed(deps, kind, id);
  const { status, phase, config, symbol } = strategy;
  return {
    ...{ id, status, phase, message: describeStart(strategy, pass) },
    ...kind.requested(ref.exchange, symbol, config),
    warnings,
  };
}
