import type { Decimal } from "../kernel/decimal.ts";
import type { Pair } from "../kernel/pair.ts";
import type { Millis } from "../kernel/time.ts";
import type { AccountKey } from "./account.ts";
import type { Side } from "./market.ts";
import type { Fee } from "./order.ts";

/** Market time from an instant, inclusive, to another, exclusive. */
export interface Span {
  readonly from: Millis;
  readonly to: Millis;
}

/** A fee as it was booked; one in neither base nor quote carries its worth in quote at the fill. */
export interface BookedFee extends Fee {
  readonly value?: Decimal;
  /** The venue told no price for the asset: the worth is the fee rate × the notional. */
  readonly isEstimated?: boolean;
}

/** A booked execution of an order of ours. */
export interface Fill {
  readonly account: AccountKey;
  readonly symbol: Pair;
  readonly tradeId: string;
  readonly clientId: string;
  readonly strategy: string | null;
  readonly side: Side;
  readonly price: Decimal;
  readonly amount: Decimal;
  readonly notional: Decimal;
  readonly fees: readonly BookedFee[];
  /** Market time. */
  readonly at: Millis;
  /** Arrived after its amount had been booked from the order itself; moves nothing. */
  readonly superseded: boolean;
}

/** How far an account's executions on a pair have been read, in market time. */
export interface FillCursor {
  /** Everything before it. */
  readonly at: Millis;
  /** Beyond a part that a pass had no calls left for: this is read as well. */
  readonly ahead: Span | null;
}
