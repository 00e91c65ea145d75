/** What the API answers, read off the schemas that make the answers. */
import type * as z from "zod";
import type { BacktestShape } from "../backtest/schema/answer.ts";
import type { SuggestShape } from "../backtest/schema/suggest.ts";
import type { ComparisonShape } from "../compare/schema.ts";
import type { PoolsShape, PriceShape, TokensShape } from "../dex/schema.ts";
import type { EditedShape, PlannedEditShape } from "../grid/schema/edit.ts";
import type { PlannedShape, StartedShape, StatusShape } from "../grid/schema/schema.ts";
import type { StoppedShape } from "../grid/schema/shapes.ts";
import type { EventsShape, FillsShape, HistoricOrdersShape } from "../history/schema.ts";
import type { WatchedShape } from "../liquidity/operations/pairs.ts";
import type { LiquidityShape } from "../liquidity/schema.ts";
import type { BookShape, CandlesShape, ExchangesShape, TickerShape, TradesShape } from "../market/schema.ts";
import type { Scope } from "../model/token.ts";
import type { OrdersShape } from "../orders/schema.ts";
import type { QuoteChangedShape, QuoteStatusShape } from "../quote/schema/shapes.ts";

type Of<S extends () => z.ZodType> = z.output<ReturnType<S>>;

export type Status = Of<typeof StatusShape>;
export type Grid = Status["strategies"][number];
export type QuotesStatus = Of<typeof QuoteStatusShape>;
export type Quoted = QuotesStatus["strategies"][number];
export type QuotesChanged = Of<typeof QuoteChangedShape>;
export type WatchedPairs = Of<typeof WatchedShape>;
export type LiquidityTold = Of<typeof LiquidityShape>;
export type Planned = Of<typeof PlannedShape>;
export type PlannedEditAnswer = Of<typeof PlannedEditShape>;
export type Edited = Of<typeof EditedShape>;
export type Started = Of<typeof StartedShape>;
export type Stopped = Of<typeof StoppedShape>;
export type Fills = Of<typeof FillsShape>;
export type FillAnswer = Fills["fills"][number];
export type HistoricOrders = Of<typeof HistoricOrdersShape>;
export type Events = Of<typeof EventsShape>;
export type TickerAnswer = Of<typeof TickerShape>;
export type BookAnswer = Of<typeof BookShape>;
export type Trades = Of<typeof TradesShape>;
export type CandlesAnswer = Of<typeof CandlesShape>;
export type Exchanges = Of<typeof ExchangesShape>;
export type SuggestionAnswer = Of<typeof SuggestShape>;
export type Backtest = Of<typeof BacktestShape>;
export type ComparisonAnswer = Of<typeof ComparisonShape>;
export type Pools = Of<typeof PoolsShape>;
export type DexPriceAnswer = Of<typeof PriceShape>;
export type DexTokens = Of<typeof TokensShape>;
export type OpenOrders = Of<typeof OrdersShape>;

export interface TokenTold {
  readonly id: string;
  readonly name: string;
  readonly scope: Scope | "link";
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly server: string | null;
}
export interface KeysTold {
  readonly exchange: string;
  readonly from: "environment" | "database" | "nowhere";
  readonly storedAt: number | null;
  readonly trouble: string | null;
}
export interface ChannelTold {
  readonly channel: string;
  readonly kind: string;
  readonly level: string;
  readonly quiet: string | null;
  readonly daily: boolean;
  readonly sentAt: number | null;
  readonly waiting: number;
  readonly givenUp: number;
  readonly error: string | null;
}

export interface Session {
  readonly actor: string;
  readonly scope: Scope;
}
export interface KillAnswer {
  readonly on: boolean;
  readonly message: string;
}
export interface Balances {
  readonly exchange: string;
  readonly balances: readonly {
    readonly asset: string;
    readonly free: string;
    readonly used: string;
    readonly total: string;
    /** Where it was asked for; null without a price. */
    readonly worth?: string | null;
  }[];
}
