import * as z from "zod";
import { type Decimal, fromNumber } from "../../kernel/decimal.ts";
import { convertedField, MAX_AMOUNT, rowsField } from "../../kernel/fields.ts";
import { type Operation, operation } from "../../operation.ts";
import type { StrategyDeps } from "../../ports/kind.ts";
import { marketNow } from "../../ports/market-now.ts";
import {
  chainTokenField,
  PoolsShape,
  PriceShape,
  poolsOut,
  priceOut,
  TokensShape,
  tokensOut,
} from "../schema.ts";

const LIQUIDITY = "Invalid request: minLiquidity must be a number of ADA, 0 to 1e15";

const minLiquidity = () =>
  convertedField(z.number({ error: LIQUIDITY }).default(0), LIQUIDITY, (value): Decimal | undefined => {
    const exact = value <= MAX_AMOUNT ? fromNumber(value) : undefined;
    return exact !== undefined && exact >= 0n ? exact : undefined;
  }).describe("Minimum total value locked, in ADA");

const DEX_READ = { effect: "read", access: "public" } as const;

const timestamp = async (deps: StrategyDeps): Promise<string> =>
  new Date(await marketNow(deps)).toISOString();

const MAX_NAME_CHARACTERS = 20;

/** Shortens an on-chain identifier, because its first characters distinguish pools. */
const shortIdentifier = (identifier: string): string =>
  identifier.length > MAX_NAME_CHARACTERS ? `${identifier.slice(0, MAX_NAME_CHARACTERS - 1)}…` : identifier;

const priceView = (answer: unknown) => {
  const { sources, ...rest } = answer as z.output<ReturnType<typeof PriceShape>>;
  return { ...rest, sources: sources.map(({ id, ...source }) => ({ id: shortIdentifier(id), ...source })) };
};

const dexPriceOperation = (): Operation =>
  operation({
    ...DEX_READ,
    name: "get_dex_price",
    summary: "Show the price of a Cardano token in USDT",
    http: { route: "GET /dex/price/:symbol", alias: "/cardano/price/:symbol", from: "query" },
    cli: {
      path: "dex price",
      positional: ["symbol"],
      view: priceView,
      examples: ["edgemaker dex price INDY"],
    },
    input: () => z.object({ symbol: chainTokenField() }),
    output: PriceShape,
    failure: "Price fetch failed",
    run: async (deps, { symbol }) => priceOut(symbol, await deps.dex.price(symbol), await timestamp(deps)),
  });

/** Formats reserves under the names of their tokens. */
const poolsView = (answer: unknown) => {
  const { pools, ...rest } = answer as z.output<ReturnType<typeof PoolsShape>>;
  const rows = pools.map(({ identifier, reserveA, reserveB, tokenA, tokenB, ...pool }) => ({
    ...pool,
    [tokenA]: reserveA,
    [tokenB]: reserveB,
    identifier: shortIdentifier(identifier),
  }));
  return { ...rest, pools: rows };
};

const dexPoolsOperation = (): Operation =>
  operation({
    ...DEX_READ,
    name: "get_dex_pools",
    summary: "List liquidity pools of a Cardano token, largest first",
    http: { route: "GET /dex/pools/:symbol", alias: "/cardano/pools/:symbol", from: "query" },
    cli: {
      path: "dex pools",
      positional: ["symbol"],
      view: poolsView,
      examples: ["edgemaker dex pools SNEK --min-liquidity 10000"],
    },
    input: () =>
      z.object({
        symbol: chainTokenField(),
        minLiquidity: minLiquidity(),
        limit: rowsField("Number of pools", { max: 50, initial: 10 }),
      }),
    output: PoolsShape,
    failure: "Discovery failed",
    run: async (deps, { symbol, ...request }) => ({
      ...poolsOut(symbol, await deps.dex.pools(symbol), request),
      timestamp: await timestamp(deps),
    }),
  });

const dexTokensOperation = (): Operation =>
  operation({
    ...DEX_READ,
    name: "list_dex_tokens",
    summary: "List Cardano tokens with a price",
    http: { route: "GET /dex/tokens", alias: "/cardano/tokens", from: "query" },
    cli: { path: "dex tokens" },
    mcp: { isSelfContained: true },
    input: () => z.object({}),
    output: TokensShape,
    failure: "Discovery failed",
    run: async () => tokensOut(),
  });

/** Operations that return prices and pools of the chain's tokens on its exchanges. */
export const dexOperations = (): Operation[] => [
  dexPriceOperation(),
  dexPoolsOperation(),
  dexTokensOperation(),
];
