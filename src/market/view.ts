import type * as z from "zod";
import type { BookShape } from "./schema.ts";

/** A book as a person reads it: asks above bids, the best of both next to each other. */
export function bookView(answer: unknown) {
  const { asks, bids, ...rest } = answer as z.output<ReturnType<typeof BookShape>>;
  return { ...rest, asks: [...asks].reverse(), bids };
}
