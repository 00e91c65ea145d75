import * as z from "zod";
import { type Decimal, div, wire, ZERO } from "../kernel/decimal.ts";
import { convertedField } from "../kernel/fields.ts";
import { lazy } from "../kernel/lazy.ts";
import { CHAIN_TOKENS, type ChainToken, chainTokens, isChainToken } from "../kernel/pair.ts";
import type { DexPrice, Pool } from "../ports/venue.ts";
import { largestFirst } from "./price.ts";

const TOKEN_ERROR = `Unsupported token: must be one of ${chainTokens.join(", ")}`;

/** A token's symbol in upper or lower case. */
export const chainTokenField = lazy(() =>
  convertedField(z.string({ error: TOKEN_ERROR }), TOKEN_ERROR, (value): ChainToken | undefined => {
    const symbol = value.toUpperCase();
    return isChainToken(symbol) ? symbol : undefined;
  }).describe(`Token: ${chainTokens.join(", ")}`),
);

export const PriceShape = lazy(() =>
  z.object({
    symbol: z.string(),
    price: z.number(),
    confidence: z.number(),
    sources: z.array(z.object({ id: z.string(), name: z.string(), exchange: z.string() })),
    timestamp: z.string(),
  }),
);

export const PoolsShape = lazy(() =>
  z.object({
    symbol: z.string(),
    pools: z.array(
      z.object({
        dex: z.string(),
        identifier: z.string(),
        tvl: z.number(),
        price: z.number(),
        reserveA: z.number(),
        reserveB: z.number(),
        tokenA: z.string(),
        tokenB: z.string(),
      }),
    ),
    count: z.number(),
    timestamp: z.string(),
  }),
);

export const TokensShape = lazy(() =>
  z.object({
    tokens: z.array(z.object({ symbol: z.string(), policyId: z.string(), nameHex: z.string() })),
    count: z.number(),
  }),
);

export const priceOut = (
  token: ChainToken,
  { price, confidence, sources }: DexPrice,
  timestamp: string,
): z.input<ReturnType<typeof PriceShape>> => ({
  symbol: `${token}/USDT`,
  price: wire(price),
  confidence: wire(confidence),
  sources: sources.map((source) => ({ ...source })),
  timestamp,
});

/** Formats the pools, largest first; a pool without a quote has the price of its reserves. */
export function poolsOut(
  token: ChainToken,
  pools: readonly Pool[],
  { minLiquidity, limit }: { minLiquidity: Decimal; limit: number },
): Omit<z.input<ReturnType<typeof PoolsShape>>, "timestamp"> {
  const listed = largestFirst(pools.filter(({ tvl }) => tvl >= minLiquidity)).slice(0, limit);
  return { symbol: token, pools: listed.map((pool) => poolOut(token, pool)), count: listed.length };
}

const poolOut = (token: ChainToken, { dex, identifier, tvl, quoted, reserves }: Pool) => ({
  dex,
  identifier,
  tvl: wire(tvl),
  price: wire(quoted ?? (reserves.token > ZERO ? div(reserves.ada, reserves.token, "half") : ZERO)),
  reserveA: wire(reserves.ada),
  reserveB: wire(reserves.token),
  tokenA: "ADA",
  tokenB: token,
});

export const tokensOut = (): z.input<ReturnType<typeof TokensShape>> => ({
  tokens: chainTokens.map((symbol) => ({ symbol, ...CHAIN_TOKENS[symbol] })),
  count: chainTokens.length,
});
