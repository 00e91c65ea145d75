import { type Decimal, parseDecimal, text } from "../../kernel/decimal.ts";
import { noLongerHolds } from "../../kernel/errors.ts";
import { approvesSame, hashOfPlan, hashOfShown } from "../../kernel/hash.ts";
import type { Pair } from "../../kernel/pair.ts";
import type { AccountRef } from "../../model/account.ts";
import type { Intent } from "../../model/intent.ts";
import { FIRST_BUY_SLOT } from "../state/state.ts";
import type { Checked } from "./check.ts";

/** The kind of account, because a plan on paper is not one of a real account. */
interface PlanPlace extends Pick<AccountRef, "exchange" | "kind"> {
  readonly symbol: Pair;
}

/**
 * Returns a hash that stays the same while the same orders with the same configuration would be placed on the same
 * account and pair; `hash-center` for a centered grid.
 */
export function planHashOf(
  { config, center }: Checked,
  intents: readonly Intent[],
  { exchange, kind, symbol }: PlanPlace,
): string {
  const place = [exchange, kind, symbol];
  // The order nearest to the market and the first buy's limit change with every trade.
  const orders = [...intents]
    .sort((a, b) => a.slot - b.slot)
    .map(({ slot, side, price, amount }) => [slot, side, slot === FIRST_BUY_SLOT ? 0 : price, amount]);
  const { centered } = config;
  if (!centered) return hashOfPlan([place, config, orders]);
  // The slots next to the center get and lose their orders while the market moves between them.
  const beyond = orders.filter(([slot]) => slot !== centered.levels - 1 && slot !== centered.levels);
  return `${hashOfShown([place, config, beyond, center], orders)}-${text(center)}`;
}

/** Returns the center of the centered grid that a preview showed. */
export const centerOf = (planHash: string | undefined): Decimal | undefined =>
  parseDecimal(planHash?.split("-")[1] ?? "");

/** Throws if the plan has changed since the preview. */
export function checkHash(
  { hash, checked }: { readonly hash: string; readonly checked: Checked },
  expected: string | undefined,
): void {
  if (expected === undefined) return;
  const isAlike = checked.config.centered && centerOf(expected) !== undefined && approvesSame(expected, hash);
  if (!(expected === hash || isAlike) || !isAround(checked)) throw noLongerHolds();
}

/** Returns whether a centered plan is still valid: the market is between the levels next to its center. */
function isAround({ config: { centered }, slots, startPrice }: Checked): boolean {
  if (!centered) return true;
  const [below, above] = [slots[centered.levels - 1], slots[centered.levels]];
  return below !== undefined && above !== undefined && below.lower < startPrice && startPrice < above.upper;
}
