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
