import type { Decimal } from "../kernel/decimal.ts";
import type { Pair } from "../kernel/pair.ts";
import type { Millis } from "../kernel/time.ts";
import type { AccountKey } from "./account.ts";
import type { Side } from "./market.ts";
import type { Fee } from "./order.ts";

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

/** A booked execution of one of our orders. */
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
  /** The trade arrived after its amount was booked from the order itself, so it changes nothing. */
  readonly superseded: boolean;
}

/** How far an account's executions on a pair were read, in market time. */
export interface FillCursor {
  /** Everything before this time was read. */
  readonly at: Millis;
  /** A further span that was read; the part between was skipped because the pass had no calls left. */
  readonly ahead: Span | null;
}
