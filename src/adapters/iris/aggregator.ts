import type * as z from "zod";
import { CHAIN_TOKENS, type ChainToken } from "../../kernel/chain-token.ts";
import { VenueError } from "../../kernel/errors.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Aggregator, Pool } from "../../ports/dex.ts";
import { boundedText } from "../bounded-text.ts";
import { type AnsweredPool, FailureAnswer, PoolsAnswer, PricesAnswer, poolOf } from "./schema.ts";

export const IRIS_URL = "https://iris.indigoprotocol.io";

export interface Iris {
  readonly url: string;
  /** Time limit of each request. */
  readonly timeoutMillis: Millis;
}

const POOLS_PER_PAGE = 100;
/** Maximum number of pages; a token has a few dozen pools, so more would be an error. */
const MOST_POOL_PAGES = 50;

/** Returns the public aggregator of Cardano's exchanges, over HTTP. */
export const irisAggregator = (iris: Iris): Aggregator => ({
  async pools(token) {
    const pools = (await allPools(iris, token)).filter(({ state }) => state !== null);
    const prices = await pricesOf(
      iris,
      pools.map(({ identifier }) => identifier),
    );
    return pools
      .map((pool) => poolOf(pool, prices.get(pool.identifier)))
      .filter((pool): pool is Pool => pool !== undefined);
  },
});

async function allPools(iris: Iris, token: ChainToken): Promise<AnsweredPool[]> {
  const { policyId, nameHex } = CHAIN_TOKENS[token];
  const filter = { tokenA: "lovelace", tokenB: `${policyId}.${nameHex}` };
  // A pool can move to the next page between two requests, so each one is stored once.
  const found = new Map<string, AnsweredPool>();
  for (let page = 1, last = 1; page <= last; page++) {
    // The page is sent where the public server reads it, and also outside the filter.
    const path = `/api/liquidity-pools?page=${page}&limit=${POOLS_PER_PAGE}`;
    const { data, pagination } = await askIris(
      iris,
      path,
      { ...filter, page, limit: POOLS_PER_PAGE },
      PoolsAnswer(),
    );
    if (pagination.totalPages > MOST_POOL_PAGES) throw nonsense();
    for (const pool of data.filter((one) => isPoolOf(one, token))) found.set(pool.identifier, pool);
    last = pagination.totalPages;
  }
  return [...found.values()];
}

const isPoolOf = ({ tokenA, tokenB }: AnsweredPool, token: ChainToken): boolean =>
  tokenA === null &&
  tokenB.policyId === CHAIN_TOKENS[token].policyId &&
  tokenB.nameHex === CHAIN_TOKENS[token].nameHex;

/**
 * Returns prices by identifier; the response omits pools and has its own order. One pool without a state fails the
 * whole request.
 */
async function pricesOf(iris: Iris, identifiers: readonly string[]): Promise<Map<string, number | null>> {
  const prices = new Map<string, number | null>();
  for (let from = 0; from < identifiers.length; from += POOLS_PER_PAGE) {
    const query = { identifiers: identifiers.slice(from, from + POOLS_PER_PAGE) };
    const answer = await askIris(iris, "/api/liquidity-pools/prices", query, PricesAnswer());
    for (const { identifier, price } of answer) prices.set(identifier, price);
  }
  return prices;
}

async function askIris<S extends z.ZodType>(
  { url, timeoutMillis }: Iris,
  path: string,
  body: object,
  shape: S,
): Promise<z.output<S>> {
  const answer = await request(`${url}${path}`, body, timeoutMillis);
  if (FailureAnswer().safeParse(answer).success)
    throw new VenueError("unavailable", "the DEX aggregator returned an error");
  const parsed = shape.safeParse(answer);
  if (!parsed.success) throw nonsense(parsed.error);
  return parsed.data;
}

async function request(url: string, body: object, timeoutMillis: Millis): Promise<unknown> {
  const signal = AbortSignal.timeout(timeoutMillis);
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify(body),
      redirect: "manual",
      signal,
    });
    const text = await boundedText(response, signal);
    if (response.status === 200) return JSON.parse(text);
  } catch (error) {
    throw new VenueError("unavailable", "the DEX aggregator did not respond", { cause: error });
  }
  throw new VenueError("unavailable", "the DEX aggregator returned an error");
}

const nonsense = (cause?: unknown): VenueError =>
  new VenueError("unavailable", "the DEX aggregator returned an unusable response", { cause });
