import type { Row } from "./rows.ts";

/** The chain's exchanges. */
export const dexRows: Row[] = ["/dex", "/cardano"].flatMap((chain): Row[] => [
  {
    name: "a price",
    path: `${chain}/price/INDY`,
    status: 200,
    has: {
      symbol: "INDY/USDT",
      price: "number",
      confidence: "number",
      sources: "array",
      timestamp: "string",
    },
  },
  ...["indy", "InDy", "snek", "NIGHT", "Min"].map(
    (token): Row => ({ name: "a price in any case", path: `${chain}/price/${token}`, status: 200 }),
  ),
  {
    name: "pools",
    path: `${chain}/pools/SNEK`,
    status: 200,
    has: { symbol: "SNEK", pools: "array", count: "number", timestamp: "string" },
  },
  ...["ADA", "BTC", "INDY%2FUSDT", "__proto__", "%00"].flatMap((token): Row[] =>
    ["price", "pools"].map((what) => ({
      name: "a token that is not supported",
      path: `${chain}/${what}/${token}`,
      status: 400,
      label: "Unsupported token",
    })),
  ),
  ...["1", "50"].map(
    (limit): Row => ({
      name: `limit ${limit}`,
      path: `${chain}/pools/INDY`,
      query: { limit },
      status: 200,
    }),
  ),
  ...["0", "51", "-1", "1.5", "", "1e1"].map(
    (limit): Row => ({
      name: `limit ${JSON.stringify(limit)}`,
      path: `${chain}/pools/INDY`,
      query: { limit },
      status: 400,
      label: "Invalid limit",
    }),
  ),
  ...["0", "0.5", "1000000"].map(
    (minLiquidity): Row => ({
      name: `least liquidity ${minLiquidity}`,
      path: `${chain}/pools/INDY`,
      query: { minLiquidity },
      status: 200,
    }),
  ),
  ...["-1", "", "many", "1e999"].map(
    (minLiquidity): Row => ({
      name: `least liquidity ${JSON.stringify(minLiquidity)}`,
      path: `${chain}/pools/INDY`,
      query: { minLiquidity },
      status: 400,
      label: "Invalid request",
    }),
  ),
  {
    name: "token before the limit",
    path: `${chain}/pools/BTC`,
    query: { limit: "0" },
    status: 400,
    label: "Unsupported token",
  },
  { name: "the tokens", path: `${chain}/tokens`, status: 200, has: { tokens: "array", count: 4 } },
]);
