/** Why an order is not placed, in words. Keys are reasons of responses. */
export const REFUSAL_TEXT: Readonly<Record<string, string>> = {
  no_base: "there is not enough free base",
  no_quote: "there is not enough free quote",
  below_minimum: "below the exchange's minimum; waits for more",
  would_self_cross: "it would trade with another order of this account",
  would_take: "the market price is at its level",
  inventory_missing: "its base is not in the account",
  fills_missing: "the exchange has not shown all trades yet",
  market_closed: "the exchange has closed the pair",
  rejected: "the exchange rejected the order; edgemaker retries",
  unclear: "the exchange has not confirmed the order; edgemaker looks it up",
  recovering: "edgemaker looks for orders after a restore",
  killed: "the kill switch is on",
  low_confidence: "this exchange's price is far from the other exchanges",
  max_position: "it has reached its maximum base",
  max_inventory: "it has reached its maximum base",
  min_position: "it has reached its minimum base",
  min_inventory: "it has reached its minimum base",
  limit_loss: "its loss limit is reached",
  loss: "its loss limit is reached",
  safety_reserve: "a buy would leave less quote than the reserve",
  defended: "this side is paused, because its fills lost money within 10 s",
  limit_exposure: "the order would exceed the exposure counted for a limit",
};

/** Returns why orders are not placed, each reason once, as `2 orders: there is not enough free quote`. */
export function describeRefusals(
  refused: readonly { readonly reason: string; readonly detail?: string | undefined }[],
): string {
  const texts = refused.map(({ reason, detail }) => detail ?? REFUSAL_TEXT[reason] ?? reason);
  return [...new Set(texts)]
    .map((text) => {
      const count = texts.filter((other) => other === text).length;
      return `${count === 1 ? "1 order" : `${count} orders`}: ${text}`;
    })
    .join("; ");
}
