import type { Decimal } from "../kernel/decimal.ts";
import type { Pair } from "../kernel/pair.ts";
import { HOUR, MINUTE, type Millis, SECOND } from "../kernel/time.ts";
import type { AccountKey } from "./account.ts";
import type { Fee, OrderTerms } from "./order.ts";

/** A span of market time, from inclusive to exclusive. */
export interface Span {
  readonly from: Millis;
  readonly to: Millis;
}

/** A booked fee. A fee in a third asset also has its value in quote at the fill. */
export interface BookedFee extends Fee {
  readonly value?: Decimal;
  /** The exchange gave no price for the fee's asset, so its value is the fee rate × the notional. */
  readonly isEstimated?: boolean;
}

/**
 * Times after a fill at which the mid of its market is stored: the first one that a pass reads at that time, or at most
 * `late` after it.
 */
export const HORIZONS = [
  { name: "mid1s", after: SECOND, late: SECOND },
  { name: "mid10s", after: 10 * SECOND, late: 5 * SECOND },
  { name: "mid1m", after: MINUTE, late: 30 * SECOND },
  { name: "mid5m", after: 5 * MINUTE, late: 2 * MINUTE },
  { name: "mid1h", after: HOUR, late: 2 * MINUTE },
] as const satisfies readonly { readonly name: string; readonly after: Millis; readonly late: Millis }[];
/** Maximum age of the price that counts as the mid at a fill. */
const OLDEST_MID: Millis = 10 * SECOND;
/** Returns whether a price counts as the mid at a fill. A later price would contain what the fill moved. */
export const isMidAt = (fill: Pick<Fill, "at">, price: { readonly at: Millis }): boolean =>
  price.at <= fill.at && fill.at - price.at <= OLDEST_MID;
export type HorizonName = (typeof HORIZONS)[number]["name"];

/** Mids of a fill's market at its horizons; null if unknown. */
type HorizonMids = Readonly<Record<HorizonName, Decimal | null>>;

/** A booked execution of one of our orders. */
export interface Fill extends OrderTerms {
  readonly account: AccountKey;
  readonly symbol: Pair;
  readonly tradeId: string;
  readonly clientId: string;
  readonly strategy: string | null;
  readonly notional: Decimal;
  readonly fees: readonly BookedFee[];
  /** Market time. */
  readonly at: Millis;
  /** The trade arrived after its amount was booked from the order itself, so it changes nothing. */
  readonly superseded: boolean;
}

/** What measures a stored fill, with the mids at its time and at its horizons. */
export interface MeasuredFill extends Omit<Fill, "account" | "symbol" | "fees">, HorizonMids {
  readonly mid: Decimal | null;
}

/** What it takes to know what a fill earned against the mid at its time. */
export type SpreadFill = Pick<
  MeasuredFill,
  "tradeId" | "side" | "amount" | "notional" | "at" | "superseded" | "mid"
>;

/** How far an account's executions on a pair were read, in market time. */
export interface FillCursor {
  /** Everything before this time was read. */
  readonly at: Millis;
  /** A further span that was read; the part between was skipped because the pass had no calls left. */
  readonly ahead: Span | null;
}

/** Trade id prefix of a fill that was booked from its order's own sums: its time and price are not those of a trade. */
export const INFERRED = "order:";
export const isInferred = ({ tradeId }: Pick<Fill, "tradeId">): boolean => tradeId.startsWith(INFERRED);
