/** Types of API responses, derived from their schemas. */
import type * as z from "zod";
import type { BalancesShape } from "../account/operations/balances.ts";
import type { AuditEventShape, VerdictShape } from "../audit/operations/audit.ts";
import type { BacktestShape } from "../backtest/schema/answer.ts";
import type { SuggestShape } from "../backtest/schema/replay.ts";
import type { ReplayDetails } from "../backtest/schema/replay-shape.ts";
import type { ComparisonShape } from "../compare/schema.ts";
import type { KeyShape, RightsShape, TokenListShape } from "../controls/operations/access.ts";
import type { LimitsShape, SetShape } from "../controls/operations/limits.ts";
import type { KillShape } from "../controls/operations/panic.ts";
import type { PoolsShape, PriceShape, TokensShape } from "../dex/schema.ts";
import type { ChangedShape } from "../engine/operations/reads.ts";
import type { GridPlanShape } from "../grid/schema/plan.ts";
import type { RoundShape } from "../grid/schema/schema.ts";
import type { GridDetailsShape } from "../grid/schema/shapes.ts";
import type { EventsShape, FillsShape, historicOrdersShape } from "../history/schema.ts";
import type { StartedStrategyShape } from "../lifecycle/operations/start.ts";
import type { PlanAnswer, PlannedEditAnswer } from "../lifecycle/plan.ts";
import type { DefinitionsShape, StatusBaseShape, StrategyListShape } from "../lifecycle/schema.ts";
import type { AgreementListShape, LiquidityReportShape } from "../liquidity/agreement-page.tsx";
import type { WatchedShape } from "../liquidity/operations/report.ts";
import type { LiquidityShape } from "../liquidity/schema.ts";
import type { BookShape, CandlesShape, ExchangesShape, TickerShape, TradesShape } from "../market/schema.ts";
import type { Scope } from "../model/token.ts";
import type { AddedChannelShape, ChannelListShape } from "../notify/operations/channels.ts";
import type { OrdersShape } from "../orders/manual-order.ts";
import type { OwnDetailsShape } from "../own/schema/shapes.ts";
import type { PlanShape } from "../plans/operations/plans.ts";
import type { QualityShape } from "../quality/tally.ts";
import type { QuoteDetailsShape, QuotePlanShape } from "../quote/schema/input.ts";
import type { ReportShape } from "../report/schema.ts";

type Of<S extends () => z.ZodType> = z.output<ReturnType<S>>;

export type Quality = Of<typeof QualityShape>;
export type StatusOfAny = Of<typeof StatusBaseShape>;
export type RunningGrid = StatusOfAny & Of<typeof GridDetailsShape>;
export type Quoted = StatusOfAny & Of<typeof QuoteDetailsShape>;
export type StrategyChanged = Of<typeof ChangedShape>;
export type Round = Of<typeof RoundShape>;
export type Definitions = Of<typeof DefinitionsShape>;
export type StartDefinition = Definitions["definitions"][number];
export type StrategyTable = Of<typeof StrategyListShape>;
export type StrategyRow = StrategyTable["strategies"][number];
export type OwnStatus = StatusOfAny & Of<typeof OwnDetailsShape>;
/** A strategy: what all have, and its definition's part. */
export type AnyStrategy = RunningGrid | Quoted | OwnStatus;
export type AgreementList = Of<typeof AgreementListShape>;
export type LiquidityReportView = Of<typeof LiquidityReportShape>;
export type WatchedPairs = Of<typeof WatchedShape>;
export type LiquidityView = Of<typeof LiquidityShape>;
/** A plan of a start without its definition's part. */
export type AnyPlan = PlanAnswer;
export type PlanOfGrid = AnyPlan & { readonly details: Of<typeof GridPlanShape> };
export type PlanOfQuotes = AnyPlan & { readonly details: Of<typeof QuotePlanShape> };
/** A plan of a change without its definition's part. */
export type EditPlan = PlannedEditAnswer;
export type StartedStrategy = Of<typeof StartedStrategyShape>;
export type Fills = Of<typeof FillsShape>;
export type FillAnswer = Fills["fills"][number];
export type HistoricOrders = Of<() => ReturnType<typeof historicOrdersShape>>;
export type Events = Of<typeof EventsShape>;
export type TickerAnswer = Of<typeof TickerShape>;
export type BookAnswer = Of<typeof BookShape>;
export type Trades = Of<typeof TradesShape>;
export type CandlesAnswer = Of<typeof CandlesShape>;
export type Exchanges = Of<typeof ExchangesShape>;
export type SuggestionAnswer = Of<typeof SuggestShape>;
export type Backtest = Of<typeof BacktestShape>;
export type ReplayedGrid = Backtest & { readonly details: { readonly replay: ReplayDetails } };
export type ComparisonAnswer = Of<typeof ComparisonShape>;
export type Pools = Of<typeof PoolsShape>;
export type DexPriceAnswer = Of<typeof PriceShape>;
export type DexTokens = Of<typeof TokensShape>;
export type OpenOrders = Of<typeof OrdersShape>;

export type TokenList = Of<typeof TokenListShape>;
export type TokenAnswer = TokenList["tokens"][number];
export type KeysAnswer = Of<typeof KeyShape>;
export type ChannelList = Of<typeof ChannelListShape>;
export type ChannelAnswer = ChannelList["channels"][number];
export type AddedChannelAnswer = Of<typeof AddedChannelShape>;
export type TestedKeys = Of<typeof RightsShape>;
export type LimitChange = Of<typeof SetShape>;
export type KillAnswer = Of<typeof KillShape>;
export type BalancesAnswer = Of<typeof BalancesShape>;
export type BalanceAnswer = BalancesAnswer["balances"][number];
export type LimitsAnswer = Of<typeof LimitsShape>;
export type AuditEvent = Of<typeof AuditEventShape>;
export type AuditVerdict = Of<typeof VerdictShape>;
export type PendingPlan = Of<typeof PlanShape>;
export type ReportAnswer = Of<typeof ReportShape>;

export interface Session {
  readonly actor: string;
  readonly scope: Scope;
  /** Whether all money of this server is simulated. */
  readonly mode: "simulated" | "real";
}

/** A market that a form or a page is about. */
export interface MarketChoice {
  readonly exchange: string;
  readonly symbol: string;
}
