/** A kind of strategy that is only a test of the engine: one order that follows the bid. */
import * as z from "zod";
import { cancellable, draftOf, isRecovering } from "../../src/engine/decide/intents.ts";
import { type Decimal, ZERO } from "../../src/kernel/decimal.ts";
import { refusedWithin } from "../../src/limits/standing.ts";
import { type BidAsk, type Market, meetsMinimum } from "../../src/model/market.ts";
import type { Draft, Order } from "../../src/model/order.ts";
import { NO_EXPOSURE } from "../../src/model/proposal.ts";
import { NO_RESERVE, need, type Strategy, type StrategyConfig } from "../../src/model/strategy.ts";
import type { DraftedStrategy, Kind, StrategyContext } from "../../src/ports/kind.ts";
import { accounts, type Books, bookEnd, bookFill, movedByBooks } from "./books.ts";

/** The amount is the base of an order. */
export type FollowConfig = StrategyConfig & { readonly amount: Decimal };
type Follow = Strategy<FollowConfig, Books>;

function run(
  before: Follow,
  live: readonly Order[],
  pass: StrategyContext,
): Partial<DraftedStrategy<Follow>> {
  const { market, quote, error } = pass.observed;
  if (!market || !quote) return { strategy: { ...before, lastError: error } };
  const strategy: Follow = { ...pass.judge(before, quote, quote), status: "running" };
  const { state } = strategy;
  if (state.exit) return { strategy: { ...strategy, phase: "stopping" }, cancels: cancellable(live) };
  const order = live.length === 0 ? orderAtBid(strategy, market, quote, pass) : undefined;
  const cancels = outdated(state, live, quote);
  const phase = state.halted ? "paused" : order || cancels.length > 0 ? "placing" : "active";
  if (!order) return { strategy: { ...strategy, phase }, cancels };
  const { asset, amount } = need(market, order);
  const funds = { ...pass.funds, [asset]: (pass.funds?.[asset] ?? ZERO) - amount };
  const stepped: Follow = { ...strategy, phase };
  return { strategy: stepped, intents: [order], funds, placing: true };
}

function orderAtBid(
  strategy: Follow,
  market: Market,
  quote: BidAsk,
  pass: StrategyContext,
): Draft | undefined {
  const { state, config, symbol } = strategy;
  const wish = { symbol, side: "buy", type: "limit", price: quote.bid, amount: config.amount } as const;
  const { asset, amount } = need(market, wish);
  const [slot] = state.slots;
  if (!slot || slot.retryAt > pass.now || pass.limit < 1 || !market.active) return undefined;
  if (pass.killed || state.halted || isRecovering(strategy, pass)) return undefined;
  if (amount > (pass.funds?.[asset] ?? ZERO) || !meetsMinimum(market, wish.price, wish.amount))
    return undefined;
  if (refusedWithin(wish, quote, pass.bounds)) return undefined;
  if (pass.resting.some(({ side, price }) => side === "sell" && price <= wish.price)) return undefined;
  const intent = { ...wish, slot: slot.index };
  return draftOf(strategy, intent, { window: pass.window, at: quote.at });
}

const outdated = (_state: Books, live: readonly Order[], quote?: BidAsk): Order[] =>
  cancellable(live).filter(({ price }) => quote !== undefined && price !== quote.bid);

const OwnPart = () => z.object({ kind: z.literal("follow") });

const onlyTestsDo = async () => Promise.reject(new Error("only tests start and change it, in the store"));

export const followKind: Kind<FollowConfig, Books> = {
  name: "follow",
  group: "follow",
  summary: "Follow the bid",
  definitions: [],
  version: 1,
  upgrade: (state) => state as Books,
  bookFill,
  bookEnd,
  beforeFound: ({ state }) => state,
  afterFound: (state) => state,
  skipGenerations: ({ state }) => state,
  release: (state) => state,
  holdings: ({ base, cost }) => ({ base, cost }),
  reserve: () => NO_RESERVE,
  movedByBooks,
  accounts,
  isInRange: () => true,
  reads: "ticker",
  mayPlace: (_strategy, { free }) => free > 0,
  outdated,
  run,
  readStart: onlyTestsDo,
  readEdit: onlyTestsDo,
  editWaitsFor: "orders",
  onPause: "cancel",
  readUse: async () => ({ base: ZERO, quote: ZERO }),
  readExposure: async () => NO_EXPOSURE,
  describeUse: () => "one order",
  startedWith: () => ({ capital: ZERO, price: ZERO }),
  settingsOf: () => ({ config: {} }),
  planDetails: OwnPart,
  planLines: () => ({}),
  statusDetails: OwnPart,
  statusDetailsOf: () => ({ kind: "follow" }),
  statusLines: () => ({}),
};
