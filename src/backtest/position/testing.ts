import { type Candles, candlesOf } from "../../candles/candles.ts";
import { createReader } from "../../candles/read.ts";
import { positionAccounts } from "../../engine/position/position.ts";
import { type Amount, Money } from "../../kernel/money.ts";
import { isPair, splitPair } from "../../kernel/pair.ts";
import { MINUTE, type Millis } from "../../kernel/time.ts";
import type { Market, Side } from "../../model/market.ts";
import type { Refusal } from "../../model/strategy.ts";
import { candleNeeds } from "../../own/pass/ask.ts";
import type { AnyStrategyDefinition, StrategyNotes } from "../../ports/definition.ts";
import { finish } from "../run/begin.ts";
import { backtestingDeclared } from "./declared.ts";

export interface TestMarketRules {
  /** Default: BTC/USDT. */
  readonly symbol?: string;
  readonly tick?: Amount;
  readonly lot?: Amount;
  readonly minAmount?: Amount;
  readonly minNotional?: Amount;
  /** Fee rates, as shares of the notional. */
  readonly maker?: Amount;
  readonly taker?: Amount;
}

export interface StrategyPast {
  readonly config: Readonly<Record<string, unknown>>;
  /** Prices one minute apart, or the text of a CSV file with candles. */
  readonly prices: readonly Amount[] | string;
  /** Prices of other sources at the same times, by the names of the sources, if the strategy uses a reference price. */
  readonly reference?: StrategyPast["prices"] | Readonly<Record<string, StrategyPast["prices"]>>;
  /** Prices at the same times for requests of candles of another pair or exchange, by the names of the requests. */
  readonly candles?: Readonly<Record<string, StrategyPast["prices"]>>;
  /** State that an older version left, to test `upgrade`: the run goes on from it, as a server does after an update. */
  readonly stored?: { readonly version: number; readonly state: unknown };
  readonly base?: Amount;
  readonly quote?: Amount;
  readonly market?: TestMarketRules;
  /** Milliseconds between two passes; default 5000. */
  readonly tickInterval?: Millis;
}

export interface TestedFill {
  readonly at: Millis;
  readonly side: Side;
  readonly price: Money;
  readonly amount: Money;
}

export interface BacktestOutcome {
  readonly fills: readonly TestedFill[];
  /** Base and quote at the end. */
  readonly base: Money;
  readonly quote: Money;
  /** Profit in quote, with base valued at the last price. */
  readonly total: Money;
  /** State that the last call returned; null without one. */
  readonly state: unknown;
  /** Values that the last call returned as its notes. */
  readonly notes: StrategyNotes;
  /** Number of lines that the calls returned as their log, and the last 50 of them. */
  readonly logLines: number;
  readonly log: readonly string[];
  /** Returned orders that could not be placed at the end, and why. */
  readonly refused: readonly (Omit<Refusal, "slot"> & { readonly id: string })[];
  /** Why the strategy failed; null if it did not. */
  readonly error: string | null;
}

/** 2026-01-01, where the prices of a test begin. */
const START = 1_767_225_600_000;

/** Runs a strategy over past prices, each call twice, with the code that trades. Throws for a config or prices that are not valid. */
export function backtestStrategy(
  definition: AnyStrategyDefinition,
  {
    config,
    prices,
    reference,
    candles = {},
    stored,
    base = 0,
    quote = 0,
    market: rules = {},
    tickInterval,
  }: StrategyPast,
): BacktestOutcome {
  const market = marketWith(rules);
  const budget = { baseBudget: Money.of(base).units, quoteBudget: Money.of(quote).units };
  const { guard = (work) => work() } = definition;
  guard(() => definition.config.parse(config));
  const { run, endPrice, log } = finish(
    backtestingDeclared(definition, { ...budget, options: config }, minuteCandles(prices, market), {
      market,
      withBand: false,
      stored,
      reference: Object.entries(namedPrices(reference)).map(([source, levels]) => ({
        source,
        candles: minuteCandles(levels, market),
      })),
      elsewhere: candleNeeds(definition).flatMap((need) => {
        const levels = candles[need.name ?? ""];
        return levels
          ? [{ ...need, candles: minuteCandles(levels, { ...market, symbol: need.symbol ?? market.symbol }) }]
          : [];
      }),
      ...(tickInterval === undefined ? {} : { rules: { tickInterval } }),
    }),
  );
  const { strategy } = run.account;
  const { base: baseAfter, ledger, memory, notes = {}, refused, ids } = strategy.state;
  return {
    fills: run.fills.map(({ at, side, price, amount }) => ({
      at,
      side,
      price: Money.of(price),
      amount: Money.of(amount),
    })),
    base: Money.of(baseAfter),
    quote: Money.of(budget.quoteBudget + ledger.quote),
    total: Money.of(positionAccounts(strategy, endPrice).total),
    state: memory === null ? null : JSON.parse(memory.json),
    notes,
    logLines: log.lines.length + log.dropped,
    log: log.lines,
    refused: refused.map(({ slot, ...refusal }) => ({ id: ids[slot] ?? "", ...refusal })),
    error: strategy.lastError,
  };
}

const namedPrices = (
  reference: StrategyPast["reference"] = {},
): Readonly<Record<string, StrategyPast["prices"]>> =>
  typeof reference === "string" || Array.isArray(reference)
    ? { other: reference }
    : (reference as Readonly<Record<string, StrategyPast["prices"]>>);

function marketWith({
  symbol = "BTC/USDT",
  tick = "0.01",
  lot = "0.00001",
  minAmount = "0.00001",
  minNotional = 5,
  maker = "0.001",
  taker = "0.001",
}: TestMarketRules): Market {
  if (!isPair(symbol)) throw new TypeError(`${symbol} is not a pair: use BASE/QUOTE, such as BTC/USDT`);
  const units = (amount: Amount) => Money.of(amount).units;
  return {
    symbol,
    ...splitPair(symbol),
    tick: units(tick),
    lot: units(lot),
    minAmount: units(minAmount),
    minNotional: units(minNotional),
    maker: units(maker),
    taker: units(taker),
    active: true,
    buyFeeIn: "quote",
  };
}

/** Each minute goes straight from its price to the next one. */
export function minuteCandles(
  prices: StrategyPast["prices"],
  { symbol, tick }: Pick<Market, "symbol" | "tick">,
): Candles {
  if (typeof prices === "string") {
    const reader = createReader({ pair: symbol });
    reader.push(new TextEncoder().encode(prices));
    return reader.end().candles;
  }
  const levels = prices.map((price) => Money.of(price).roundTo(Money.of(tick)));
  const rows = levels.map((open, i) => {
    const close = levels[i + 1] ?? open;
    return {
      at: START + i * MINUTE,
      volume: 1,
      open: String(open),
      close: String(close),
      high: String(open.max(close)),
      low: String(open.min(close)),
    };
  });
  return candlesOf({ pair: symbol, spanMillis: MINUTE }, rows);
}
