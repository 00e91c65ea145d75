import { type Decimal, mul } from "../../kernel/decimal.ts";
import type { Market } from "../../model/market.ts";
import { netOfCycle, restingFees } from "../ladder/fees.ts";
import { sellPrice } from "../plan/wish.ts";
import type { Slot } from "../state/state.ts";

/** Returns the net profit of a slot's cycle as a share of its buy's cost. */
export const cycleShare = (slot: Slot, market: Market): Decimal =>
  netOfCycle({ buyAt: slot.lower, sellAt: sellPrice(slot), fees: restingFees(market) });

/** Returns the same in quote. */
export const cycleNet = (slot: Slot, market: Market): Decimal =>
  mul(slot.size, cycleShare(slot, market), "down");
