/** What quotes can sell and buy: their budget, as their fills have moved it. */
import { type Decimal, max, ZERO } from "../../kernel/decimal.ts";
import { exposureOf, openBids } from "../../limits/exposure.ts";
import type { Order } from "../../model/order.ts";
import type { Exposure } from "../../model/proposal.ts";
import type { QuoteStrategy } from "../state/state.ts";

type Exposed = Pick<QuoteStrategy, "symbol" | "config" | "state" | "phase">;

interface QuoteMarket {
  readonly mid: Decimal | undefined;
  /** Their bids, as far as they may have filled and are not booked. */
  readonly buys: readonly Order[];
  /** Whether a loss limit of the account sells their base. */
  readonly exitsOnLoss: boolean;
}

export function quoteExposure(
  { symbol, config, state, phase }: Exposed,
  { mid, buys, exitsOnLoss: exits }: QuoteMarket,
): Exposure {
  const { budget } = config;
  const unbegun = phase === "starting" ? max(ZERO, budget.base - state.first.base) : ZERO;
  const bids = openBids(buys);
  const quote = max(ZERO, budget.quote + state.ledger.quote - bids.quote);
  const largest = config.rules.sizes.model === "flat" ? config.rules.sizes.size : undefined;
  const parts = [
    { base: max(ZERO, state.base) + unbegun, quote: ZERO },
    { base: ZERO, quote },
    { base: ZERO, quote: ZERO, bids },
  ];
  return exposureOf({ symbol, mid, parts, exits, largest });
}

/** What they hold, and what their bids may have brought. */
export const heldAndBid = ({ state }: Pick<QuoteStrategy, "state">, buys: readonly Order[]): Decimal =>
  max(ZERO, state.base) + openBids(buys).base;
