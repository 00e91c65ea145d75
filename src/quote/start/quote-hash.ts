/** The hash with which a user or an agent approves previewed quotes. */
import { type Decimal, mul, parseDecimal, text } from "../../kernel/decimal.ts";
import { approvesSame, hashOfShown } from "../../kernel/hash.ts";
import type { QuotePlan } from "../plan.ts";
import type { QuoteConfig } from "../state/state.ts";

export interface QuoteStartPlace {
  readonly exchange: string;
  readonly dryRun?: boolean | undefined;
}

/**
 * Returns the hash: its first half approves settings and levels, the second half the shown orders; then follows their
 * reference price.
 */
export function quotePlanHash(
  config: QuoteConfig,
  { reference: { price }, bids, asks, cuts }: QuotePlan,
  { exchange, dryRun = false, symbol }: QuoteStartPlace & { readonly symbol: string },
): string {
  const levels = [...bids, ...asks].map(({ side, level }) => `${side} ${level}`);
  const hash = hashOfShown([exchange, dryRun, symbol, config, levels], [bids, asks, cuts]);
  return price === null ? hash : `${hash}-${text(price)}`;
}

/**
 * Returns whether the current quotes match a preview. Their orders follow the price, so they match while the
 * reference price lies between the bid and ask that half the requested spread gave around the shown price.
 */
export function isShownQuote(
  {
    hash,
    reference,
    config,
  }: { readonly hash: string; readonly reference: Decimal | null; readonly config: QuoteConfig },
  shown: string,
): boolean {
  if (shown === hash) return true;
  const before = parseDecimal(shown.split("-")[1] ?? "");
  if (before === undefined || reference === null) return false;
  const moved = reference > before ? reference - before : before - reference;
  return approvesSame(shown, hash) && moved <= mul(before, config.rules.halfSpread, "down");
}
