/** Backtests a position over candles. */
import type { Candles } from "../../candles/candles.ts";
import { positionAccounts } from "../../engine/position/ledger.ts";
import type { PositionStrategy } from "../../engine/position/state.ts";
import { type Decimal, text, ZERO } from "../../kernel/decimal.ts";
import { AppError } from "../../kernel/errors.ts";
import type { Pair } from "../../kernel/pair.ts";
import { NO_STOP } from "../../kernel/stop-flags.ts";
import { SECOND } from "../../kernel/time.ts";
import { accountKey, type Balance } from "../../model/account.ts";
import type { Market } from "../../model/market.ts";
import type { Both } from "../../model/reserve.ts";
import type { StrategyOnPaper } from "../paper/strategy-on-paper.ts";
import { type Band, bandOf, onEachPath } from "../run/each-path.ts";
import { pathsFrom, RULES, type Rules } from "../tape/rules.ts";
import { closeAt, lowAt, missingBars, openAt, ticksOf } from "../tape/ticks.ts";
import { type PositionWalkOptions, positionValue, type WalkedPosition, walkingPosition } from "./walk.ts";

export interface PositionBacktestOptions extends Pick<PositionWalkOptions, "kinds" | "guard" | "requested"> {
  readonly market: Market;
  readonly balances?: Readonly<Record<string, Decimal>> | undefined;
  readonly rules?: Partial<Rules>;
  readonly isOver?: (bars: number) => boolean;
  /** Whether to also run the other orders of the extremes within a bar, and the other fill rule; default true. */
  readonly withBand?: boolean;
}

export interface PositionBacktest<S extends PositionStrategy> {
  readonly rules: Rules & { readonly tickInterval: number };
  readonly config: S["config"];
  readonly market: Market;
  readonly run: WalkedPosition<S>;
  readonly startPrice: Decimal;
  readonly endPrice: Decimal;
  /** Initial value in quote. */
  readonly invested: Decimal;
  /** Result of holding the initial balances unchanged. */
  readonly kept: Decimal;
  /** Null if a run ended early. */
  readonly band: Band | null;
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
  readonly bars: number;
  readonly missing: number;
}

/** The default of `serve --tick-interval 5000`. */
const USUAL_INTERVAL = 5 * SECOND;

/**
 * Backtests a strategy with its config and state, as a start would store them. Yields the completed share. Throws
 * AppError.
 */
export function* backtestingPosition<S extends PositionStrategy>(
  begin: (startPrice: Decimal) => S,
  candles: Candles,
  { market, rules: given, isOver, kinds, guard, requested, withBand = true }: PositionBacktestOptions,
): Generator<number, PositionBacktest<S>> {
  const bars = ticksOf(candles, market.tick);
  // Without bars the lowest price is below every one.
  if (lowAt(bars, 0) < 1)
    throw new AppError("Invalid request", `the candles' prices are below the tick of ${text(market.tick)}`);
  const rules = { ...RULES, ...given, tickInterval: given?.tickInterval ?? USUAL_INTERVAL };
  const price = (ticks: number) => BigInt(ticks) * market.tick;
  const startPrice = price(openAt(bars, 0));
  const strategy = begin(startPrice);
  const { budget } = strategy.config;
  const balances = [
    { asset: market.base, free: budget.base, used: ZERO },
    { asset: market.quote, free: budget.quote, used: ZERO },
  ] satisfies Balance[];
  const paths = withBand ? pathsFrom(rules) : [rules];
  const { run, accounts } = yield* onEachPath(paths, bars.count, ({ extremes, fill }) =>
    walkingPosition(strategy, bars, {
      market,
      rules: { ...rules, extremes, fill },
      balances,
      isOver,
      kinds,
      guard,
      requested,
    }),
  );
  const endPrice = price(closeAt(bars, Math.max(0, run.bars - 1)));
  const missing = missingBars(candles);
  return {
    ...{ rules, config: strategy.config, market, run, startPrice, endPrice, missing },
    invested: positionValue(budget, startPrice),
    kept: positionValue(budget, endPrice) - positionValue(budget, startPrice),
    band: withBand && accounts ? positionBand(accounts, endPrice) : null,
    warnings: doubtsOf(run, { rules, missing, span: candles.spanMillis }),
    bars: bars.count,
  };
}

/** Returns the budget of the backtest; there is no account whose free balance could be used. */
export function pastBudget(
  {
    baseBudget,
    quoteBudget,
  }: { readonly baseBudget?: Decimal | undefined; readonly quoteBudget?: Decimal | undefined },
  { base, quote }: Market,
  balances: PositionBacktestOptions["balances"],
): Both {
  const budget = {
    base: baseBudget ?? balances?.[base] ?? ZERO,
    quote: quoteBudget ?? balances?.[quote] ?? ZERO,
  };
  if (budget.base + budget.quote > ZERO) return budget;
  throw new AppError("Invalid request", "set baseBudget and quoteBudget");
}

/** Returns the fields that a start would store besides kind, config and state. */
export const pastStrategy = (
  id: string,
  symbol: Pair,
  at: number,
): Omit<PositionStrategy, "kind" | "version" | "config" | "state" | "edit"> => ({
  ...{ id, number: at, symbol },
  account: accountKey({ exchange: "backtest", kind: "sandbox", host: "" }),
  ...NO_STOP,
  ...{ wants: "run", status: "running", phase: "starting" },
  ...{ lastError: null, startedAt: at, stoppedAt: null, epoch: 0, resumes: 0, request: null },
});

const positionBand = (accounts: readonly StrategyOnPaper<PositionStrategy>[], price: Decimal): Band =>
  bandOf(
    accounts.map(({ strategy }) => {
      const { total, filledOrders } = positionAccounts(strategy, price);
      return { total, count: filledOrders };
    }),
  );

const FEW_FILLS = 30;

/** Warns about what candles hide, which makes quotes look better than they are. */
function doubtsOf<S extends PositionStrategy>(
  { account }: WalkedPosition<S>,
  {
    rules,
    missing,
    span,
  }: { readonly rules: PositionBacktest<S>["rules"]; readonly missing: number; readonly span: number },
): PositionBacktest<S>["warnings"] {
  const { bids, asks } = account.strategy.state.ledger;
  const results = [
    {
      code: "no_book",
      message:
        "candles have no order book: every order fills completely when the price passes it, and other exchanges do not count. Real quotes fill less often, and mostly when a fill loses money",
    },
  ];
  if (rules.tickInterval < span)
    results.push({
      code: "path_made_up",
      message: `a candle of ${span / SECOND} s has four prices, and the path between them is assumed; with passes every ${rules.tickInterval / SECOND} s, most fills come from that path`,
    });
  if (bids + asks < FEW_FILLS)
    results.push({
      code: "few_fills",
      message: `${bids + asks} filled orders are too few to distinguish luck from skill`,
    });
  if (missing > 0)
    results.push({
      code: "missing_bars",
      message: `${missing} candles are missing; the price is assumed to move straight across each gap`,
    });
  return results;
}
