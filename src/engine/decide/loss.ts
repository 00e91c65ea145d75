import { type Decimal, max, sum, text, ZERO } from "../../kernel/decimal.ts";
import { splitPair } from "../../kernel/pair.ts";
import { midOf } from "../../kernel/spread.ts";
import { howToChange } from "../../limits/allowed.ts";
import { showLimit } from "../../limits/texts.ts";
import type { Bounds } from "../../model/limits.ts";
import type { Quote } from "../../model/market.ts";
import type { AccountMemory, Losses, LossWatch } from "../../model/memory.ts";
import type { Strategy } from "../../model/strategy.ts";
import type { Kind, Kinds } from "../../ports/kind.ts";

/** Basis of a loss check. A changed limit or a person's resume restarts the check. */
interface WatchedLoss {
  readonly what: "strategyLoss" | "accountLoss";
  readonly asset: string;
  readonly total: () => Decimal;
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
  { what, asset, total: totalNow, resumes, whose }: WatchedLoss,
  { standings: { version, all } }: Bounds,
): LossWatch | null {
  const limits = all[0]?.limits[what];
  const most = limits?.[asset];
  if (most === undefined) return null;
  const total = totalNow();
  const isResumed = before !== null && before.over !== null && resumes > before.resumes;
  const peak = isResumed ? total : max(before?.peak ?? ZERO, total);
  const stays = before?.over != null && !isResumed && before.version === version;
  const over = stays
    ? before.over
    : peak - total > most
      ? `the limit ${what} is ${showLimit(limits)}, but ${whose} lost ${text(peak - total)} ${asset} from the best result of ${text(peak)}; resume to start a new count, or ${howToChange(what)}`
      : null;
  const same = before?.peak === peak && before.over === over && before.version === version;
  return same && before.resumes === resumes ? before : { peak, over, version, resumes };
}

/** Pauses or stops a strategy if its loss or its account's loss exceeds the limit. */
export function judgeLoss<S extends Strategy>(
  kind: Kind,
  strategy: S,
  {
    quote,
    bounds,
    accountLoss,
  }: { readonly quote: Quote; readonly bounds: Bounds; readonly accountLoss: string | null },
): S {
  const { state, resumes, symbol } = strategy;
  const total = () => kind.accounts(strategy, midOf(quote)).total;
  const asset = splitPair(symbol).quote;
  const watched = { what: "strategyLoss", asset, total, resumes, whose: `this ${kind.name}` } as const;
  const loss = judge(state.loss ?? null, watched, bounds);
  const beyond = loss?.over ?? accountLoss;
  const isStop = beyond !== null && bounds.standings.all[0]?.limits.onLoss === "stop";
  if (loss === (state.loss ?? null) && beyond === (state.halted ?? null) && !isStop) return strategy;
  const next = { ...state, loss, halted: beyond };
  if (!isStop) return { ...strategy, state: next };
  const notice = { code: "loss_limit", message: beyond } as const;
  const exit = { reason: "loss", tries: 0, baseAtStart: kind.holdings(state).base } as const;
  return { ...strategy, state: { ...next, exit, notices: [notice] } };
}

const kindNames = (strategies: readonly Strategy[]): string =>
  [...new Set(strategies.map(({ kind }) => `${kind}s`))].join(" and ");

/** Returns the losses of an account by quote asset, including strategies that have stopped since. */
export function judgeAccount(
  memory: AccountMemory,
  strategies: readonly Strategy[],
  around: { readonly bounds: Bounds; readonly quotes: ReadonlyMap<string, Quote>; readonly kinds: Kinds },
): Losses {
  const { bounds } = around;
  const before = memory.losses ?? {};
  const limits = bounds.standings.all[0]?.limits.accountLoss ?? {};
  const judged = Object.keys(limits).map((asset): [string, Losses[string]] => {
    const known = before[asset] ?? { closed: ZERO, watch: null };
    const mine = strategies.filter(({ symbol }) => splitPair(symbol).quote === asset);
    const totals = mine.map((strategy) => totalOf(strategy, { ...around, memory }));
    // An unknown result is not zero: the account is checked again when every price is known.
    if (!totals.every((total) => total !== undefined)) return [asset, known];
    const resumes = mine.reduce((count, strategy) => count + strategy.resumes, 0);
    const total = sum(totals) + known.closed;
    const watch = judge(
      known.watch,
      { what: "accountLoss", asset, total: () => total, resumes, whose: `the account's ${kindNames(mine)}` },
      bounds,
    );
    return [asset, watch === known.watch ? known : { ...known, watch }];
  });
  const same =
    judged.length === Object.keys(before).length && judged.every(([asset, one]) => before[asset] === one);
  return same ? before : Object.fromEntries(judged);
}

interface LossContext {
  readonly memory: AccountMemory;
  readonly quotes: ReadonlyMap<string, Quote>;
  readonly kinds: Kinds;
}

function totalOf(
  { symbol, state, kind }: Strategy,
  { memory: { marks }, quotes, kinds }: LossContext,
): Decimal | undefined {
  const quote = quotes.get(symbol);
  const mid = quote ? midOf(quote) : marks[symbol]?.mid;
  return mid === undefined ? undefined : kinds(kind).accounts({ symbol, state }, mid).total;
}

/** Keeps the results of strategies that stop in this pass in the account's result. */
export function withStopped(losses: Losses, stopped: readonly Strategy[], around: LossContext): Losses {
  if (stopped.length === 0) return losses;
  const closedIn = (asset: string) =>
    sum(
      stopped
        .filter(({ symbol }) => splitPair(symbol).quote === asset)
        .map((strategy) => totalOf(strategy, around) ?? ZERO),
    );
  return Object.fromEntries(
    Object.entries(losses).map(([asset, one]) => [asset, { ...one, closed: one.closed + closedIn(asset) }]),
  );
}
