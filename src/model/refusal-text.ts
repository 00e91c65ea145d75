import { decimal, plainNumber, text } from "../kernel/decimal.ts";
import { pluralize } from "../kernel/plain-text.ts";

/** Why an order is not placed, in words. Keys are reasons of responses. */
export const REFUSAL_TEXT: Readonly<Record<string, string>> = {
  no_base: "there is not enough free base",
  no_quote: "there is not enough free quote",
  below_minimum: "below the exchange's minimum; waits for more",
  would_self_cross: "it would trade with another order of this account",
  would_take: "the market price is at its level",
  inventory_missing: "its base is not in the account",
  fills_missing: "the exchange has not shown all trades yet",
  balance_unreadable: "the exchange's balance of what it needs cannot be read",
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

interface RefusedSlot {
  readonly reason: string;
  readonly detail?: string | undefined;
}

/** Returns why an order is not placed, as a sentence. */
export const describeRefusal = ({ reason, detail }: RefusedSlot): string =>
  detail ?? REFUSAL_TEXT[reason] ?? reason.replaceAll("_", " ");

/** Where base for waiting slots comes from: from an initial buy of the same plan, or from `other` if a user does it. */
export interface BaseSource {
  readonly isBought?: boolean;
  readonly other?: string | undefined;
}

/** Returns why a slot of a grid waits, as a sentence; `lower` is its lower price. */
export function describeWait(
  refused: RefusedSlot,
  lower: string,
  { isBought, other }: BaseSource = {},
): string {
  if (refused.reason !== "no_base") return describeRefusal(refused);
  if (isBought) return "the initial buy has to fill first";
  return `the price has to rise above ${lower} first${other === undefined ? "" : `, or ${other}`}`;
}

/** Returns why slots of a grid wait, each reason once: `4 of 8 slots wait: the price has to rise above 0.002 first`. */
export function describeWaits(
  refused: readonly (RefusedSlot & { readonly slot: number | string })[],
  slots: readonly { readonly slot: number | string; readonly lowerPrice: number | string }[],
  { total = slots.length, ...source }: BaseSource & { readonly total?: number } = {},
): string {
  const lowers = slots
    .filter(({ slot }) => refused.some((one) => one.slot === slot && one.reason === "no_base"))
    .map(({ lowerPrice }) => decimal(plainNumber(lowerPrice)))
    .sort((a, b) => (a < b ? -1 : 1));
  const [least, most] = [lowers[0], lowers.at(-1)];
  const first = least === undefined ? "the slot's lower price" : text(least);
  const lower =
    most === least || most === undefined ? first : `${first} (for the last slot above ${text(most)})`;
  const texts = refused.map((one) => describeWait(one, lower, source));
  return [...new Set(texts)]
    .map((why) => {
      const count = texts.filter((one) => one === why).length;
      return `${count} of ${total} slots ${count === 1 ? "waits" : "wait"}: ${why}`;
    })
    .join("; ");
}

/** Returns why orders are not placed, each reason once, as `2 orders: there is not enough free quote`. */
export function describeRefusals(refused: readonly RefusedSlot[]): string {
  const texts = refused.map(describeRefusal);
  return [...new Set(texts)]
    .map((why) => {
      const count = texts.filter((other) => other === why).length;
      return `${pluralize(count, "order")}: ${why}`;
    })
    .join("; ");
}

/** Why an order was rejected, as a cause that code decides by. Orders store it as text. */
export type Rejection =
  /** Our own checks kept the order from being sent. */
  | { readonly cause: "not_sent" }
  /** A post-only order would have been a taker order; its slot plans it again at once. */
  | { readonly cause: "would_take"; readonly text: string }
  | { readonly cause: "exchange"; readonly text: string };

const NOT_SENT = "not sent";
const WOULD_TAKE = "would take: ";

/** Returns the reason that an order stores. */
export function reasonOf(rejection: Rejection): string {
  if (rejection.cause === "not_sent") return NOT_SENT;
  return rejection.cause === "would_take" ? `${WOULD_TAKE}${rejection.text}` : rejection.text;
}

/** Reads what `reasonOf` wrote. */
export function rejectionOf(reason: string | null): Rejection {
  if (reason === NOT_SENT) return { cause: "not_sent" };
  return reason?.startsWith(WOULD_TAKE)
    ? { cause: "would_take", text: reason.slice(WOULD_TAKE.length) }
    : { cause: "exchange", text: reason ?? "" };
}
