/** The hash by which a person or an agent approves quotes that a preview has shown. */
import { type Decimal, mul, parseDecimal, text } from "../../kernel/decimal.ts";
import { approvesSame, hashOfShown } from "../../kernel/hash.ts";
import type { QuotePlan } from "../plan.ts";
import type { QuoteConfig } from "../state/state.ts";

export interface QuoteStartPlace {
  readonly exchange: string;
  readonly dryRun?: boolean | undefined;
}

/** Half of it approves the settings and levels, half is of the orders as shown; then comes their reference price. */
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
 * Whether the quotes of now are those that a preview has shown. Their orders follow the price, so they still are while
 * the reference price lies between the best bid and ask that half the requested spread gave around the shown one.
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
  return approvesSame(shown, hash) && moved <= mul(before, config.rules.asked, "down");
}
