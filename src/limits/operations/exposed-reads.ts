/** Reads what is needed to compute what a running strategy can sell and buy. */
import { type Decimal, max, ZERO } from "../../kernel/decimal.ts";
import { type Pair, splitPair } from "../../kernel/pair.ts";
import { midOf } from "../../kernel/spread.ts";
import { type AccountRef, accountKey, parseAccountKey } from "../../model/account.ts";
import type { Limits, LimitsRead, LimitsRequest, StandingsRead } from "../../model/limits.ts";
import type { BidAsk } from "../../model/market.ts";
import type { Order } from "../../model/order.ts";
import { type Exposure, NO_EXPOSURE } from "../../model/proposal.ts";
import type { Strategy, StrategyConfig, StrategyState } from "../../model/strategy.ts";
import { exitsOnLoss, exposureOf, openBids } from "../allowed.ts";
import { type Positioned, type PositionMarket, positionExposure } from "../position.ts";
import { accountLimits, ownLimits, scopeOfAccount, scopeOfToken, usedOf } from "../standing.ts";

/** The database and the exchanges that the reads use. */
interface ExposedAccounts {
  readonly store: {
    readLimits(request: LimitsRequest): Promise<LimitsRead>;
    unsettledOrders(account: string): Promise<readonly Order[]>;
  };
  readonly limits?: Limits | undefined;
  readonly venueOf: (account: AccountRef) => ExposedVenue | undefined;
}

interface ExposedVenue {
  ticker(symbol: Pair): Promise<BidAsk>;
  openOrders(symbol: Pair): Promise<readonly { readonly id: string; readonly filled: Decimal }[]>;
}

/** Returns whether a loss limit makes the engine sell a strategy's base. */
export async function readExitsOnLoss(
  deps: ExposedAccounts,
  { account, symbol }: Strategy,
): Promise<boolean> {
  const { all } = await readStandings(deps, parseAccountKey(account), "");
  return exitsOnLoss(all[0]?.limits ?? {}, splitPair(symbol).quote);
}

/** Returns the mid price of a strategy's market; undefined if this process cannot reach its exchange. */
export async function readMarketMid(
  { venueOf }: ExposedAccounts,
  { account, symbol }: Strategy,
): Promise<Decimal | undefined> {
  const venue = venueOf(parseAccountKey(account));
  return venue && midOf(await venue.ticker(symbol));
}

/** Returns a strategy's open buys from its books, even if they have filled since. */
export const readOpenBuys = async (
  { store }: ExposedAccounts,
  { id, account }: Strategy,
): Promise<readonly Order[]> =>
  (await store.unsettledOrders(account)).filter(({ strategy, side }) => strategy === id && side === "buy");

/**
 * Returns the part of open buys that can have filled without being booked: all of a buy that the exchange no longer
 * lists.
 */
export async function readUnbookedBuys(deps: ExposedAccounts, strategy: Strategy): Promise<readonly Order[]> {
  const buys = await readOpenBuys(deps, strategy);
  const venue = deps.venueOf(parseAccountKey(strategy.account));
  const open = buys.length > 0 && venue ? await venue.openOrders(strategy.symbol) : [];
  const filled = new Map(open.map((one) => [one.id, one.filled]));
  return buys.map((order) => ({
    ...order,
    amount: max(order.booked, filled.get(order.exchangeId ?? "") ?? order.amount),
  }));
}

/** Sources of limits: stored limits, and those of the operator's settings. */
interface LimitsDeps {
  readonly store: { readLimits(request: LimitsRequest): Promise<LimitsRead> };
  readonly limits?: Limits | undefined;
}

/** Reads the limits that apply now to an order of `actor` on an account. */
export async function readStandings(
  { store, limits }: LimitsDeps,
  account: AccountRef,
  actor: string,
): Promise<StandingsRead> {
  const key = accountKey(account);
  const [ofAccount, ofToken] = [scopeOfAccount(key), scopeOfToken(actor)];
  const countsOpen = limits?.openOrders !== undefined;
  const read = await store.readLimits({ scopes: [ofAccount, ofToken], account: key, actor, countsOpen });
  const { now, stored, uses, openOrders, openOfActor } = read;
  const usesOf = (scope: string) => uses.filter((use) => use.scope === scope);
  return {
    version: stored.version,
    now,
    all: [
      {
        scope: ofAccount,
        actor: null,
        limits: accountLimits(stored, account.exchange, limits),
        used: usedOf(usesOf(ofAccount), { now, openOrders }),
      },
      {
        scope: ofToken,
        actor,
        limits: ownLimits(stored, ofToken),
        used: usedOf(usesOf(ofToken), { now, openOrders: openOfActor }),
      },
    ],
  };
}

/** Reads what a running position can sell and buy. */
const isOnPaper = ({ account }: Pick<Strategy, "account">): boolean =>
  parseAccountKey(account).kind === "dry";

/** The part of a kind of strategy that says what base it has. */
interface BaseHolding {
  holdings(state: StrategyState): { readonly base: Decimal };
}

/** Returns all base that it has or may already have bought. */
export async function readSaleExposure(
  deps: ExposedAccounts,
  { holdings }: BaseHolding,
  strategy: Strategy,
): Promise<Exposure> {
  if (isOnPaper(strategy) || strategy.status === "stopped") return NO_EXPOSURE;
  const mid = await readMarketMid(deps, strategy);
  const base = max(ZERO, holdings(strategy.state).base) + openBids(await readOpenBuys(deps, strategy)).base;
  return exposureOf({ symbol: strategy.symbol, mid, parts: [{ base, quote: ZERO }], exits: false });
}

/** Returns the exposure of a pause, including base that its stop price or a loss limit would have sold. */
export async function readPauseExposure(
  deps: ExposedAccounts,
  kind: BaseHolding,
  strategy: Strategy,
): Promise<Exposure> {
  const { edit, config } = strategy;
  const isProtected = protectedBy(edit ?? config) || (await readExitsOnLoss(deps, strategy));
  return isProtected ? readSaleExposure(deps, kind, strategy) : NO_EXPOSURE;
}

const protectedBy = ({ stopLossPrice, trailingStop }: StrategyConfig): boolean =>
  stopLossPrice !== undefined || trailingStop !== undefined;

/** Returns the exposure of a running strategy: all that its budget allows. */
export async function readPositionExposure(
  deps: ExposedAccounts,
  strategy: Positioned,
  { largest, sellsAtOnce }: Pick<PositionMarket, "largest" | "sellsAtOnce"> = {},
): Promise<Exposure> {
  if (isOnPaper(strategy)) return NO_EXPOSURE;
  return positionExposure(strategy, {
    mid: await readMarketMid(deps, strategy),
    buys: await readUnbookedBuys(deps, strategy),
    exitsOnLoss: await readExitsOnLoss(deps, strategy),
    largest,
    sellsAtOnce,
  });
}
