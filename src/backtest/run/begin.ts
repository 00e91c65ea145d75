import { gridKind } from "../../grid/kind.ts";
import {
  type CenteredRequest,
  type Checked,
  checkCentered,
  checkStart,
  type RequestedRange,
} from "../../grid/start/check.ts";
import { firstState } from "../../grid/start/planned-start.ts";
import type { GridStrategy } from "../../grid/state/state.ts";
import { NO_STOP } from "../../kernel/fields.ts";
import { splitPair } from "../../kernel/pair.ts";
import { accountKey, type Balance } from "../../model/account.ts";
import type { BidAsk, Market } from "../../model/market.ts";

/** A grid as a user requests it: between two prices, or around the market. */
export type GridRequest = RequestedRange | CenteredRequest;

interface CheckInputs {
  readonly market: Market;
  readonly quote: BidAsk;
  readonly balances: readonly Balance[];
}

/**
 * Returns the plan of a start at the first price. Throws AppError for what a start would refuse, except a grid above
 * the first price without base, which waits for the price.
 */
export function checkGrid(query: GridRequest, inputs: CheckInputs): Checked {
  const waiting = { ...inputs, mayWait: true };
  return "centered" in query ? checkCentered(query, waiting) : checkStart(query, waiting);
}

/** Returns the strategy as a start would store it, before its first pass. */
export function begin(checked: Checked, { market, quote }: CheckInputs, exchange = "backtest"): GridStrategy {
  const { base, quote: asset } = splitPair(market.symbol);
  const isWaiting = checked.config.triggerPrice !== undefined;
  return {
    id: `grid-${exchange}-${base}-${asset}-${quote.at}`,
    kind: gridKind.name,
    version: gridKind.version,
    number: quote.at,
    account: accountKey({ exchange, kind: "sandbox", host: "" }),
    symbol: market.symbol,
    config: checked.config,
    state: firstState(checked, quote),
    wants: "run",
    ...NO_STOP,
    status: isWaiting ? "idle" : "running",
    phase: "starting",
    lastError: null,
    startedAt: quote.at,
    stoppedAt: null,
    epoch: 0,
    resumes: 0,
    request: null,
  };
}
