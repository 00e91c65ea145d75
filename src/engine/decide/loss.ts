import { type Decimal, max, min, sum, text, ZERO } from "../../kernel/decimal.ts";
import { splitPair } from "../../kernel/pair.ts";
import { isWide, midOf } from "../../kernel/spread.ts";
import { changeCommandOf } from "../../limits/allowed.ts";
import { showLimit } from "../../limits/texts.ts";
import type { Bounds } from "../../model/limits.ts";
import type { BidAsk } from "../../model/market.ts";
import type { AccountMemory, Losses, LossWatch } from "../../model/memory.ts";
import type { Strategy } from "../../model/strategy.ts";
import type { Kind, Kinds } from "../../ports/kind.ts";

/** Basis of a loss check. A changed limit or a person's resume restarts the check. */
interface WatchedLoss {
  readonly what: "strategyLoss" | "accountLoss";
  readonly asset: string;
  /** The result at the lowest and at the highest reliable price. */
  readonly totals: () => readonly [least: Decimal, most: Decimal];
  readonly resumes: number;
  /** Owner of the result, for messages. */
  readonly whose: string;
}

/**
 * Checks a result against its best so far, which is at least zero. Beyond the limit, the strategy stays blocked until
 * a person resumes it, which resets the best result, or changes the limit.
 */
function judge(
  before: LossWatch | null,
  { what, asset, totals, resumes, whose }: WatchedLoss,
  { standings: { version, all } }: Bounds,
): LossWatch | null {
  const limits = all[0]?.limits[what];
  const most = limits?.[asset];
  if (most === undefined) return null;
  const [least, total] = totals();
  const isResumed = before !== null && before.over !== null && resumes > before.resumes;
  const peak = isResumed ? least : max(before?.peak ?? ZERO, least);
  const stays = before?.over != null && !isResumed && before.version === version;
  const over = stays
    ? before.over
    : peak - total > most
      ? `the limit ${what} is ${showLimit(limits)}, but ${whose} lost ${text(peak - total)} ${asset} from the best result of ${text(peak)}; resume to start a new count, or ${changeCommandOf(what)}`
      : null;
  const same = before?.peak === peak && before.over === over && before.version === version;
  return same && before.resumes === resumes ? before : { peak, over, version, resumes };
}

/**
 * Pauses or stops a strategy if its loss or its account's loss exceeds the limit. In a book without a reliable mid price,
 * its own limit and each stop wait, as stop prices do.
 */
export function judgeLoss<S extends Strategy>(
  kind: Kind,
  strategy: S,
  {
    quote,
    bounds,
    accountLoss,
  }: { readonly quote: BidAsk; readonly bounds: Bounds; readonly accountLoss: string | null },
): S {
  const { state, resumes, symbol } = strategy;
  const isReliable = !isWide(quote);
  const totals = () => {
    const { total } = kind.accounts(strategy, midOf(quote));
    return [total, total] as const;
  };
  const asset = splitPair(symbol).quote;
  const watched = { what: "strategyLoss", asset, totals, resumes, whose: `this ${kind.name}` } as const;
  const before = state.loss ?? null;
  const loss = isReliable ? judge(before, watched, bounds) : before;
  const limited = loss?.over ?? accountLoss;
  const lostAt = isReliable ? lostAtOf(kind, strategy, quote) : (state.lostAt ?? null);
  const beyond = limited ?? (lostAt === null ? null : describeMaxLoss(strategy));
  const isStop = isReliable && limited !== null && bounds.standings.all[0]?.limits.onLoss === "stop";
  const isSame = loss === before && beyond === (state.halted ?? null) && lostAt === (state.lostAt ?? null);
  if (isSame && !isStop) return strategy;
  const next = { ...state, loss, halted: beyond, lostAt };
  if (!isStop) return { ...strategy, state: next };
  const notice = { code: "loss_limit", message: beyond } as const;
  const exit = { reason: "loss", tries: 0, baseAtStart: kind.holdings(state).base } as const;
  return { ...strategy, state: { ...next, exit, notices: [notice] } };
}

/** Returns the resumes at which its result was worse than its `maxLoss`: from then on, a person must resume it. */
function lostAtOf(kind: Kind, strategy: Strategy, quote: BidAsk): number | null {
  const { config, state, resumes } = strategy;
  if (config.maxLoss === undefined) return null;
  const { lostAt = null } = state;
  const stays = lostAt !== null && lostAt === resumes;
  return stays || kind.accounts(strategy, midOf(quote)).total < -config.maxLoss ? resumes : null;
}

