import type { Decimal } from "../kernel/decimal.ts";

/** What other places say that a pair is worth. */
export interface Reference {
  readonly prices: readonly { readonly source: string; readonly price: Decimal }[];
  /** The chain's own confidence in its price, where that is one of them: ours is never above it. */
  readonly most: Decimal | null;
  /** Whether any of them lists the pair, answering or not. */
  readonly listed: boolean;
}
