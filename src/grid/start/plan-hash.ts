import { type Decimal, parseDecimal, text } from "../../kernel/decimal.ts";
import { noLongerHolds } from "../../kernel/errors.ts";
import { approvesSame, hashOfPlan, hashOfShown } from "../../kernel/hash.ts";
import type { Intent } from "../../model/intent.ts";
import { FIRST_BUY_SLOT } from "../state/state.ts";
import type { Checked } from "./check.ts";

/** The same while the same orders would be placed with the same configuration; of a centered grid, `hash-center`. */
export function planHashOf({ config, center }: Checked, intents: readonly Intent[]): string {
  // Which order is nearest the market, and the first buy's limit, change with every trade.
  const orders = [...intents]
    .sort((a, b) => a.slot - b.slot)
    .map(({ slot, side, price, amount }) => [slot, side, slot === FIRST_BUY_SLOT ? 0 : price, amount]);
  const { centered } = config;
  if (!centered) return hashOfPlan([config, orders]);
  // The slots next to the center get and lose their orders while the market moves between them.
  const beyond = orders.filter(([slot]) => slot !== centered.levels - 1 && slot !== centered.levels);
  return `${hashOfShown([config, beyond, center], orders)}-${text(center)}`;
}

/** The center of the centered grid that a preview has shown. */
export const centerOf = (planHash: string | undefined): Decimal | undefined =>
  parseDecimal(planHash?.split("-")[1] ?? "");

/** Throws when a preview's plan is no longer what would be placed. */
export function checkHash(
  { hash, checked }: { readonly hash: string; readonly checked: Checked },
  expected: string | undefined,
): void {
  if (expected === undefined) return;
  const isAlike = checked.config.centered && centerOf(expected) !== undefined && approvesSame(expected, hash);
  if (!(expected === hash || isAlike) || !isAround(checked)) throw noLongerHolds();
}

/** A grid around the center it was shown with stands as shown while the market is between the levels next to it. */
function isAround({ config: { centered }, slots, startPrice }: Checked): boolean {
  if (!centered) return true;
  const [below, above] = [slots[centered.levels - 1], slots[centered.levels]];
  return below !== undefined && above !== undefined && below.lower < startPrice && startPrice < above.upper;
}