const describeMaxLoss = ({ config: { maxLoss = ZERO }, symbol }: Strategy): string =>
  `its loss exceeds its maximum of ${text(maxLoss)} ${splitPair(symbol).quote}; raise the maximum and resume it, or stop it`;

/** Returns why a strategy's own loss limit waits; null if it does not. */
export const delayedLoss = (quote: BidAsk, { standings }: Bounds): string | null =>
  isWide(quote) && standings.all[0]?.limits.strategyLoss
    ? "the spread is wider than 2 %, so the mid price is not reliable, and the limit strategyLoss waits for a narrower spread"
    : null;

/** Returns the losses of an account by quote asset, including strategies that have stopped since. */
export function judgeAccount(
  memory: AccountMemory,
  strategies: readonly Strategy[],
  around: { readonly bounds: Bounds; readonly quotes: ReadonlyMap<string, BidAsk>; readonly kinds: Kinds },
): Losses {
  const { bounds } = around;
  const before = memory.losses ?? {};
  const limits = bounds.standings.all[0]?.limits.accountLoss ?? {};
  const judged = Object.keys(limits).map((asset): [string, Losses[string]] => {
    const known = before[asset] ?? { closed: ZERO, watch: null };
    const mine = strategies.filter(({ symbol }) => splitPair(symbol).quote === asset);
    const results = mine.map((strategy) => resultsOf(strategy, { ...around, memory }));
    const resumes = mine.reduce((count, strategy) => count + strategy.resumes, 0);
    const least = sum(results.map(([low]) => low)) + known.closed;
    const most = sum(results.map(([, high]) => high)) + known.closed;
    const totals = () => [least, most] as const;
    const whose = `the account's ${[...new Set(mine.map(({ kind }) => `${kind}s`))].join(" and ")}`;
    const watch = judge(known.watch, { what: "accountLoss", asset, totals, resumes, whose }, bounds);
    return [asset, watch === known.watch ? known : { ...known, watch }];
  });
  const same =
    judged.length === Object.keys(before).length && judged.every(([asset, one]) => before[asset] === one);
  return same ? before : Object.fromEntries(judged);
}

interface LossContext {
  readonly memory: AccountMemory;
  readonly quotes: ReadonlyMap<string, BidAsk>;
  readonly kinds: Kinds;
}

/**
 * Returns a strategy's results at the lowest and the highest price that is likely now. One strategy without a reliable
 * price must neither halt the others nor turn off their limit, so a wide book counts with both sides and the last price.
 */
function resultsOf(strategy: Strategy, context: LossContext): readonly [low: Decimal, high: Decimal] {
  const quote = context.quotes.get(strategy.symbol);
  const price = likelyPrice(strategy, context);
  const at = (one: Decimal | undefined) => totalAt(strategy, one, context);
  if (!quote || !isWide(quote)) return [at(price), at(price)];
  const { bid, ask } = quote;
  return [at(min(bid, price ?? bid)), at(max(ask, price ?? ask))];
}

/** Without any price, the start price counts. */
const totalAt = ({ symbol, state, kind }: Strategy, price: Decimal | undefined, { kinds }: LossContext) =>
  kinds(kind).accounts({ symbol, state }, price).total;

/** Returns the mid price, or the last one if there is none or if it is not reliable. */
function likelyPrice({ symbol }: Strategy, { memory: { marks }, quotes }: LossContext): Decimal | undefined {
  const quote = quotes.get(symbol);
  return quote && !isWide(quote) ? midOf(quote) : marks[symbol]?.mid;
}

/** Keeps the results of strategies that stop in this pass in the account's result. */
export function withStopped(losses: Losses, stopped: readonly Strategy[], around: LossContext): Losses {
  if (stopped.length === 0) return losses;
  const closedIn = (asset: string) =>
    sum(
      stopped
        .filter(({ symbol }) => splitPair(symbol).quote === asset)
        .map((strategy) => totalAt(strategy, likelyPrice(strategy, around), around)),
    );
  return Object.fromEntries(
    Object.entries(losses).map(([asset, one]) => [asset, { ...one, closed: one.closed + closedIn(asset) }]),
  );
}
