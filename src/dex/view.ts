import type * as z from "zod";
import type { PoolsShape, PriceShape } from "./schema.ts";

const MOST_CHARACTERS = 20;

/** Shortens an on-chain identifier, because its first characters distinguish pools. */
const shortIdentifier = (identifier: string): string =>
  identifier.length > MOST_CHARACTERS ? `${identifier.slice(0, MOST_CHARACTERS - 1)}…` : identifier;

export const priceView = (answer: unknown) => {
  const { sources, ...rest } = answer as z.output<ReturnType<typeof PriceShape>>;
  return { ...rest, sources: sources.map(({ id, ...source }) => ({ id: shortIdentifier(id), ...source })) };
};

/** Formats reserves under the names of their tokens. */
export const poolsView = (answer: unknown) => {
  const { pools, ...rest } = answer as z.output<ReturnType<typeof PoolsShape>>;
  const rows = pools.map(({ identifier, reserveA, reserveB, tokenA, tokenB, ...pool }) => ({
    ...{ ...pool, [tokenA]: reserveA, [tokenB]: reserveB },
    identifier: shortIdentifier(identifier),
  }));
  return { ...rest, pools: rows };
};
